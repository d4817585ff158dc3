"""Running traces on targets."""
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
    """A failure of a target."""

    key: str  #: names the failure: target, class and details (docs/classes.md)
    fault: str  #: the class, such as "2.1"
    name: str  #: the name of the class
    call: int  #: which call showed it, counted from 1
    check: str  #: which check found it
    detail: str
    observed: str
    expected: str
    known_by: str  #: how the correct answer is known
    voted: bool = False  #: known from other targets only

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Finding:
        return cls(record["key"], record["class"], record["class_name"], record["call"], record["check"],
                   record["detail"], record["observed"], record["expected"], record["known_by"],
                   record.get("voted", False))

    def __str__(self) -> str:
        return f"{self.key}: observed {self.observed}, expected {self.expected}"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a trace on a target."""

    target: str
    model: str
    #: for every call a number, a list of literals (model, core), a str (signature), or
    #: None: the call has no answer, was not made, or did not return
    answers: list[int | list[int] | str | None] = field(repr=False)
    findings: tuple[Finding, ...]  #: the worst first
    end: str  #: "finished", or why the run ended early
    end_call: int | None  #: the call, counted from 1, in which it ended early
    signal: int | None  #: that killed the process
    stderr: str = field(repr=False)  #: output of the target
    log: str = field(repr=False)  #: the trace with all answers
    mismatches: tuple[dict[str, Any], ...]  #: answers other than those of the trace
    slow: tuple[str, ...]  #: reasons why an exceeded time limit is not a finding

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Result:
        return cls(record["target"], record["model"], record["answers"], tuple(map(Finding._of, record["findings"])),
                   record["end"], record.get("end_call"), record.get("signal"), record.get("stderr", ""), record["log"],
                   tuple(record.get("mismatches") or ()), tuple(record.get("slow") or ()))


class Reduced(Trace):
    """A reduced trace, which names the answers that are known to be right."""

    __slots__ = ("key", "is_minimal", "tests", "seconds", "failed", "runs", "calls_before", "others")

    def _take(self, value: dict[str, Any]) -> None:
        super()._take(value)
        record = value["record"]
        self.key: str = record["key"]  #: of its failure
        self.is_minimal: bool = record["is_minimal"]  #: no call, literal or variable can be removed
        self.tests: int = record["tests"]  #: number of traces tested
        self.seconds: float = record["seconds"]
        self.failed: int = record["confirmed"]["failed"]  #: in how many of the ``runs`` fresh processes it failed
        self.runs: int = record["confirmed"]["runs"]
        self.calls_before: int = record["calls_before"]
        #: keys of other failures seen during the reduction
        self.others: tuple[str, ...] = tuple(other["key"] for other in record.get("other_failures") or ())

    def _state(self) -> dict[str, Any]:
        record = {"key": self.key, "is_minimal": self.is_minimal, "tests": self.tests, "seconds": self.seconds,
                  "confirmed": {"failed": self.failed, "runs": self.runs}, "calls_before": self.calls_before,
                  "other_failures": [{"key": key} for key in self.others]}
        return {**super()._state(), "record": record}


def _target_request(spec: str | os.PathLike[str], model: str | None, targets_file: str | os.PathLike[str] | None,
                    way: str, cpu: float, wall: float, memory: int, output: int,
                    contain: bool = True) -> dict[str, Any]:
    return {"target": os.fspath(spec), "model": model or "",
            "targets_file": os.fspath(targets_file) if targets_file else "",
            "way": way, "cpu": cpu, "wall": wall, "memory": memory, "output": output,
            "contain": contain}


class Target:
    """A library under test, with limits for each trace. ``spec`` is a shared library, a
    directory, ``ref``, ``pipe:COMMAND``, or a name of the targets file (docs/targets.md).

    An open target keeps its process, so many traces run fast, but it does not notice that
    a library was rebuilt. Threads may share it; it runs one trace at a time.

    >>> with Target("ref:defect=17") as target:
    ...     results = [replay(trace, target) for trace in generate_many("tiny", count=100)]
    """

    def __init__(self, spec: str | os.PathLike[str], *, model: str | None = None,
                 targets_file: str | os.PathLike[str] | None = None,
                 way: str = "fork", cpu: float = 5.0, wall: float = 20.0, memory: int = 2 << 30, output: int = 64 << 20,
                 conflicts: int = 200_000, exact: bool = False, contain: bool = True):
        """``cpu`` and ``wall`` are seconds per trace, ``memory`` and ``output`` bytes; 0 is
        no limit. ``way`` is "fork" (a process per trace) or "persistent" (many traces per
        process). ``conflicts`` limits the reference solver when it proves the correct answer
        of a solve. ``contain`` keeps the target to its own files and processes, as the command
        line does (docs/targets.md). ``exact`` compares all answers in the trace, also recorded
        ones, and not only those that every correct solver gives."""
        self._request = _target_request(spec, model, targets_file, way, cpu, wall, memory, output, contain)
        self._open = {**self._request, "conflicts": conflicts, "exact": exact}
        self._thing: int = border.run("target.open", **self._open)
        self._end = weakref.finalize(self, border.close, self._thing)

    def replay(self, trace: Trace | str) -> Result:
        """Runs a trace like the function replay()."""
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
    """Opens a copy of a target, with its own processes, possibly in another process."""
    options = dict(opened)
    return cls(options.pop("target"), **options)


def request_of(target: str | os.PathLike[str] | Target) -> dict[str, Any]:
    """Returns the request for an argument that is a target or its name."""
    if isinstance(target, Target):
        return target._request
    return _target_request(target, None, None, "fork", 5.0, 20.0, 2 << 30, 64 << 20)


def replay(trace: Trace | str, target: str | os.PathLike[str] | Target, **options: Any) -> Result:
    """Runs a trace on a target and judges the answers. A target that crashes, hangs or
    gives wrong answers causes findings, not exceptions. ``options`` are those of Target. A
    target given by name is opened for this trace only, which takes some milliseconds."""
    if isinstance(target, Target):
        if options:
            raise TypeError(f"an open target has its options already: {', '.join(options)}")
        return target.replay(trace)
    with Target(target, **options) as opened:
        return opened.replay(trace)


def minimize(trace: Trace | str, target: str | os.PathLike[str] | Target, *, key: str | None = None,
             any_failure: bool = False, keep_class: bool = False, strategy: str = "own", seconds: float = 0,
             tests: int = 0, seed: int = 1, workers: int = 0,
             on_progress: Callable[[dict[str, Any]], object] | None = None, **options: Any) -> Reduced:
    """Reduces a failing trace to a minimal one that shows the same failure: that of ``key``,
    or the worst of the trace, or with ``any_failure`` any failure. The weight class of
    the key may decrease, unless ``keep_class``. ``seconds`` and ``tests`` end the reduction early;
    0 is no limit. ``workers`` is the number of processes, 0 for one per core; the result
    does not depend on it. ``on_progress`` is called with a dict of "round", "pass", "tests"
    and "calls". ``options`` are those of Target.

    Raises NotFailing if the trace does not show the failure.
    """
    if isinstance(target, Target):
        if options:
            raise TypeError(f"an open target has its options already: {', '.join(options)}")
        request = request_of(target)
    else:
        defaults = {"model": None, "targets_file": None, "way": "fork", "cpu": 5.0, "wall": 20.0, "memory": 2 << 30,
                    "output": 64 << 20}
        request = _target_request(target, **{**defaults, **options})
    if seconds < 0 or tests < 0 or workers < 0:
        raise ValueError("seconds, tests and workers are 0 or more")

    def hear(event: str, value: Any) -> None:
        if event == "progress" and on_progress is not None:
            on_progress(value)

    record = border.run("minimize", hear, **request, trace=text_of(trace), key=key or "", any_failure=any_failure,
                        keep_class=keep_class, strategy=strategy, seconds=seconds, tests=tests, seed=seed,
                        workers=workers)
    return Reduced._of({**border.call("parse", text=record["trace"], file=""), "record": record})


def export(trace: Trace | str, to: str, *, target: str | os.PathLike[str] | Target | None = None,
           key: str | None = None, everything: bool = False, name: str | None = None) -> str:
    """Returns a trace as a standalone program that shows the failure ("c", "c++", "python",
    "java", "qdpll"), or in a file format ("wcnf", "cnf", "opb", ...); names() lists both. A program
    is for ``target``, by default the one for which the trace was reduced, and checks for the
    failure of ``key``, by default the one of the reduction, or with ``everything`` for all
    correct answers. ``name`` is its file."""
    if to not in {item["name"] for item in border.call("names")["languages"]}:
        return str(border.call("render", trace=text_of(trace), format=to))
    request: dict[str, Any] = {"trace": text_of(trace), "language": to, "key": key or "", "all": everything,
                               "name": name or ""}
    if target is not None:
        request["target"] = request_of(target)
    return str(border.run("program", **request)["text"])


def export_c(trace: Trace | str, **options: Any) -> str:
    """Returns a trace as a standalone C program: export(trace, "c", ...)."""
    return export(trace, "c", **options)
