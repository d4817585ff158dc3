"""Campaigns: runs that generate traces and find failures."""
from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from . import border
from .generators import avoided
from .targets import Finding
from .traces import Trace


@dataclass(frozen=True, slots=True)
class Found(Finding):
    """A finding of a campaign, confirmed and reduced."""

    target: str = ""  #: the name of the target
    number: int = 0  #: of the trace that showed it first
    seed: int = 0  #: of that trace
    hits: int = 0  #: how many traces showed it
    after: int = 0  #: number of traces before it
    certified: bool = False  #: a checked proof exists for the correct answer
    directory: str | None = None  #: its directory
    command: str | None = field(default=None, repr=False)  #: a command that replays it
    program: str | None = field(default=None, repr=False)  #: a C program that shows it
    cause: str = ""  #: what the minimal trace needs to fail (docs/causes.md); empty: unknown
    sentence: str = ""  #: says the cause in plain English
    group: str = ""  #: the name of its Fault, when the campaign has ended
    minimal_text: str = field(default="", repr=False)
    original_text: str = field(default="", repr=False)

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Found:
        return cls(record["key"], record["class"], record["class_name"], record["call"], record["check"],
                   record["detail"], record["observed"], record["expected"], record["known_by"],
                   record.get("voted", False),
                   target=record["target"], number=record["number"], seed=int(record["seed"], 16), hits=record["hits"],
                   after=record["after_traces"], certified=record["certified"], directory=record.get("directory"),
                   command=record.get("replay"), program=record.get("program"), cause=record.get("cause", ""),
                   sentence=record.get("sentence", ""), group=record.get("fault", ""),
                   minimal_text=record.get("minimal", ""), original_text=record.get("original", ""))

    @property
    def trace(self) -> Trace:
        """The minimal trace."""
        return Trace(self.minimal_text)

    @property
    def original(self) -> Trace:
        """The trace that showed it first."""
        return Trace(self.original_text)


@dataclass(frozen=True, slots=True)
class Fault:
    """Findings of a target with one cause: one thing to fix."""

    name: str
    target: str
    cause: str  #: what the simplest finding needs to fail; empty: unknown
    sentence: str  #: says the cause in plain English
    location: str  #: where it crashes; empty if it does not, or if that is unknown
    hits: int  #: how often its findings were seen, added up
    findings: tuple[Found, ...] = field(repr=False)
    possibly: tuple[str, ...] = ()  #: names of faults that may be the same
    open: bool = False  #: there was no time to tell its cause, so it may be one of the other faults
    under: str = ""  #: name of the fault in possibly under which summaries list this one

    @classmethod
    def _of(cls, record: dict[str, Any], found: Iterable[Found]) -> Fault:
        return cls(record["name"], record["target"], record["cause"], record["sentence"], record.get("location", ""),
                   record["hits"],
                   tuple(f for f in found if (f.group, f.target) == (record["name"], record["target"])),
                   tuple(record.get("possibly_the_same", ())), record.get("open", False),
                   record.get("under", ""))


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a campaign."""

    seed: int
    stats: dict[str, Any] = field(repr=False)  #: counters; "cells" has those of each target and profile
    faults: tuple[Fault, ...]  #: the worst first
    findings: tuple[Found, ...]
    disputed: int  #: answers in which targets differ while no proof decides
    record: dict[str, Any] = field(repr=False)  #: the record that ``ipafuzz fuzz --json`` prints


class Campaign:
    """Generates traces, runs them on targets, judges every answer, and confirms, reduces and
    stores findings in the directory ``out``.

    Each of ``targets`` is fuzzed with each of ``profiles`` (or families); the rivals of
    ``against`` run the same traces for comparison. The campaign ends after ``seconds``,
    ``traces`` or ``findings``, whichever comes first; 0 is no limit. ``resume`` continues
    the campaign of the directory, if there is one. ``shard`` ``of`` is a part of a campaign
    that several machines share. ``keep_traces`` keeps every trace in archives below
    ``out/archive``; traces of findings are always kept. ``on_finding`` is called with a
    Found for every new finding, ``on_progress`` with a dict of counters a few times a
    second, both in the thread of run(). An exception that they raise ends the campaign and
    is raised by run(). ``fail_allocations`` makes an allocation of the library fail in every
    trace, and ``threads`` runs the solvers of a trace in threads of their own
    (docs/threads-and-memory.md). ``way`` is "persistent", or "fork" with ``threads``. The
    other arguments are those of Target and generate().

    >>> with Campaign("out", targets=["ref:defect=17"], seconds=5, on_finding=print) as c:
    ...     summary = c.run()
    """

    def __init__(self, out: str | os.PathLike[str] | None, targets: Iterable[str | os.PathLike[str]], *,
                 against: Iterable[str | os.PathLike[str]] = (), profiles: Iterable[str] = (), seconds: float = 0,
                 traces: int = 0, findings: int = 0, seed: int | None = None, shard: int = 0, of: int = 0,
                 resume: bool = False, keep_traces: bool = False, workers: int = 0,
                 on_finding: Callable[[Found], object] | None = None,
                 on_progress: Callable[[dict[str, Any]], object] | None = None,
                 way: str | None = None, model: str | None = None, targets_file: str | os.PathLike[str] | None = None,
                 cpu: float = 5.0, wall: float = 20.0, memory: int = 2 << 30, output: int = 64 << 20,
                 factor: float = 100, fair: bool = False, others: bool = True, schedule: str | None = None,
                 avoid: Iterable[str] = (), fail_allocations: bool = False, threads: bool = False,
                 contain: bool = True, max_vars: int = 0, max_calls: int = 0, max_weight: int = 0, max_sum: int = 0,
                 without: Iterable[str] = ()):
        def several(names: Iterable[Any]) -> list[str]:
            return [os.fspath(name) for name in ([names] if isinstance(names, (str, os.PathLike)) else names)]

        self._request: dict[str, Any] = {
            "out": os.fspath(out) if out is not None else "", "targets": several(targets), "against": several(against),
            "profiles": several(profiles), "seconds": seconds, "traces": traces, "findings": findings, "shard": shard,
            "of": of, "resume": resume, "keep_traces": keep_traces, "workers": workers,
            "way": way or ("fork" if threads else "persistent"),
            "model": model or "",
            "targets_file": os.fspath(targets_file) if targets_file else "",
            "cpu": cpu, "wall": wall, "memory": memory, "output": output, "factor": factor, "fair": fair,
            "others": others, "schedule": schedule or "", "avoid": avoided(avoid, without), "program": border.PROGRAM,
            "fail_allocations": fail_allocations, "threads": threads, "contain": contain,
            "bounds": {"max_vars": max_vars, "max_calls": max_calls, "max_weight": max_weight, "max_sum": max_sum}}
        if seed is not None:
            self._request["seed"] = seed
        self._on_finding, self._on_progress = on_finding, on_progress
        self._job: border.Job | None = None
        self._lock = threading.RLock()  # a signal handler may call stop()
        self._stopped = False
        self.findings: list[Found] = []  #: so far
        self.stats: dict[str, Any] = {}  #: so far

    def run(self) -> Summary:
        """Runs to the end. Ctrl-C raises KeyboardInterrupt within a second; findings so far
        are in ``findings`` and in the directory, failures in confirmation may be lost."""
        with self._lock:
            if self._job is not None:
                raise ValueError("a campaign runs once; make another one, in the same directory if it is to go on")
            self._job = border.Job("fuzz", self._request)
            if self._stopped:
                self._job.cancel()
        record = self._job.run(self._hear)
        final = [Found._of(entry) for entry in record["findings"]]
        self.findings, self.stats = final, record["stats"]
        faults = tuple(Fault._of(entry, final) for entry in record["faults"])
        return Summary(int(record["seed"], 16), record["stats"], faults, tuple(final), record.get("disputed", 0),
                       record)

    def _hear(self, event: str, value: Any) -> None:
        if event == "finding":
            found = Found._of(value)
            self.findings.append(found)
            if self._on_finding is not None:
                self._on_finding(found)
        elif event == "progress":
            self.stats = value
            if self._on_progress is not None:
                self._on_progress(value)

    def stop(self) -> None:
        """Ends the campaign early, from a callback or another thread: run() returns within
        seconds, when failures in confirmation are settled."""
        with self._lock:
            self._stopped = True
            if self._job is not None:
                self._job.cancel()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<ipafuzz.Campaign of {', '.join(self._request['targets'])}>"
