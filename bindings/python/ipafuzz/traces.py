"""Traces: sequences of calls of a solver library."""
from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from typing import Any, Self

from . import border


class Trace:
    """A sequence of calls, perhaps with answers (docs/trace-format.md). It is immutable.
    ``str(trace)`` is its text, ``len(trace)`` the number of its calls; traces with the same
    text are equal.

    >>> Trace("ipafuzz 2 ipamir\\nhard 1 0\\nsolve want 30\\n").calls
    ('hard 1 0', 'solve')

    The text is read strictly: ParseError tells where it is malformed, IllegalTrace where it
    makes a call that is not allowed there.
    """

    __slots__ = ("_text", "_model", "_length", "_notes", "_name", "__weakref__")

    def __init__(self, text: str, *, file: str = ""):
        if not isinstance(text, str):
            raise TypeError(f"want the text of a trace, got {type(text).__name__} (from_bytes() takes bytes)")
        _check_encodable(text, file)
        self._take(border.call("parse", text=text, file=file))

    def _take(self, value: dict[str, Any]) -> None:
        self._text: str = value["text"]
        self._model: str = value["model"]
        self._length: int = value["calls"]
        self._notes: tuple[str, ...] = tuple(value["notes"])
        self._name: str | None = value.get("name")

    @classmethod
    def _of(cls, value: dict[str, Any]) -> Self:
        trace = cls.__new__(cls)
        trace._take(value)
        return trace

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Reads a trace in its binary form, or its text as bytes."""
        return cls._of(border.call("parse", binary=base64.b64encode(data).decode(), file=""))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Trace:
        """Reads the only trace of a file: a trace, a formula (CNF, WCNF, OPB, ..., also
        packed), one trace of an archive (``ARCHIVE:NUMBER``)."""
        traces = list(read(path))
        if len(traces) != 1:
            from .errors import UsageError
            raise UsageError(f"{os.fspath(path)} holds {len(traces)} traces, not one; ipafuzz.read() reads all")
        return traces[0]

    @classmethod
    def from_formula(cls, text: str, format: str = "wcnf") -> Trace:
        """Makes a trace of a formula in a file format of docs/formats.md."""
        return cls._of(border.call("convert", text=text, format=format))

    @classmethod
    def from_pysat(cls, formula: Any) -> Trace:
        """Makes a trace of a CNF or WCNF object of PySAT, followed by one solve."""
        from . import pysat
        return pysat.trace_of(formula)

    def to_pysat(self) -> Any:
        """Returns the formula of the trace as PySAT's CNF (ipasir) or WCNF (ipamir).
        Raises UsageError if the trace has several solves or calls that a formula lacks."""
        from . import pysat
        return pysat.formula_of(self)

    def __bytes__(self) -> bytes:
        """Returns the binary form."""
        return base64.b64decode(border.call("binary", trace=self._text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text to a file."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self._text)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    @property
    def model(self) -> str:
        """The API model: "ipasir", "ipamir", "qbf" or one that extends the first."""
        return self._model

    @property
    def notes(self) -> tuple[str, ...]:
        """The comment lines at the start, which tell the origin of the trace."""
        return self._notes

    @property
    def name(self) -> str | None:
        """The file that it was read from, or None."""
        return self._name

    @property
    def calls(self) -> tuple[str, ...]:
        """The calls as lines, without answers."""
        return tuple(border.call("calls", trace=self._text))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<ipafuzz.Trace {self._model}, {self._length} calls>"

    def __len__(self) -> int:
        return self._length

    def __bool__(self) -> bool:
        return True  # even without calls

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._state())

    def _state(self) -> dict[str, Any]:
        return {"text": self._text, "model": self._model, "calls": self._length, "notes": list(self._notes),
                "name": self._name}


def _check_encodable(text: str, file: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        from .errors import ParseError
        before = text[:error.start]
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2].encode()) + 1
        raise ParseError(f"{file or 'trace'}:{line}:{column}: want text that can be encoded as UTF-8, "
                         f"got {text[error.start]!a}, half of a surrogate pair", line, column, file) from None


def _rebuild(cls: type[Trace], state: dict[str, Any]) -> Trace:
    return cls._of(state)


def text_of(trace: Trace | str) -> str:
    """Returns the text of an argument that is a trace or its text."""
    if isinstance(trace, Trace):
        return trace.text
    if isinstance(trace, str):
        return trace
    raise TypeError(f"want an ipafuzz.Trace or its text, got {type(trace).__name__}")


def read(*paths: str | os.PathLike[str]) -> Iterator[Trace]:
    """Reads all traces of files, formulas, archives and directories, lazily and in
    their order."""
    job = border.Job("read", {"paths": [os.fspath(path) for path in paths]})
    try:
        for event, value in job.events():
            if event == "trace":
                yield Trace._of(value)
            else:
                border.warn(value)
    finally:
        job.end()
