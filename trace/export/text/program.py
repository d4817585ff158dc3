import sys

faults = 0


def expect(right, place, what):
    """Says what is wrong, and remembers it."""
    global faults
    if not right:
        print(f"{place}: expected: {what}", file=sys.stderr)
        faults += 1


def satisfiable(clauses, literals):
    """Whether a solution of the clauses makes all the literals true: a small search."""
    true = set(literals)
    if any(-literal in true for literal in true):
        return False
    branch = True
    while branch:
        branch = None
        for clause in clauses:
            if any(literal in true for literal in clause):
                continue
            free = {literal for literal in clause if -literal not in true}
            if not free:
                return False
            if len(free) == 1:
                true |= free
                branch = True
                break
            branch = free
        if branch is not True and branch is not None:
            literal = min(branch, key=abs)
            return satisfiable(clauses, true | {literal}) or satisfiable(clauses, true | {-literal})
    return True


def cost(model, softs):
    return sum(weight for literal, weight in softs if literal in model)
