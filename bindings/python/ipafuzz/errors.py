"""The exceptions of ipafuzz."""
from __future__ import annotations

from collections.abc import Iterable


class Error(Exception):
    """The base class of all exceptions of ipafuzz."""


class TraceError(Error, ValueError):
    """A text is not a legal trace."""


class ParseError(TraceError):
    """A text is not a trace. Lines and columns count from 1; columns count bytes."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None, file: str | None = None):
        super().__init__(message)
        self.line, self.column, self.file = line, column, file


class IllegalTrace(TraceError):
    """A trace makes a call that its API model does not allow there. For a trace from a
    text, ``line`` and ``column`` are set; otherwise ``call``, counted from 1, is set."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None, file: str | None = None,
                 call: int | None = None):
        super().__init__(message)
        self.line, self.column, self.file, self.call = line, column, file, call


class TargetError(Error):
    """A target cannot be used: its name is unknown, it is not a library, or it does not
    serve the model of the trace. This is never a finding."""

    def __init__(self, message: str, target: str | None = None):
        super().__init__(message)
        self.target = target


class UsageError(Error, ValueError):
    """An argument is invalid: an unknown name, contradictory bounds, a missing file."""


class NotFailing(Error):
    """A trace cannot be reduced because it does not show the failure. ``seen`` has the keys
    of the failures that it showed instead."""

    def __init__(self, message: str, runs: int = 0, seen: Iterable[str] = ()):
        super().__init__(message)
        self.runs, self.seen = runs, tuple(seen)


class SurroundingsError(Error):
    """ipafuzz or its environment failed: no memory, a full disk, a process that does not
    start. This says nothing about the target."""


class InternalError(Error):
    """ipafuzz has a bug. ``stack`` is the stack trace, for a report."""

    def __init__(self, message: str, stack: str | None = None):
        super().__init__(message)
        self.stack = stack


class ForkError(Error, RuntimeError):
    """This process was forked from one that had used ipafuzz."""
