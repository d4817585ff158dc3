"""The solvers that runner.py serves, by name: PySAT's SAT solvers, its RC2, and the
incremental MaxSAT solvers of hermax."""
import importlib.metadata

from ipafuzz.blame import SolverFault

PYSAT = ("cadical103", "cadical153", "cadical195", "cadical300", "gluecard3", "gluecard4", "glucose3", "glucose4",
         "glucose42", "lingeling", "maplechrono", "maplecm", "maplesat", "mergesat3", "minicard", "minisat22",
         "minisat-gh", "minisat-ep")
RC2 = ("rc2", "rc2-stratified")
HERMAX = ("UWrMaxSAT", "UWrMaxSATCompetition", "EvalMaxSAT", "EvalMaxSATIncremental", "Aperture", "CoreTrail")
NAMES = PYSAT + RC2 + HERMAX

# These write proofs.
PROVE = ("cadical103", "cadical153", "cadical195", "cadical300", "gluecard3", "gluecard4", "glucose3", "glucose4",
         "glucose42", "lingeling", "maplechrono", "maplecm", "maplesat")

# The others have no callback, or cannot be used again after it stopped them.
TERMINATES = ("UWrMaxSAT",)


def signature(name):
    package = "hermax" if name in HERMAX else "python-sat"
    return f"{name} of {package} {importlib.metadata.version(package)}"


def describe(name):
    """Returns the runner's description of a solver; loads its library."""
    text = "lacks learn\nlacks havoc\n"
    if name in PYSAT:
        import pysat.solvers  # noqa: F401 for the forked processes
        return (text + "model ipasir\nlacks terminate\n"
                + ("fixed proof choice none|drat none when=start\n" if name in PROVE else "lacks options\n"))
    if name in HERMAX:
        make(name).close()
        return (text + "model ipamir\nlacks options\npolicy weight-sum=below-2^63\n"
                + ("" if name in TERMINATES else "lacks terminate\n"))
    import pysat.examples.rc2  # noqa: F401
    return text + """model ipamir
lacks terminate
option solver choice g3|g4|cd15|cd19|m22|mgh|mc|mcb|gc3 g3 when=start # the SAT solver below
option adapt bool false when=start # detects at-most-one constraints
option exhaust bool false when=start # exhausts cores
option incr bool false when=start # incremental mode of Glucose
option minz bool false when=start # minimises cores
option trim int 0 5 0 when=start # trims cores
exclude solver=cd15 incr=true
exclude solver=cd19 incr=true
exclude solver=m22 incr=true
exclude solver=mgh incr=true
exclude solver=mc incr=true
exclude solver=mcb incr=true
exclude solver=gc3 incr=true
""" + ("option blo choice none|basic|div|cluster|full div when=start # how softs are stratified\n"
       if name == "rc2-stratified" else "")


def values_of(model):
    """Returns the literals of a model by variable."""
    if model is None:
        raise SolverFault("there is no model after a solve that found one")
    return {abs(literal): literal for literal in model}


def make(name):
    return Sat(name) if name in PYSAT else Rc2(name) if name in RC2 else Hermax(name)


class Sat:
    """Serves a solver of PySAT as IPASIR."""

    def __init__(self, name):
        from pysat.solvers import Solver
        self.name, self.proves = name, False
        self.solver, self.values, self.failed = Solver(name=name), {}, ()

    def option(self, name, value):
        if name != "proof" or value not in ("none", "drat") or self.name not in PROVE:
            return False
        from pysat.solvers import Solver
        self.solver.delete()
        self.proves = value == "drat"
        self.solver = Solver(name=self.name, with_proof=self.proves)
        return True

    def proof(self):
        return self.solver.get_proof() if self.proves else None

    def add(self, clause):
        self.solver.add_clause(clause)

    def solve(self, assumptions):
        self.values, self.failed = {}, ()
        satisfiable = self.solver.solve(assumptions=assumptions)
        if satisfiable:
            self.values = values_of(self.solver.get_model())
        elif satisfiable is False:
            self.failed = self.solver.get_core() or ()
        return satisfiable

    def val(self, literal):
        return self.values.get(abs(literal), 0)

    def core(self):
        return self.failed

    def close(self):
        self.solver.delete()


class Rc2:
    """Serves RC2 as IPAMIR. RC2 has no assumptions: every solve makes a new RC2 with
    the assumptions as clauses."""

    def __init__(self, name):
        self.stratified = name == "rc2-stratified"
        self.clauses, self.weights, self.options = [], {}, {}
        self.values, self.cost = {}, None

    def option(self, name, value):
        if name not in ("solver", "adapt", "exhaust", "incr", "minz", "trim", *(("blo",) if self.stratified else ())):
            return False
        self.options[name] = value == "true" if value in ("true", "false") else int(value) if name == "trim" else value
        return True

    def add(self, clause):
        self.clauses.append(clause)

    def soft(self, literal, weight):
        self.weights[literal] = weight

    def solve(self, assumptions):
        from pysat.examples.rc2 import RC2 as Plain, RC2Stratified
        from pysat.formula import WCNF
        self.values, self.cost = {}, None
        if sum(self.weights.values()) >= 2**64:
            return 40  # too large for an objective value of IPAMIR
        if not all(self.clauses):
            return 20  # PySAT cannot represent an empty clause
        formula = WCNF()
        for clause in self.clauses:
            formula.append(clause)
        for assumption in assumptions:
            formula.append([assumption])
        for literal, weight in self.weights.items():
            if weight > 0:
                formula.append([-literal], weight=weight)
        with (RC2Stratified if self.stratified else Plain)(formula, **self.options) as rc2:
            model = rc2.compute()
            if model is None:
                return 20
            self.values, self.cost = values_of(model), rc2.cost
        return 30

    def val(self, literal):
        return self.values.get(abs(literal), 0)

    def obj(self):
        return self.cost

    def close(self):
        pass


class Hermax:
    """Serves an incremental solver of hermax as IPAMIR."""

    def __init__(self, name):
        import hermax.incremental
        self.solver = getattr(hermax.incremental, name)()
        self.values, self.weights = {}, {}

    def add(self, clause):
        self.solver.add_clause(clause)

    def soft(self, literal, weight):
        self.weights[literal] = weight
        self.solver.set_soft(-literal, weight)  # hermax wants the literal that should be true

    def solve(self, assumptions):
        self.values = {}
        if sum(self.weights.values()) >= 2**63:
            return 40  # too large for it
        if self.solver.solve(assumptions=assumptions):  # its val rejects unknown variables
            self.values = values_of(self.solver.get_model())
        return int(self.solver.get_status())

    def terminate(self, callback):
        self.solver.set_terminate(None if callback is None else lambda: int(callback()))

    def val(self, literal):
        return self.values.get(abs(literal), 0)

    def obj(self):
        return self.solver.get_cost()

    def close(self):
        self.solver.close()
