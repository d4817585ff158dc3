"""Solvers in Python as targets."""
import os
import pathlib
import subprocess
import sys

import pytest

import ipafuzz
from ipafuzz import border

ROOT = pathlib.Path(__file__).resolve().parents[3]
RC2 = f"pipe:{sys.executable} {ROOT / 'examples/python/rc2.py'}"

HEAD = "import ipafuzz, os, sys, itertools\n"
# A small right solver, in IPASIR's words.
SMALL = HEAD + """
class Small:
    def __init__(self):
        self.clauses, self.assumed, self.last, self.true = [], [], [], set()
    def add(self, clause):
        self.clauses.append(clause)
    def assume(self, literal):
        self.assumed.append(literal)
    def solve(self):
        self.last, self.assumed = self.assumed, []
        self.true = self.search(self.clauses + [[a] for a in self.last], set())
        return self.true is not None
    def search(self, clauses, true):
        while True:
            clauses = [[l for l in c if -l not in true] for c in clauses if not true.intersection(c)]
            if not all(clauses):
                return None
            units = {c[0] for c in clauses if len(c) == 1}
            if not units:
                break
            true = true | units
            if any(-u in true for u in units):
                return None
        if not clauses:
            return true
        literal = clauses[0][0]
        found = self.search(clauses, true | {literal})
        return found if found is not None else self.search(clauses, true | {-literal})
    def val(self, literal):
        return True if literal in self.true else False if -literal in self.true else None
    def failed(self, literal):
        return literal in self.last
"""
# Its answers are truth values like numpy's: no bool, and as numbers 0 and 1.
NUMPY = """
class bool_:
    def __init__(self, is_true): self.is_true = bool(is_true)
    def __bool__(self): return self.is_true
    def __int__(self): return int(self.is_true)
class Numpy(Small):
    def solve(self): return bool_(Small.solve(self))
    def val(self, literal): return None if (value := Small.val(self, literal)) is None else bool_(value)
"""


def runner(tmp_path, text, *arguments):
    path = tmp_path / "runner.py"
    path.write_text(text)
    return " ".join(["pipe:" + sys.executable, str(path), *arguments])


def conform(spec, *arguments):
    """The protocol and the conformance suite."""
    said = subprocess.run([border.PROGRAM, "conform", "--pipe", spec.removeprefix("pipe:"), *arguments],
                          capture_output=True, timeout=300, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


def agrees(spec, model, count):
    """Nothing is wrong in some generated traces."""
    with ipafuzz.Target(spec, model=model, way="persistent") as target:
        for trace in ipafuzz.generate_many("tiny", count=count, seed=3, model=model, target=target):
            result = target.replay(trace)
            assert not result.findings, f"{result.log}\n{result.findings[0]}"


@pytest.mark.parametrize("how", ["Small", "Small()", "Small, fork=False", "Small(), fork=False",
                                 "lambda: Small(), renumber_above=5", "Odd(7)", "Numpy"])
def test_serve(tmp_path, how):
    odd = "class Odd(Small):\n    def __init__(self, argument):\n        super().__init__()\n"
    agrees(runner(tmp_path, f"{SMALL}\n{odd}{NUMPY}\nipafuzz.serve({how})\n"), "ipasir", 25)


def test_the_protocol_is_kept(tmp_path):
    conform(runner(tmp_path, SMALL + "\nipafuzz.serve(Small)\n"), "--model", "ipasir")


def test_rc2():
    conform(RC2)
    agrees(RC2, "ipamir", 40)
    result = ipafuzz.replay("ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsoft 2 5\nassume -1\nsolve\nobj\nval 1\nmodel\n",
                            RC2)
    assert result.answers[4:] == [30, 5, -1, [-1, 2]]


@pytest.mark.parametrize("change, fault", [
    ("def solve(self): raise ZeroDivisionError('as the test asked')", "1.6"),
    ("def solve(self): os.abort()", "1.1"),
    ("def solve(self): os._exit(3)", "1.6"),
    ("def solve(self): os._exit(0)", "1.6"),
    ("def solve(self): return False", "2.5"),
    ("def solve(self): return 77", "4.1"),
    ("def val(self, literal): return True", "5.2"),
])
def test_what_is_wrong_is_found(tmp_path, change, fault):
    spec = runner(tmp_path, SMALL + f"\nclass Wrong(Small):\n    {change}\nipafuzz.serve(Wrong)\n")
    result = ipafuzz.replay("ipafuzz 1 ipasir\nadd 1 2 0\nadd -1 0\nsolve\nval 1\nval -1\nval 2\nmodel\n", spec,
                            model="ipasir")
    assert [f.fault[0] for f in result.findings][:1] == [fault[0]], result.findings
    if "ZeroDivisionError" in change:
        assert "as the test asked" in result.stderr


def test_callbacks_and_options(tmp_path):
    spec = runner(tmp_path, SMALL + """
class Polite(Small):
    signature = "Polite 1"
    stop = limit = None
    def option(self, name, value):
        return name == "speed" and value == "fast"
    def terminate(self, callback):
        self.stop = callback
    def learn(self, callback, length):
        self.tell = callback
    def solve(self):
        print("this goes to stderr")
        if self.stop and (self.stop() or self.stop()):
            return None
        if self.tell:
            self.tell([9000])
        return super().solve()
    tell = None
ipafuzz.serve(Polite, renumber_above=100, describe="option speed choice slow|fast slow when=start")
""")
    result = ipafuzz.replay("ipafuzz 1 ipasir\noption speed fast\nadd 9000 0\nterminate 2\nsignature\nsolve\n"
                            "terminate off\nlearn 3\nsolve\nval 9000\n",
                            spec, model="ipasir")
    assert result.answers == [0, None, None, "Polite 1", 0, None, None, 10, 9000]
    assert "polls=2" in result.log and "learned=1" in result.log and not result.findings


def test_callbacks_of_another_instance(tmp_path):
    """A solve that calls a callback of another instance says so, but not if it does that in a thread of its own. A
    callback that was taken away still counts its calls."""
    spec = runner(tmp_path, SMALL + """
import threading
given = {}  # by what it is for
class Crossed(Small):
    def terminate(self, callback):
        given.setdefault("terminate", []).append(callback)
    def learn(self, callback, length):
        given.setdefault("learn", []).append(callback)
    def solve(self):
        answer = super().solve()
        number = len(self.clauses)  # which of the callbacks to call, and how
        if number == 1:
            given["terminate"][0]()
        elif number == 2:
            given["learn"][0]([1])
        elif number == 3:
            thread = threading.Thread(target=given["terminate"][0])
            thread.start()
            thread.join()
        return answer
ipafuzz.serve(Crossed)
""")
    def solves(first, clauses):
        """The lines of the log about solves of an instance with so many clauses, after the first calls."""
        result = ipafuzz.replay("ipafuzz 2 ipasir\n@1 init\n@2 init\n" + first + "@1 add 1 2 0\n" * clauses +
                                "@1 solve\n@2 solve\n", spec, model="ipasir")
        return [line for line in result.log.splitlines() if " solve" in line], [f.key for f in result.findings]
    for first, clauses, said in (("@2 terminate 0\n", 1, "others-polls"), ("@2 learn 3\n", 2, "others-learned"),
                                 ("@1 terminate 0\n", 1, None), ("@1 learn 3\n", 2, None),
                                 ("@2 terminate 0\n", 3, None)):
        lines, findings = solves(first, clauses)
        assert len(lines) == 2 and [word for word in ("others-polls", "others-learned") if word in lines[0]] == \
            ([said] if said else []) and "others" not in lines[1], lines
        assert any("calls a callback of another instance" in key for key in findings) == bool(said), findings
    lines, findings = solves("@1 terminate 1\n@1 terminate off\n", 1)
    assert "polls=1" in lines[0] and any("taken away" in key for key in findings), (lines, findings)


def test_pysat_solvers_as_they_are(tmp_path):
    spec = runner(tmp_path, HEAD + "from pysat.solvers import Solver\n"
                  "ipafuzz.serve(lambda: Solver(name='g4'), signature='g4')\n")
    agrees(spec, "ipasir", 25)


def test_what_is_no_solver(tmp_path):
    for wrong in ("object", "Small.solve", "7"):
        with pytest.raises(ipafuzz.TargetError):
            ipafuzz.replay("ipafuzz 1 ipasir\nadd 1 0\nsolve\n",
                           runner(tmp_path, SMALL + f"\nipafuzz.serve({wrong})\n"), model="ipasir")


def test_serving_loads_nothing_else(tmp_path):
    """A runner starts fast, and forks: it must not load what calls into Go."""
    spec = runner(tmp_path, SMALL + "\nassert ipafuzz.border._owner is None and 'ipafuzz._border' not in sys.modules\n"
                  "ipafuzz.serve(Small)\n")
    assert ipafuzz.replay("ipafuzz 1 ipasir\nadd 1 0\nsolve\n", spec, model="ipasir").answers[-1] == 10
    assert os.path.exists(border.PROGRAM)
