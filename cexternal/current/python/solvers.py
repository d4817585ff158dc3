"""The solvers that runner.py serves, by name. The comment of each class says how it uses its solver."""
from exacts import Exact, ExactMax
from integers import Highs, Scip
from optilogs import OPTILOGS
from pumpkins import Pumpkin, PumpkinMax
from ipafuzz.blame import SolverFault
from served import Max, Served


class CryptoMiniSat(Served):
    """One solver for all solves. It refuses to assume a variable without clauses; the class adds a tautology for it."""
    package = module = "pycryptosat"

    def __init__(self):
        super().__init__()
        import pycryptosat
        self.solver = pycryptosat.Solver()

    def add(self, clause):
        self.solver.add_clause(clause)

    def solve(self, assumptions):
        self.values, self.failed = {}, ()
        for literal in assumptions:
            if abs(literal) > self.solver.nb_vars():
                self.solver.add_clause([literal, -literal])
        satisfiable, values = self.solver.solve(assumptions)
        if satisfiable:
            self.values = {v: v if true else -v for v, true in enumerate(values) if v and true is not None}
        elif satisfiable is False:
            conflict = {abs(l) for l in self.solver.get_conflict()}
            self.failed = [l for l in assumptions if abs(l) in conflict]
        return satisfiable


class CpSat(Served):
    """A new model for every solve; assumptions are CP-SAT's, for IPASIR."""
    package, module = "ortools", "ortools.sat.python.cp_model"
    options = """option cp_model_presolve bool true when=start
option linearization_level int 0 2 1 when=start
option symmetry_level int 0 4 2 when=start
option cp_model_probing_level int 0 3 2 when=start
option optimize_with_core bool false when=start
option optimize_with_max_hs bool false when=start
option presolve_bve_threshold int 0 500 500 when=start
option minimize_reduction_during_pb_resolution bool false when=start
option search_branching choice AUTOMATIC_SEARCH|FIXED_SEARCH|PORTFOLIO_SEARCH AUTOMATIC_SEARCH when=start
option use_sat_inprocessing bool true when=start
option random_seed int 0 100 1 when=start
option cp_model_use_sat_presolve bool true when=start
option instantiate_all_variables bool true when=start
option use_optimization_hints bool true when=start
option interleave_search bool false when=start
option use_phase_saving bool true when=start
option use_dual_scheduling_heuristics bool true when=start
option add_lp_constraints_lazily bool true when=start
exclude optimize_with_core=true optimize_with_max_hs=true
"""

    def solve(self, assumptions):
        from ortools.sat.python import cp_model
        self.values, self.failed, self.cost = {}, (), None
        if not all(self.clauses):
            return 20
        model = cp_model.CpModel()
        used = self.variables(assumptions)
        boolean = {v: model.new_bool_var(str(v)) for v in used}
        term = {l: boolean[abs(l)] if l > 0 else ~boolean[abs(l)] for v in used for l in (v, -v)}
        for clause in self.clauses:
            model.add_bool_or([term[l] for l in clause])
        if self.model == "ipasir":
            model.add_assumptions([term[l] for l in assumptions])
        else:
            for l in assumptions:
                model.add_bool_or([term[l]])
            model.minimize(sum(w * term[l] for l, w in self.weights.items()))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        for name, value in self.set.items():
            if name == "search_branching":
                value = getattr(cp_model, value)
            elif value in ("true", "false"):
                value = value == "true"
            else:
                value = int(value)
            setattr(solver.parameters, name, value)
        status = solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self.values = {v: v if solver.boolean_value(boolean[v]) else -v for v in used}
            self.cost = round(solver.objective_value)
            if self.model == "ipasir":
                return True
            return 30 if status == cp_model.OPTIMAL else 10
        if status == cp_model.INFEASIBLE:
            if self.model == "ipasir":
                named = {boolean[abs(l)].index if l > 0 else -boolean[abs(l)].index - 1: l for l in assumptions}
                core = solver.sufficient_assumptions_for_infeasibility()
                self.failed = [named[i] for i in core if i in named]  # the other literals are not assumptions
            return 20
        raise SolverFault(solver.status_name(status))


class CpSatMax(Max, CpSat):
    """Sums stay below 2^53, because the objective is read as a floating-point number."""
    model = "ipamir"
    more = "max-sum 9007199254740991\n"


class Clingo(Served):
    """One control for all solves: clauses are integrity constraints over choices."""
    package = module = "clingo"
    options = """option configuration choice auto|frumpy|jumpy|tweety|handy|crafty|trendy auto when=start
option sat-prepro choice no|1|2|3 no when=start
option heuristic choice Berkmin|Vmtf|Vsids|Domain|Unit|None Vsids when=start
option restart-on-model bool false when=start
option seed int 0 100 1 when=start
exclude heuristic=None sat-prepro=1
"""

    def __init__(self):
        super().__init__()
        self.control, self.atoms = None, {}

    def engine(self):
        if not self.control:
            import clingo
            flags = ["--warn=none"]
            for name, value in self.set.items():
                if name == "restart-on-model":
                    flags += ["--restart-on-model"] if value == "true" else []
                elif (name, value) != ("sat-prepro", "no"):
                    flags.append(f"--{name}={value}")
            self.control = clingo.Control(flags)
        return self.control

    def literal(self, backend, l):
        atom = self.atoms.get(abs(l))
        if atom is None:
            atom = self.atoms[abs(l)] = backend.add_atom()
            backend.add_rule([atom], [], True)
        return atom if l > 0 else -atom

    def add(self, clause):
        with self.engine().backend() as backend:
            backend.add_rule([], [-self.literal(backend, l) for l in clause])

    def solve(self, assumptions):
        self.values, self.failed = {}, ()
        with self.engine().backend() as backend:
            assumed = {self.literal(backend, l): l for l in assumptions}
        with self.engine().solve(assumptions=list(assumed), yield_=True) as handle:
            model = handle.model()
            if model is not None:
                self.values = {v: v if model.is_true(atom) else -v for v, atom in self.atoms.items()}
                return True
            if handle.get().unsatisfiable:
                self.failed = [assumed[l] for l in handle.core() if l in assumed]
                return False
        return None


NAMES = {"cryptominisat": CryptoMiniSat, "cp-sat": CpSat, "cp-sat-max": CpSatMax, "exact": Exact,
         "exact-max": ExactMax, "clingo": Clingo, "highs": Highs, "scip": Scip,
         "pumpkin": Pumpkin, "pumpkin-max": PumpkinMax} | OPTILOGS
