"""Exact, with and without an objective. With an objective it also returns its proofs."""
import os
import tempfile

from ipafuzz.blame import SolverFault
from served import Max, Served


class Exact(Served):
    """One solver for all solves; the assumptions are set anew for each."""
    package = module = "exact"

    def __init__(self):
        super().__init__()
        self.solver, self.known = None, set()

    def engine(self):
        if not self.solver:
            import exact
            self.solver = exact.Exact()
        return self.solver

    def name(self, variable):
        if variable not in self.known:
            self.known.add(variable)
            self.engine().addVariable(f"x{variable}")
        return f"x{variable}"

    def add(self, clause):
        terms = {}
        for l in set(clause):
            name = self.name(abs(l))
            terms[name] = terms.get(name, 0) + (1 if l > 0 else -1)
        self.engine().addConstraint([(c, n) for n, c in terms.items()], True, 1 - len({l for l in clause if l < 0}))

    def solve(self, assumptions):
        self.values, self.failed = {}, ()
        if any(-l in assumptions for l in assumptions):
            self.failed = [l for l in assumptions if -l in assumptions][:1]
            self.failed += [-self.failed[0]]
            return 20
        solver = self.engine()
        solver.clearAssumptions()
        solver.setAssumptions([(self.name(abs(l)), int(l > 0)) for l in dict.fromkeys(assumptions)])
        answer = solver.runFull(False)
        if answer == "SAT":
            known = sorted(self.known)
            values = solver.getLastSolutionFor([f"x{v}" for v in known])
            self.values = {v: v if value else -v for v, value in zip(known, values)}
            return True
        if answer == "INCONSISTENT":
            core = set(solver.getLastCore())
            self.failed = [l for l in assumptions if f"x{abs(l)}" in core]
        if answer in ("UNSAT", "INCONSISTENT"):
            return False
        raise SolverFault(answer)


class ExactMax(Max, Served):
    """A new solver for every solve, and a proof of that solve alone."""
    package = module = "exact"
    model = "ipamir"
    options = "fixed proof choice none|veripb none when=start\n"
    more = "policy weight-sum=below-2^63\n"

    def __init__(self):
        super().__init__()
        self.written, self.used, self.terms = None, [], {}

    def option(self, name, value):
        self.set[name] = value
        return name == "proof" and value in ("none", "veripb")

    def proof(self):
        return self.written

    def solve(self, assumptions):
        self.values, self.cost, self.written = {}, None, None
        if not all(self.clauses):
            return 20
        if self.set.get("proof") != "veripb":
            return self.run(assumptions, [])
        with tempfile.TemporaryDirectory() as into:
            log = os.path.join(into, "log")
            # Exact's advanced techniques write proof rules that claim a result without a proof.
            status = self.run(assumptions, [("proof-log", log), ("proof-assumptions", "0")])
            with open(log + ".formula") as formula, open(log + ".proof") as proof:
                kept = {self.literal(word) for word in next(formula).rstrip(" ;\n").split()[2::2]}
                translation = Translation(self, len(self.clauses) + len(assumptions), kept)
                self.written = translation.of(proof, status)
        return status

    def run(self, assumptions, options):
        import exact
        solver = exact.Exact(options)
        self.used = self.variables(assumptions)
        for v in self.used:
            solver.addVariable(f"x{v}")
        for clause in self.clauses + [[l] for l in assumptions]:
            terms = {}
            for l in set(clause):
                terms[abs(l)] = terms.get(abs(l), 0) + (1 if l > 0 else -1)
            solver.addConstraint([(c, f"x{v}") for v, c in terms.items()], True, 1 - len({l for l in clause if l < 0}))
        self.terms, offset = {}, 0
        for l, w in self.weights.items():
            self.terms[abs(l)] = self.terms.get(abs(l), 0) + (w if l > 0 else -w)
            offset += w if l < 0 else 0
        solver.setObjective([(c, f"x{v}") for v, c in self.terms.items()], True, offset)
        answer = solver.runFull(True)
        if not solver.hasSolution():
            return 20
        if answer not in ("UNSAT", "INCONSISTENT"):  # there is no better solution
            raise SolverFault(answer)
        true = dict(zip(self.used, solver.getLastSolutionFor([f"x{v}" for v in self.used])))
        self.values = {v: v if value else -v for v, value in true.items()}
        self.cost = solver.getBestSoFar()
        return 30

    def literal(self, word):
        """Returns a literal of a proof with the client's variable. Proofs number variables in the order of their first
        use. Variables that Exact adds get other names."""
        sign, number = "~" * word.startswith("~"), int(word.lstrip("~")[1:])
        return f"{sign}x{self.used[number - 1]}" if number <= len(self.used) else f"{sign}added{number}"


class Translation:
    """Translates a proof into version 3.0 of VeriPB's format. Exact writes version 1.1, which no release of VeriPB
    reads: its ids begin after those of the formula, and its 'l' copies a constraint of the formula."""

    def __init__(self, solver, inputs, kept):
        self.solver, self.inputs, self.last = solver, inputs, inputs
        self.lines = ["pseudo-Boolean proof version 3.0", f"f {inputs};"]
        self.ids, self.units = [0], {}  # new ids by Exact's ids, and by literals
        costs = {f"x{v}" if c > 0 else f"~x{v}": abs(c) for v, c in solver.terms.items() if c}
        # Exact's objective lacks literals that are fixed before the search.
        self.lacking = {l: c for l, c in costs.items() if l not in kept}

    def write(self, step):
        self.lines.append(step + ";")
        self.last += 1
        return self.last

    def of(self, proof, status):
        end = "NONE"
        next(proof)  # the header
        for line in proof:
            words = line.rstrip(" ;\n").split()
            if not words:
                continue
            if words[0] == "c":
                end = f"BOUNDS {self.solver.cost} : {self.ids[int(words[1])]} {self.solver.cost}" if status == 30 \
                    else f"BOUNDS INF : {self.ids[int(words[1])]} INF"
                break
            self.ids.append(self.step(words))
        return "\n".join(self.lines + ["output NONE;", f"conclusion {end};", "end pseudo-Boolean proof;", ""])

    def step(self, words):
        rule, rest = words[0], words[1:]
        if rule == "l":
            return self.write(f"pol {rest[0]}")
        if rule == "pol":
            factors = {i for i, word in enumerate(rest[1:]) if word in ("*", "d")}
            return self.write("pol " + " ".join(str(self.ids[int(word)]) if word.isdigit() and i not in factors
                                                else self.word(word) for i, word in enumerate(rest)))
        named = " ".join(map(self.word, rest))
        if rule == "red":
            constraint, witness = named.split(" ; ")
            return self.write(f"red {constraint} : {witness.replace(' ', ' -> ')}")
        if rule == "soli":
            return self.solution(named)
        return self.write(f"{rule} {named}")  # VeriPB rejects rules that it does not know

    def word(self, word):
        return self.solver.literal(word) if word.lstrip("~").startswith("x") else word

    def solution(self, named):
        """Derives what Exact derives from a solution: that Exact's own objective must be less."""
        bound = self.write(f"soli {named}")
        if not self.lacking:
            return bound
        true, steps = set(named.split()), []
        for literal, cost in self.lacking.items():
            if literal not in true:
                steps.append(f"{literal} {cost} * +")
                continue
            if literal not in self.units:
                self.units[literal] = self.write(f"rup +1 {literal} >= 1")
            steps.append(f"{self.units[literal]} {cost} * +")
        return self.write(f"pol {bound} " + " ".join(steps))
