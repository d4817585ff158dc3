#!/usr/bin/env python3
"""A runner for ipafuzz (docs/protocol.md) with a small solver of its own.

To test a solver with a Python interface, replace class Solver by it.
Try:  ipafuzz conform --pipe "python3 examples/python/runner.py"
"""
import os
import sys


class Solver:
    """Branch and bound with unit propagation: correct and slow."""

    def __init__(self):
        self.clauses, self.open, self.weights = [], [], {}
        self.variables = {}  # in the order of their first use, for model
        self.assumptions, self.assumed = [], []
        self.true, self.cost = set(), None

    def add(self, literals):
        for literal in literals:
            if literal:
                self.open.append(literal)
            else:
                self.clauses.append(self.open)
                self.open = []

    def solve(self):
        self.assumed, self.assumptions = self.assumptions, []
        self.true, self.cost = set(), None
        if all(self.clauses):  # no empty clause
            self.search(self.clauses + [[a] for a in self.assumed], set(), 0)
        return self.cost is not None

    def search(self, clauses, true, cost):
        """Searches for a solution that costs less than the best one."""
        while True:
            if self.cost is not None and cost >= self.cost:
                return
            units = {c[0] for c in clauses if len(c) == 1}
            if not units:
                break
            if any(-u in units for u in units):
                return
            clauses = self.under(clauses, units)
            if clauses is None:
                return
            true = true | units
            cost += sum(self.weights.get(u, 0) for u in units)
        if clauses:
            literal = min(clauses[0], key=lambda l: self.weights.get(l, 0))
            self.search(clauses + [[literal]], true, cost)
            self.search(clauses + [[-literal]], true, cost)
            return
        free = {abs(l) for l in self.weights if l not in true and -l not in true}
        cheap = {min(v, -v, key=lambda l: self.weights.get(l, 0)) for v in free}
        cost += sum(self.weights.get(l, 0) for l in cheap)
        if self.cost is None or cost < self.cost:
            self.true, self.cost = true | cheap, cost

    @staticmethod
    def under(clauses, true):
        """What is left of the clauses, None when one of them is empty."""
        left = []
        for clause in clauses:
            if not any(l in true for l in clause):
                clause = [l for l in clause if -l not in true]
                if not clause:
                    return None
                left.append(clause)
        return left

    def value(self, literal):
        return literal if literal in self.true else -literal if -literal in self.true else 0


def answer(solvers, weighted, name, instance, words):
    """Makes one call and returns what stands behind '='."""
    if name == "init":
        solvers[instance] = Solver()
        return ""
    if name == "signature":
        return '"runner.py 1.0"'
    solver = solvers[instance]
    if name in ("add", "hard", "soft", "assume", "val", "failed"):
        numbers = [int(w) for w in words]
        for literal in numbers[:1] if name == "soft" else numbers:
            if literal:
                solver.variables.setdefault(abs(literal))
    if name == "release":
        del solvers[instance]
    elif name in ("add", "hard"):
        solver.add(numbers)
    elif name == "soft":
        solver.weights[numbers[0]] = numbers[1]
    elif name == "assume":
        solver.assumptions.append(numbers[0])
    elif name == "solve":
        if sum(solver.weights.values()) >= 2**64:
            return "40"  # an objective value might not fit
        return ("30" if weighted else "10") if solver.solve() else "20"
    elif name == "obj":
        return str(solver.cost)
    elif name == "val":
        return str(solver.value(numbers[0]))
    elif name == "model":
        return " ".join(str(solver.value(v)) for v in solver.variables if solver.value(v))
    elif name == "failed":  # all assumptions together are to blame, if not the clauses
        return "1" if numbers[0] in solver.assumed else "0"
    elif name == "core":
        return " ".join(map(str, solver.assumed))
    else:
        return "?"
    return ""


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a solver prints is no answer
    print("ipafuzz-runner 1", "model ipasir", "model ipamir", "signature runner.py 1.0",
          "lacks options", "lacks havoc", "lacks terminate", "lacks learn", "ready", sep="\n", file=answers,
          flush=True)
    solvers, weighted = {}, False
    for line in sys.stdin:
        words = line.split()
        if words[0] == "ipafuzz":  # the first line of a trace
            solvers, weighted = {}, words[2] == "ipamir"
            print("=", file=answers, flush=True)
        elif words[0] == "end":
            print("end", file=answers, flush=True)
        else:
            instance = words.pop(0) if words[0][0] == "@" else ""
            print(("= " + answer(solvers, weighted, words[0], instance, words[1:])).rstrip(), file=answers, flush=True)


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    main()
