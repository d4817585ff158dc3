#!/usr/bin/env python3
"""PySAT's RC2 as a target. With the packages ipafuzz and python-sat:

    ipafuzz fuzz --target "pipe:python3 examples/python/rc2.py"
"""
import ipafuzz
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF


class Solver:
    def __init__(self):
        self.hards, self.weights, self.solution = [], {}, None

    def add(self, clause):
        self.hards.append(clause)

    def soft(self, literal, weight):  # PySAT names the literal that ought to be true
        self.weights[-literal] = weight

    def solve(self, assumptions):  # RC2 has none: every solve is a new one
        self.solution, self.cost = None, 0
        if sum(self.weights.values()) >= 2**64:
            return 40  # an objective value might not fit
        formula = WCNF()
        for clause in self.hards + [[a] for a in assumptions]:
            if not clause:
                return False  # WCNF has no place for an empty clause
            formula.append(clause)
        for literal, weight in self.weights.items():
            if weight > 0:
                formula.append([literal], weight=weight)
        with RC2(formula) as rc2:
            self.solution, self.cost = rc2.compute(), rc2.cost
        return self.solution is not None

    def model(self):
        return self.solution

    def obj(self):
        return self.cost


if __name__ == "__main__":
    ipafuzz.serve(Solver, renumber_above=5000)  # its tables are as long as the highest variable
