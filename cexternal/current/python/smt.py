#!/usr/bin/env python3
"""Runs cvc5's Python package on a file in SMT-LIB, as the program cvc5 would.

    smt.py FILE [OPTION=VALUE...]
"""
import os
import sys

import cvc5

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bindings/python/ipafuzz"))

import blame  # noqa: E402


def main():
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    for option in sys.argv[2:]:
        solver.setOption(*option.split("=", 1))
    symbols = cvc5.SymbolManager(terms)
    parser = cvc5.InputParser(solver, symbols)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return
        print(command.invoke(solver, symbols), end="", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as thrown:
        if blame.is_ours(thrown, (__file__,)):
            blame.end(thrown)
        raise
