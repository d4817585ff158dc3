#!/usr/bin/env python3
"""Runs HiGHS or SCIP on a file in MPS or LP and writes what cbc would write of it.

    program.py highs|scip FILE OUT
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bindings/python/ipafuzz"))

import blame  # noqa: E402


def highs(path):
    import highspy
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    if solver.readModel(path) == highspy.HighsStatus.kError:
        sys.exit("HiGHS cannot read the file")
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty):
        sys.exit(f"HiGHS says {status}")
    names = [solver.getColName(column)[1] for column in range(solver.getNumCol())]
    return solver.getInfo().objective_function_value, list(zip(names, solver.getSolution().col_value))


def scip(path):
    from pyscipopt import Model
    model = Model()
    model.hideOutput()
    model.readProblem(path)
    model.optimize()
    if model.getStatus() == "infeasible":
        return None
    if model.getStatus() != "optimal":
        sys.exit(f"SCIP says {model.getStatus()}")
    return model.getObjVal(), [(x.name, model.getVal(x)) for x in model.getVars()]


def main():
    solver, path, out = sys.argv[1:]
    answer = {"highs": highs, "scip": scip}[solver](path)
    with open(out, "w") as file:
        if answer is None:
            print("Infeasible - objective value 0", file=file)
            return
        print(f"Optimal - objective value {answer[0]:.8f}", file=file)
        for index, (name, value) in enumerate(answer[1]):
            print(index, name, round(value), 0, file=file)


try:
    main()
except Exception as thrown:
    if blame.is_ours(thrown, (__file__,)):
        blame.end(thrown)
    raise
