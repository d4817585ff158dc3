"""A solver that reads a WCNF of 2022 or a CNF and tries all assignments. Its mode says what it leaves out.

It stands for programs whose answers cannot be checked completely.
"""
import itertools
import sys

mode, path, proof = sys.argv[1], sys.argv[2], (sys.argv + [""])[3]
hard, soft = [], []
for line in open(path):
    words = line.split()
    if not words or words[0] in ("c", "p"):
        continue
    literals = [int(word) for word in words if word != "h" and word != "0"]
    if words[0] == "h" or path.endswith(".cnf"):
        hard.append(literals)
    else:
        soft.append((literals[0], literals[1:]))
count = max((abs(x) for clause in hard + [s[1] for s in soft] for x in clause), default=0)


def holds(clause, values):
    return any(values[abs(x) - 1] == (x > 0) for x in clause)


best, cheapest = None, None
if mode != "silent" and mode != "unknown":
    for values in itertools.product((False, True), repeat=count):
        if all(holds(clause, values) for clause in hard):
            cost = sum(weight for weight, clause in soft if not holds(clause, values))
            if best is None or cost < cheapest:
                best, cheapest = values, cost

if mode == "silent":
    sys.exit(0)
if mode == "unknown":
    print("s UNKNOWN")
    sys.exit(0)
if proof and best is None:
    with open(proof, "w") as out:
        out.write("pseudo-Boolean proof version 2.0\nf %d\npol 1\n" % len(hard))
        out.write("conclusion UNSAT\nend pseudo-Boolean proof\n")
if mode == "error":
    print("ERROR: the cache is inconsistent")
if best is None:
    print("s UNSATISFIABLE")
    sys.exit(20)
cnf = path.endswith(".cnf")
print("s SATISFIABLE" if cnf else "s OPTIMUM FOUND")
if not cnf and mode != "no-cost":
    print("o", cheapest)
if mode == "short":
    best = best[:-1]
if mode != "no-values":
    if cnf:
        print("v", *[i + 1 if value else -i - 1 for i, value in enumerate(best)], 0)
    else:
        print("v", "".join("1" if value else "0" for value in best))
sys.exit(10 if cnf else 30)
