"""Conversion between traces and formulas of PySAT (python-sat), the only module that
needs it."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import errors
from .targets import export
from .traces import Trace


def trace_of(formula: Any) -> Trace:
    """Makes a trace of a CNF or a WCNF."""
    from pysat.formula import CNF, WCNF
    if getattr(formula, "atmosts", None) or getattr(formula, "atms", None):
        raise errors.UsageError("the formula has cardinality constraints, which a trace has not: "
                                "encode them in clauses")
    if isinstance(formula, CNF):
        return Trace.from_formula(f"p cnf {formula.nv} {len(formula.clauses)}\n" + _lines("", formula.clauses), "cnf")
    if not isinstance(formula, WCNF):
        raise TypeError(f"want a CNF or a WCNF of PySAT, got {type(formula).__name__}")
    lines = [_lines("h ", formula.hard)]
    for clause, weight in zip(formula.soft, formula.wght):
        if not 0 < weight < 2**64 or int(weight) != weight:
            raise errors.UsageError(f"a soft clause weighs {weight}; a trace has whole weights from 1 to 2^64-1")
        lines.append(_lines(f"{int(weight)} ", [clause]))
    return Trace.from_formula("".join(lines), "wcnf")


def formula_of(trace: Trace) -> Any:
    """Returns a trace with one solve as a CNF or a WCNF."""
    from pysat.formula import CNF, WCNF
    if trace.model == "ipamir":
        return WCNF(from_string=export(trace, "wcnf"))
    return CNF(from_string=export(trace, "cnf"))


def _lines(head: str, clauses: Iterable[Iterable[int]]) -> str:
    return "".join(head + " ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)
