"""Traces and the formulas of PySAT."""
import pytest

import ipafuzz

formula = pytest.importorskip("pysat.formula")


def test_cnf():
    cnf = formula.CNF(from_clauses=[[1, -2], [2, 3], [-1]])
    trace = ipafuzz.Trace.from_pysat(cnf)
    assert trace.model == "ipasir" and ipafuzz.replay(trace, "ref").answers[3] == 10
    assert trace.to_pysat().clauses == cnf.clauses
    assert ipafuzz.replay(ipafuzz.Trace.from_pysat(formula.CNF(from_clauses=[[1], [-1]])), "ref").answers[2] == 20


def test_wcnf():
    wcnf = formula.WCNF()
    wcnf.append([1, 2])
    wcnf.append([-1], weight=3)
    wcnf.append([-2], weight=2**40)
    trace = ipafuzz.Trace.from_pysat(wcnf)
    assert trace.model == "ipamir" and "soft 1 3" in trace.calls and f"soft 2 {2**40}" in trace.calls
    answers = ipafuzz.replay(str(trace) + "obj\n", "ref").answers
    assert answers[-1] == 3
    back = trace.to_pysat()
    assert (back.hard, back.soft, back.wght) == (wcnf.hard, wcnf.soft, wcnf.wght)
    assert ipafuzz.Trace.from_pysat(back) == trace


def test_rc2_agrees():
    from pysat.examples.rc2 import RC2
    checked = 0
    for trace in ipafuzz.generate_many("wcnfuzz-tiny", schedule="one-shot", count=30, seed=5):
        try:
            wcnf = trace.to_pysat()
        except ipafuzz.UsageError:
            continue
        again = ipafuzz.Trace.from_pysat(wcnf)
        result = ipafuzz.replay(again, "ref")
        status = next(a for a, call in zip(result.answers, again.calls) if call == "solve")
        with RC2(wcnf) as rc2:
            assert (rc2.compute() is None) == (status == 20)
        checked += 1
    assert checked > 0


def test_what_does_not_fit():
    wcnf = formula.WCNF()
    wcnf.append([1], weight=0.5)
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.Trace.from_pysat(wcnf)
    with pytest.raises(TypeError):
        ipafuzz.Trace.from_pysat([[1, 2]])
    plus = formula.CNFPlus()
    plus.append([[1, 2], 1], is_atmost=True)
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.Trace.from_pysat(plus)
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.Trace("ipafuzz 1 ipasir\nadd 1 0\nsolve\nadd -1 0\nsolve\n").to_pysat()
