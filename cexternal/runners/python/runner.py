#!/usr/bin/env python3
"""Serves solvers that have a Python interface to ipafuzz (docs/protocol.md).

    runner.py SOLVER        one of solvers.NAMES

The work is done by the package ipafuzz: bindings/python/ipafuzz/runner.py.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bindings/python"))

from ipafuzz.runner import serve  # noqa: E402

import solvers  # noqa: E402

# Higher variables get the next free numbers, because tables grow with the highest
# variable.
MOST_AS_THEY_ARE = 5000


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in solvers.NAMES:
        sys.exit("usage: runner.py " + "|".join(solvers.NAMES))
    name = sys.argv[1]
    serve(lambda: solvers.make(name), signature=solvers.signature(name), describe=solvers.describe(name),
          renumber_above=MOST_AS_THEY_ARE, glue=(__file__, solvers.__file__))


main()
