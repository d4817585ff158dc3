"""Running traces on targets, and what comes of it."""
from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import border
from .traces import Trace, text_of


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a target did wrong."""

    key: str  #: names the failure: target, class and details (docs/faults.md)
    fault: str  #: the class, such as "2.1"
    name: str  #: what the class is called
    call: int  #: which call showed it, counted from 1
    check: str  #: which check found it
    detail: str
    observed: str
    expected: str
    known_by: str  #: how the right answer is known
    voted: bool = False  #: known only because other targets say so

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Finding:
        return cls(record["key"], record["class"], record["class_name"], record["call"], record["check"], record["detail"],
                   record["observed"], record["expected"], record["known_by"], record.get("voted", False))

    def __str__(self) -> str:
        return f"{self.key}: observed {self.observed}, expected {self.expected}"


@dataclass(frozen=True, slots=True)
class Result:
    """What a target did with a trace."""

    target: str
    model: str
    #: for every call a number, a list of literals (model, core), a str (signature), or
    #: None: it has no answer, was not made, or did not return
    answers: list[int | list[int] | str | None] = field(repr=False)
    findings: tuple[Finding, ...]  #: what is wrong, the worst first
    end: str  #: how the run ended: "finished", or what ended it
    end_call: int | None  #: in which call, counted from 1, when it did not finish
    signal: int | None  #: that killed the process
    stderr: str = field(repr=False)  #: what the target wrote
    log: str = field(repr=False)  #: the trace with all answers
    mismatches: tuple[dict[str, Any], ...]  #: answers that the trace expects otherwise
    slow: tuple[str, ...]  #: why a time limit that was met is no finding

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Result:
        return cls(record["target"], record["model"], record["answers"], tuple(map(Finding._of, record["findings"])), record["end"],
                   record.get("end_call"), record.get("signal"), record.get("stderr", ""), record["log"],
                   tuple(record.get("mismatches") or ()), tuple(record.get("slow") or ()))


class Reduced(Trace):
    """A trace that was made small, with the answers that are known to be right as its
    expectations."""

    __slots__ = ("key", "is_minimal", "tests", "seconds", "failed", "runs", "calls_before", "others")

    def _take(self, value: dict[str, Any]) -> None:
        super()._take(value)
        record = value["record"]
        self.key: str = record["key"]  #: of the failure that it shows
        self.is_minimal: bool = record["is_minimal"]  #: no call, literal or variable can be left out
        self.tests: int = record["tests"]  #: that it took
        self.seconds: float = record["seconds"]
        self.failed: int = record["confirmed"]["failed"]  #: in so many of ``runs`` fresh processes
        self.runs: int = record["confirmed"]["runs"]
        self.calls_before: int = record["calls_before"]
        #: keys of other failures that were met on the way
        self.others: tuple[str, ...] = tuple(other["key"] for other in record.get("other_failures") or ())

    def _state(self) -> dict[str, Any]:
        record = {"key": self.key, "is_minimal": self.is_minimal, "tests": self.tests, "seconds": self.seconds,
                  "confirmed": {"failed": self.failed, "runs": self.runs}, "calls_before": self.calls_before,
                  "other_failures": [{"key": key} for key in self.others]}
        return {**super()._state(), "record": record}


def _target_request(spec: str | os.PathLike[str], model: str | None, targets_file: str | os.PathLike[str] | None, way: str,
                    cpu: float, wall: float, memory: int, output: int) -> dict[str, Any]:
    return {"target": os.fspath(spec), "model": model or "", "targets_file": os.fspath(targets_file) if targets_file else "",
            "way": way, "cpu": cpu, "wall": wall, "memory": memory, "output": output}


class Target:
    """A library under test, with what bounds a trace on it. What ``spec`` may be,
    docs/targets.md says: a shared library, a directory, ``ref``, ``pipe:COMMAND``, a name of
    the targets file.

    An open target keeps its process, so that many traces run fast; it does not see that
    a library was built anew. Several threads may use it, one after the other.

    >>> with Target("ref:defect=17") as target:
    ...     results = [replay(trace, target) for trace in generate_many("tiny", count=100)]
    """

    def __init__(self, spec: str | os.PathLike[str], *, model: str | None = None, targets_file: str | os.PathLike[str] | None = None,
                 way: str = "fork", cpu: float = 5.0, wall: float = 20.0, memory: int = 2 << 30, output: int = 64 << 20,
                 conflicts: int = 200_000, exact: bool = False):
        """``cpu`` and ``wall`` are seconds for one trace, ``memory`` and ``output`` bytes,
        0 is no limit. ``way`` is "fork", a process for every trace, or "persistent",
        many in one. ``conflicts`` is what the reference solver may spend on proving what
        a solve should have answered; ``exact`` compares all expectations of a trace, not
        only those that every right solver must meet."""
        self._request = _target_request(spec, model, targets_file, way, cpu, wall, memory, output)
        self._open = {**self._request, "conflicts": conflicts, "exact": exact}
        self._thing: int = border.run("target.open", **self._open)
        self._end = weakref.finalize(self, border.close, self._thing)

    def replay(self, trace: Trace | str) -> Result:
        """Runs a trace, as the function replay() does."""
        if not self._end.alive:
            raise ValueError("the target is closed")
        job = border.Job("replay", {"trace": text_of(trace), "thing": self._thing}, starts_processes=False)
        return Result._of(job.run())

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._end.alive:
            raise ValueError("the target is closed")
        return _opened_again, (type(self), self._open)

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ipafuzz.Target {self._request['target']}{'' if self._end.alive else ', closed'}>"


def _opened_again(cls: type[Target], opened: dict[str, Any]) -> Target:
    """A copy of a target, also one in another process, has processes of its own."""
    options = dict(opened)
    return cls(options.pop("target"), **options)


def request_of(target: str | os.PathLike[str] | Target) -> dict[str, Any]:
    """What functions do with an argument that is a target or its name."""
    if isinstance(target, Target):
        return target._request
    return _target_request(target, None, None, "fork", 5.0, 20.0, 2 << 30, 64 << 20)


def replay(trace: Trace | str, target: str | os.PathLike[str] | Target, **options: Any) -> Result:
    """Runs a trace on a target and judges the answers. A target that crashes, hangs or
    answers wrong makes findings, no exception. ``options`` are those of Target; a target
    that is named is opened for this trace and closed, which takes some milliseconds."""
    if isinstance(target, Target):
        if options:
            raise TypeError(f"an open target has its options already: {', '.join(options)}")
        return target.replay(trace)
    with Target(target, **options) as opened:
        return opened.replay(trace)


def minimize(trace: Trace | str, target: str | os.PathLike[str] | Target, *, key: str | None = None, any_failure: bool = False,
             lighter: bool = False, strategy: str = "own", seconds: float = 0, tests: int = 0, seed: int = 1, workers: int = 0,
             on_progress: Callable[[dict[str, Any]], object] | None = None, **options: Any) -> Reduced:
    """Makes a failing trace as small as it gets and keeps the failure: the one of
    ``key``, or the worst that the trace shows, or with ``any_failure`` any. ``lighter``
    allows the weight class of the key to fall. ``seconds`` and ``tests`` end the search
    early, 0 is no limit. ``workers`` processes work at it, 0 is one for every core; the
    result does not depend on it. ``on_progress`` is called now and then with a dict of
    "round", "pass", "tests" and "calls". ``options`` are those of Target.

    NotFailing when the trace does not fail so.
    """
    if isinstance(target, Target):
        if options:
            raise TypeError(f"an open target has its options already: {', '.join(options)}")
        request = request_of(target)
    else:
        defaults = {"model": None, "targets_file": None, "way": "fork", "cpu": 5.0, "wall": 20.0, "memory": 2 << 30, "output": 64 << 20}
        request = _target_request(target, **{**defaults, **options})
    if seconds < 0 or tests < 0 or workers < 0:
        raise ValueError("seconds, tests and workers are 0 or more")

    def hear(event: str, value: Any) -> None:
        if event == "progress" and on_progress is not None:
            on_progress(value)

    record = border.run("minimize", hear, **request, trace=text_of(trace), key=key or "", any_failure=any_failure, lighter=lighter,
                        strategy=strategy, seconds=seconds, tests=tests, seed=seed, workers=workers)
    return Reduced._of({**border.call("parse", text=record["trace"], file=""), "record": record})


def export(trace: Trace | str, to: str, *, target: str | os.PathLike[str] | Target | None = None, key: str | None = None,
           everything: bool = False, name: str | None = None) -> str:
    """Returns a trace as a program of its own that shows the failure ("c", "c++",
    "python", "java"), or in a file format ("wcnf", "cnf", "opb", ...); names() lists both.
    A program is for ``target``, or the one that the trace was made small for, and looks
    for the failure of ``key``, or the one that the trace was made small for, or with
    ``everything`` for all that is known to be right. ``name`` is its file."""
    if to not in {item["name"] for item in border.call("names")["languages"]}:
        return str(border.call("render", trace=text_of(trace), format=to))
    request: dict[str, Any] = {"trace": text_of(trace), "language": to, "key": key or "", "all": everything, "name": name or ""}
    if target is not None:
        request["target"] = request_of(target)
    return str(border.run("program", **request)["text"])


def export_c(trace: Trace | str, **options: Any) -> str:
    """Returns a trace as a C program of its own: export(trace, "c", ...)."""
    return export(trace, "c", **options)
