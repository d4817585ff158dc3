"""The SAT solvers of optilog, and a MaxSAT solver made of one and optilog's encoders."""
import importlib.metadata

from ipafuzz.blame import SolverFault
from served import Max, Served

# The largest value of these options; the others go up to 64 or their default. Larger values take long by design, or
# more memory than there is.
_MOST = {"szLBDQueue": 1000, "szTrailQueue": 10000}
# Options that are left out: they print, or check the caller. gc-frac has no effect.
_LEFT = {"binary", "checkfrozen", "log", "logsort", "profile", "quiet", "realtime", "report", "reportall",
         "reportsolve", "verbose", "gc-frac"}


def _kind(name):
    import optilog.solvers.sat
    return getattr(optilog.solvers.sat, name)


def _described(name):
    """Returns the options that the solver lists, as lines of a description."""
    lines = ["option clones bool false when=start", "option propagates bool false when=start"]
    try:
        listed = _kind(name)().get_config()["params"]
    except TypeError:  # "List of options not available"
        listed = {}
    for option, of in sorted(listed.items()):
        low, high = of["domain"][0], of["domain"][-1]
        if option in _LEFT:
            continue
        if of["type"] == "bool":
            lines.append(f"option {option} bool {str(of['default']).lower()} when=start")
        elif of["type"] == "integer":
            high = min(high, max(low, of["default"], _MOST.get(option, 64)))
            lines.append(f"option {option} int {low} {high} {of['default']} when=start")
        else:
            lines.append(f"option {option} real {low} {min(high, 1000)} {of['default']} when=start")
    return "\n".join(lines) + "\n"


def _value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text == "true" if text in ("true", "false") else text


def optilog(name):
    """Makes the class of a SAT solver of optilog: one solver for all solves, with the options that it lists."""

    class Optilog(Served):
        """The option clones replaces the solver by its clone before each solve. The option propagates propagates the
        assumptions first, and the implied literals must be true in the solution. Solvers without these functions
        ignore the options."""
        package, module = "optilog", "optilog.solvers.sat"

        @classmethod
        def signature(cls):
            return f"{name} of optilog {importlib.metadata.version('optilog')}"

        @classmethod
        def describe(cls):
            cls.options = _described(name)
            return super().describe()

        def __init__(self):
            super().__init__()
            self.solver = _kind(name)()

        def option(self, name, value):
            if name in ("clones", "propagates"):
                self.set[name] = value == "true"
            elif f"option {name} " in self.options:
                self.solver.set(name, _value(value))
            else:
                return False
            return True

        def add(self, clause):
            self.solver.add_clause(clause)

        def solve(self, assumptions):
            self.values, self.failed, implied = {}, (), []
            try:
                if self.set.get("clones"):
                    self.solver = self.solver.clone()
                if self.set.get("propagates"):
                    implied = self.solver.propagate(assumptions)[1]
            except NotImplementedError:
                pass
            satisfiable = self.solver.solve(assumptions=assumptions)
            if satisfiable:
                self.values = {abs(l): l for l in self.solver.model()}
                for l in implied:
                    if self.values.get(abs(l), l) != l:
                        raise SolverFault(f"propagate() returned {l}, which is false in the solution")
            elif satisfiable is False:
                self.failed = self.core_of(assumptions)
            return satisfiable

        def core_of(self, assumptions):
            try:
                return self.solver.core()
            except NotImplementedError:  # all assumptions are a core, too
                return assumptions

    return Optilog


class OptilogMax(Max, Served):
    """A new Glucose 4.1 for every solve, and a search for cheaper and cheaper solutions: optilog 0.6 has no MaxSAT
    solver, but its parts. The option encoding says how optilog's Encoder encodes the bound."""
    package, module, model = "optilog", "optilog.encoders.pb", "ipamir"
    options = """option encoding choice best|bdd|seqcounter|sortnetwork|adder|binarymerge best when=start
option cardinality choice best|seqcounter|sortnetwrk|cardnetwrk|totalizer|mtotalizer|kmtotalizer best when=start
"""
    more = "max-sum 5000\nmax-weight 1000\n"

    @classmethod
    def signature(cls):
        return f"the encoders of optilog {importlib.metadata.version('optilog')}"

    def solve(self, assumptions):
        from optilog.encoders.pb import Encoder
        from optilog.solvers.sat import Glucose41
        self.values, self.cost = {}, None
        used = self.variables(assumptions)
        if not all(self.clauses):
            return 20
        costs = {l: w for l, w in self.weights.items() if w}
        while True:
            solver = Glucose41()
            solver.add_clause([max(used, default=0) + 1])  # without clauses Glucose41 answers None
            for clause in self.clauses + [[l] for l in assumptions]:
                solver.add_clause(clause)
            if self.cost is not None:
                literals, weights = list(costs), list(costs.values())
                most = max(used) + 1
                if len(set(weights)) == 1:
                    _, clauses = Encoder.at_most_k(literals, (self.cost - 1) // weights[0], max_var=most,
                                                   encoding=self.set.get("cardinality", "best"))
                else:
                    _, clauses = Encoder.at_most_k(literals, self.cost - 1, weights=weights, max_var=most,
                                                   encoding=self.set.get("encoding", "best"))
                for clause in clauses:
                    solver.add_clause(clause)
            if not solver.solve():
                return 30 if self.cost is not None else 20
            model = {abs(l): l for l in solver.model()}
            values = {v: model.get(v, v) for v in used}
            cost = sum(w for l, w in costs.items() if values[abs(l)] == l)
            if self.cost is not None and cost >= self.cost:
                raise SolverFault(f"a solution under the bound {self.cost - 1} costs {cost}")
            self.values, self.cost = values, cost
            if not cost:
                return 30


OPTILOGS = {"optilog-" + n.lower(): optilog(n)
            for n in ("Cadical", "Cadical152", "Glucose30", "Glucose41", "Lingeling18", "Minisat", "Mergesat",
                      "Picosat965")} | {"optilog-max": OptilogMax}
