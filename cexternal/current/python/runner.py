#!/usr/bin/env python3
"""Serves current solvers that have a Python interface to ipafuzz (docs/protocol.md).

    runner.py SOLVER        one of solvers.NAMES

The work is done by the package ipafuzz: bindings/python/ipafuzz/runner.py.
"""
import glob
import importlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bindings/python"))

from ipafuzz.runner import serve  # noqa: E402

import solvers  # noqa: E402


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in solvers.NAMES:
        sys.exit("usage: runner.py " + "|".join(solvers.NAMES))
    served = solvers.NAMES[sys.argv[1]]
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads cannot fork
    importlib.import_module(served.module)
    serve(served, signature=served.signature(), describe=served.describe(), renumber_above=5000,
          glue=glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.py")))


main()
