"""Calls into Go. Requests, events and values are JSON texts."""
from __future__ import annotations

import json
import math
import operator
import os
import resource
import threading
import time
import warnings
from collections.abc import Callable, Generator
from typing import Any

from . import errors

# How many milliseconds to wait in Go before Python may handle signals again.
SLICE = 100
# How many seconds to wait for a cancelled call: after Ctrl-C, and after an exception in
# a callback.
GRACE = 0.5
PATIENCE = 30

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ipafuzz")

# Go's runtime reserves part of the address space and cannot start with less than this.
LEAST_ADDRESSES = 2 << 30

_lock = threading.Lock()
_module: Any = None  # the generated module, after the first call
_owner: int | None = None  # the process that loaded it
_environment: dict[str, str] = {}  # as Go knows it


def _load() -> Any:
    """Returns the generated module. The first call loads it, so importing ipafuzz starts
    nothing, not even the threads of Go's runtime."""
    global _module, _owner, _environment
    if _module is not None and _owner == os.getpid():
        return _module
    with _lock:
        if _owner is not None and _owner != os.getpid():
            raise _forked()
        if _module is None:
            limit = resource.getrlimit(resource.RLIMIT_AS)[0]
            if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESSES:
                raise errors.SurroundingsError(f"the limit on the address space is {limit} bytes, ipafuzz needs "
                                               f"{LEAST_ADDRESSES} (ulimit -v; to limit a target, use memory=)")
            _owner = os.getpid()  # from here on, forked processes cannot call
            try:
                from . import _border
            except ImportError as error:
                raise ImportError("the compiled part of ipafuzz is not here; 'make python' in its repository builds "
                                  "the package, for the Python that it is built with") from error
            _environment = dict(os.environ)
            _value(_border.bindings_Call("configure", json.dumps({"program": PROGRAM})))
            _module = _border
    return _module


def _forked() -> errors.ForkError:
    return errors.ForkError("this process was forked off one that had used ipafuzz, and what ipafuzz runs on does not "
                            "survive that: use multiprocessing.get_context('spawn'), or call ipafuzz only "
                            "after the fork")


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()  # another thread may have held it


os.register_at_fork(after_in_child=_after_fork)


def usable() -> bool:
    """Tells whether this process has loaded the module."""
    return _module is not None and _owner == os.getpid()


def _value(answer: str) -> Any:
    """Returns the value of a final message or raises its exception."""
    message = json.loads(answer)
    error = message.get("error")
    if error is None:
        return message.get("value")
    raise _exception(error)


def _exception(error: dict[str, Any]) -> errors.Error:
    kind, text = error["kind"], error["message"]
    line, column, file = error.get("line"), error.get("column"), error.get("file")
    if kind == "parse":
        return errors.ParseError(text, line, column, file)
    if kind == "illegal":
        return errors.IllegalTrace(text, line, column, file, error.get("call"))
    if kind == "target":
        return errors.TargetError(text, error.get("target"))
    if kind == "use":
        return errors.UsageError(text)
    if kind == "not-failing":
        return errors.NotFailing(text, error.get("runs", 0), error.get("seen", ()))
    if kind == "internal":
        return errors.InternalError(text, error.get("stack"))
    return errors.SurroundingsError(text)


def _said(request: dict[str, Any]) -> str:
    """Returns a request as JSON. Rejects what would mean something else in Go: None, which is a missing field, and text
    with half a surrogate pair, which would become U+FFFD."""
    for name, value in request.items():
        if value is None:
            raise TypeError(f"{name} cannot be None")
        if isinstance(value, float) and not math.isfinite(value):
            raise errors.UsageError(f"{name}: want a number that is finite, got {value}")
        for text in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(text, str):
                _encodable(name, text)
        if isinstance(value, dict):
            _said(value)
    return json.dumps(request, default=_plain)


def _encodable(name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise errors.UsageError(f"{name}: want text that can be encoded as UTF-8, got {text[error.start]!a}, half of a "
                                f"surrogate pair, as character {error.start + 1}") from None


def _plain(value: Any) -> int:
    """Converts an integer of another library, such as numpy."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"want a text or a number, got {type(value).__name__} {value!r:.80}") from None


def call(name: str, /, **request: Any) -> Any:
    """Makes a short call."""
    return _value(_load().bindings_Call(name, _said(request)))


def close(thing: int) -> None:
    """Closes what a call opened. Does nothing in a forked process."""
    if usable():
        call("close", thing=thing)


def _sync_environment() -> None:
    """Passes changes of the environment to Go, which reads it only once."""
    global _environment
    now = dict(os.environ)
    with _lock:
        before, _environment = _environment, now
    if now != before:
        # Bytes that are not UTF-8 are half surrogates here.
        call("configure", set={_replaced(n): _replaced(v) for n, v in now.items() if before.get(n) != v},
             unset=[_replaced(n) for n in before if n not in now])


def _replaced(text: str) -> str:
    return text.encode(errors="surrogateescape").decode(errors="replace")


class Job:
    """A long call. Python handles signals between waits for messages; other threads run
    meanwhile."""

    def __init__(self, name: str, request: dict[str, Any], starts_processes: bool = True):
        said = _said(request)
        module = _load()
        if starts_processes:
            _sync_environment()
        self._module = module
        self._number = module.bindings_Start(name, said)
        self._ended = False

    def cancel(self) -> None:
        """Asks the call to end early; it still returns a value."""
        if not self._ended and usable():
            self._module.bindings_Cancel(self._number)

    def poll(self, milliseconds: int) -> dict[str, Any] | None:
        """Returns the next message, or None if there is none yet."""
        if not usable():
            raise _forked()
        text = self._module.bindings_Wait(self._number, milliseconds)
        if not text:
            return None
        if text.startswith('{"event"'):
            event: dict[str, Any] = json.loads(text)
            return event
        self._ended = True
        return {"value": _value(text)}

    def events(self) -> Generator[tuple[str, Any], None, Any]:
        """Yields the names and values of events and returns the value of the call. A caller
        that stops early must call end()."""
        while True:
            message = self.poll(SLICE)
            if message is None:
                continue
            if "event" not in message:
                return message["value"]
            yield message["event"], message.get("value")

    def run(self, on_event: Callable[[str, Any], object] | None = None) -> Any:
        """Waits for the end and returns the value. ``on_event`` gets the name and the value
        of every event, in this thread; an exception that it raises ends the call."""
        try:
            while True:
                message = self.poll(SLICE)
                if message is None:
                    continue
                if "event" not in message:
                    return message["value"]
                if on_event is not None:
                    on_event(message["event"], message.get("value"))
        except BaseException as exception:
            self.end(PATIENCE if isinstance(exception, Exception) else GRACE)
            raise

    def end(self, seconds: float = 0.0) -> None:
        """Cancels the call and waits for its end, at most ``seconds``, so that the call is
        over when the caller catches an exception."""
        if self._ended or not usable():
            return
        self.cancel()
        deadline = time.monotonic() + seconds
        try:
            while not self._ended and time.monotonic() < deadline:
                self.poll(SLICE)
        except errors.Error:
            pass  # the caller has another exception
        finally:
            if not self._ended:
                self._ended = True
                self._module.bindings_Leave(self._number)


def run(name: str, on_event: Callable[[str, Any], object] | None = None, /, **request: Any) -> Any:
    """Makes a long call."""
    return Job(name, request).run(on_event)


def warn(text: str) -> None:
    """Emits a warning at the caller of ipafuzz."""
    warnings.warn(text, stacklevel=4)
