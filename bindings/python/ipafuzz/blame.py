"""Tells exceptions of a solver from mistakes of the code that serves it."""
from __future__ import annotations

import ast
import linecache
import os
import sys
import sysconfig
import traceback
from collections.abc import Iterable
from types import FrameType, TracebackType
from typing import Any, NoReturn

EXIT_CODE = 70
_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = [os.path.abspath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]


class SolverFault(Exception):
    """What code that serves a solver raises when the solver does something wrong, such as to return None where it must
    return a model."""


def is_ours(thrown: BaseException, glue: Iterable[str]) -> bool:
    """Tells whether an exception arose in this package or in one of the files of glue. The first of its causes counts.
    Frames of Python's own library do not: it raises because its caller passed something wrong."""
    while thrown.__cause__ is not None:
        thrown = thrown.__cause__
    if isinstance(thrown, (SolverFault, MemoryError)):
        return False
    innermost = None
    at = thrown.__traceback__
    while at is not None:
        if not _is_python(at.tb_frame.f_code.co_filename):
            innermost = at
        at = at.tb_next
    if innermost is None:
        return True
    file = os.path.abspath(innermost.tb_frame.f_code.co_filename)
    if os.path.dirname(file) != _HERE and file not in map(os.path.abspath, glue):
        return False
    # An extension has no frames. It refuses arguments of wrong types and sizes; what else it raises is of the solver.
    return isinstance(thrown, (TypeError, OverflowError)) or not _is_in_extension(innermost)


def end(thrown: BaseException) -> NoReturn:
    """Ends this process with the line that says that the mistake is ours (docs/protocol.md)."""
    text = "".join(traceback.format_exception(type(thrown), thrown, thrown.__traceback__))
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(2, f"\nipafuzz-mistake: {type(thrown).__name__}: {thrown}\n{text}".encode("utf-8", "backslashreplace"))
    os._exit(EXIT_CODE)


def _is_python(file: str) -> bool:
    path = os.path.abspath(file)
    inside = any(path.startswith(library + os.sep) for library in _LIBRARY)
    return file.startswith("<frozen ") or inside and "site-packages" not in path and "dist-packages" not in path


def _is_in_extension(at: TracebackType) -> bool:
    """Tells whether the exception left a function that is not written in Python and not part of Python's library."""
    called = _called(at)
    module = getattr(called, "__module__", None) or type(getattr(called, "__self__", called)).__module__
    return called is not None and module.split(".")[0] not in sys.stdlib_module_names


def _called(at: TracebackType) -> Any:
    """Returns the function whose call the frame has not ended, or None."""
    frame = at.tb_frame
    place = list(frame.f_code.co_positions())[at.tb_lasti // 2]
    for node in ast.walk(ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))):
        if isinstance(node, ast.Call) and place == (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset):
            return _value(node.func, frame)
    return None


def _value(name: ast.expr, frame: FrameType) -> Any:
    """Returns what a name with attributes stands for, or None."""
    if isinstance(name, ast.Attribute):
        return getattr(_value(name.value, frame), name.attr, None)
    if isinstance(name, ast.Name):
        for space in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if name.id in space:
                return space[name.id]
    return None
