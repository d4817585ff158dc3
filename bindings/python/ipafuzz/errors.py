"""The exceptions of ipafuzz."""
from __future__ import annotations

from collections.abc import Iterable


class Error(Exception):
    """All exceptions of ipafuzz are of this class."""


class TraceError(Error, ValueError):
    """A text is no trace, or no legal one."""


class ParseError(TraceError):
    """A text is no trace. Lines and columns count from 1, columns in bytes."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None, file: str | None = None):
        super().__init__(message)
        self.line, self.column, self.file = line, column, file


class IllegalTrace(TraceError):
    """A trace makes a call that its API model does not allow there. ``line`` and
    ``column`` are None when it did not come from a text, ``call``, counted from 1,
    when it did."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None, file: str | None = None,
                 call: int | None = None):
        super().__init__(message)
        self.line, self.column, self.file, self.call = line, column, file, call


class TargetError(Error):
    """A target cannot be used: there is none of that name, it is no library, it
    does not serve the model of the trace. Never a finding."""

    def __init__(self, message: str, target: str | None = None):
        super().__init__(message)
        self.target = target


class UsageError(Error, ValueError):
    """An argument makes no sense: a name that does not exist, bounds that leave no
    room, a file that is not there."""


class NotFailing(Error):
    """A trace cannot be reduced, because it does not show the failure. ``seen`` are
    the keys of the failures that it showed instead."""

    def __init__(self, message: str, runs: int = 0, seen: Iterable[str] = ()):
        super().__init__(message)
        self.runs, self.seen = runs, tuple(seen)


class SurroundingsError(Error):
    """ipafuzz or its surroundings failed, which says nothing about the target: no
    memory, a full disk, a process that cannot be started."""


class InternalError(Error):
    """ipafuzz has a bug. ``stack`` is where, for a report."""

    def __init__(self, message: str, stack: str | None = None):
        super().__init__(message)
        self.stack = stack


class ForkError(Error, RuntimeError):
    """This process was forked off one that had used ipafuzz."""
