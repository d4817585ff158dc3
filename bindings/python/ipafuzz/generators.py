"""Generating traces."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

from . import border
from .targets import Target, request_of
from .traces import Trace, text_of

_BATCH = 64


def avoided(avoid: Iterable[str], without: Iterable[str]) -> list[str]:
    """The features to avoid; callers of earlier versions name them ``without``."""
    return [name for names in (avoid, without) for name in ([names] if isinstance(names, str) else names)]


def _request(name: str, seed: int, shard: int, number: int, family: str | None, schedule: str | None,
             avoid: list[str], plant: Trace | str | None, model: str | None, max_vars: int, max_calls: int,
             max_weight: int, max_sum: int, fail_allocations: bool, threads: bool) -> dict[str, Any]:
    return {"name": name, "seed": seed, "shard": shard, "number": number, "family": family or "",
            "schedule": schedule or "", "avoid": avoid,
            "plant": "" if plant is None else text_of(plant),
            "model": model or "", "max_vars": max_vars, "max_calls": max_calls, "max_weight": max_weight,
            "max_sum": max_sum, "fail_allocations": fail_allocations, "threads": threads}


def generate(name: str = "mixed", *, seed: int = 1, number: int = 0, shard: int = 0, family: str | None = None,
             schedule: str | None = None, avoid: Iterable[str] = (), plant: Trace | str | None = None,
             model: str | None = None, target: str | Target | None = None, max_vars: int = 0, max_calls: int = 0,
             max_weight: int = 0, max_sum: int = 0, fail_allocations: bool = False,
             threads: bool = False, without: Iterable[str] = ()) -> Trace:
    """Generates one trace. ``name`` is a profile or a formula family (docs/generators.md;
    names() lists them). The same arguments always give the same trace, which is that of
    ``ipafuzz gen --seed SEED --shard SHARD --number NUMBER``.

    With ``target``, traces use the options of the target and no capability that it lacks.
    Traces have none of the features ``avoid`` (``without`` is its old name). A bound of 0 is that of the profile. With
    ``fail_allocations`` a trace makes one allocation of the library fail, and with ``threads``
    its solvers run in threads of their own (docs/judging.md).
    """
    request = _request(name, seed, shard, number, family, schedule, avoided(avoid, without), plant, model, max_vars,
                       max_calls, max_weight, max_sum, fail_allocations, threads)
    if target is None:
        return Trace._of(border.call("generate", **request))
    return next(_generated({**request, "target": request_of(target)}, 1))


def generate_many(name: str = "mixed", *, count: int | None = None, seed: int = 1, number: int = 0, shard: int = 0,
                  family: str | None = None, schedule: str | None = None, avoid: Iterable[str] = (),
                  plant: Trace | str | None = None, model: str | None = None, target: str | Target | None = None,
                  max_vars: int = 0, max_calls: int = 0, max_weight: int = 0, max_sum: int = 0,
                  fail_allocations: bool = False, threads: bool = False,
                  without: Iterable[str] = ()) -> Iterator[Trace]:
    """Generates the traces that generate() returns for ``number``, ``number + 1`` and so on:
    ``count`` of them, or endlessly."""
    if count is not None and operator.index(count) < 0:
        raise ValueError(f"count is 0 or more, got {count}")
    request = _request(name, seed, shard, number, family, schedule, avoided(avoid, without), plant, model, max_vars,
                       max_calls, max_weight, max_sum, fail_allocations, threads)
    if target is not None:
        request["target"] = request_of(target)
    return _generated(request, count)


def _generated(request: dict[str, Any], count: int | None) -> Iterator[Trace]:
    thing = border.run("generator.open", **request)
    try:
        made = 0
        while count is None or made < count:
            batch = min(_BATCH, 1 + made) if count is None else min(_BATCH, count - made)
            for value in border.call("generator.next", thing=thing, count=batch):
                yield Trace._of(value)
            made += batch
    finally:
        border.close(thing)


def stats(family: str, *, count: int = 1000, seed: int = 1) -> dict[str, Any]:
    """Returns the properties of ``count`` formulas of a family that ``ipafuzz gen --stats``
    prints: counts, and the minimum, maximum and mean of numbers (``clauses_min``,
    ``clauses_max``, ``clauses_mean``). Use it as a row of a table:
    ``pandas.DataFrame([ipafuzz.stats(f) for f in families])``.
    """
    value = border.run("stats", family=family, count=count, seed=seed)
    row: dict[str, Any] = {}
    for name, entry in value.items():
        if isinstance(entry, dict):
            row[f"{name}_min"], row[f"{name}_max"] = entry["min"], entry["max"]
            row[f"{name}_mean"] = entry["sum"] / value["instances"] if value["instances"] else None
        else:
            row[name] = entry
    return row


def names() -> dict[str, dict[str, str]]:
    """Returns the names that functions accept and their meaning: "profiles", "families",
    "schedules", the same for quantified formulas as "qbf profiles", "qbf families" and
    "qbf schedules", then "models", "languages" and "formats"."""
    return {kind: {item["name"]: item.get("doc", "") for item in items} for kind, items in border.call("names").items()}
