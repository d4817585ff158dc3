"""Pumpkin, a constraint solver that learns clauses, as SAT and as MaxSAT solver."""
from ipafuzz.blame import SolverFault
from served import Max, Served


class _Model:
    """The clauses as constraints over Boolean variables. Pumpkin accepts no more constraints once it knows that there
    is no solution."""

    def __init__(self):
        import pumpkin_solver
        self.model, self.boolean = pumpkin_solver.Model(), {}

    def variable(self, number):
        if number not in self.boolean:
            self.boolean[number] = self.model.new_boolean_variable(str(number))
        return self.boolean[number]

    def literal(self, l):
        return self.variable(l) if l > 0 else self.variable(-l).negate()

    def add(self, clause):
        from pumpkin_solver import constraints
        if self.model.is_inconsistent():
            return
        tag = self.model.new_constraint_tag()
        self.model.add_constraint(constraints.Clause([self.literal(l) for l in clause], tag))

    def predicate(self, l):
        import pumpkin_solver
        order = pumpkin_solver.Comparator
        comparator = order.GreaterThanOrEqual if l > 0 else order.LessThanOrEqual
        return pumpkin_solver.Predicate(self.variable(abs(l)).as_integer(), comparator, int(l > 0))

    def values(self, solution):
        return {v: v if solution.bool_value(b) else -v for v, b in self.boolean.items()}


class Pumpkin(Served):
    """One model for all solves. A core names the assumptions by variable: its predicates are about integers."""
    package, module = "pumpkin-solver", "pumpkin_solver"

    def __init__(self):
        super().__init__()
        self.engine = _Model()

    def add(self, clause):
        self.engine.add(clause)

    def solve(self, assumptions):
        import pumpkin_solver
        results = pumpkin_solver.SatisfactionUnderAssumptionsResult
        self.values, self.failed = {}, ()
        if self.engine.model.is_inconsistent():
            return False
        if any(-l in assumptions for l in assumptions):
            self.failed = [l for l in assumptions if -l in assumptions]
            return False
        assumed = [self.engine.predicate(l) for l in assumptions]
        answer = self.engine.model.satisfy_under_assumptions(assumed)
        if isinstance(answer, results.Satisfiable):
            self.values = self.engine.values(answer._0)
            return True
        if isinstance(answer, results.UnsatisfiableUnderAssumptions):
            if len(answer._0) > len(assumptions):
                raise SolverFault("the core is larger than the assumptions")
            self.failed = assumptions
        if isinstance(answer, (results.UnsatisfiableUnderAssumptions, results.Unsatisfiable)):
            return False
        return None


class PumpkinMax(Max, Served):
    """A new model for every solve. Sums stay far below 2^31: Pumpkin's integers have 32 bits. The sum has terms of
    weight 0 only with the option zeros."""
    package, module, model = "pumpkin-solver", "pumpkin_solver", "ipamir"
    options = """option optimiser choice LinearSatUnsat|LinearUnsatSat LinearSatUnsat when=start
option zeros bool false when=start
"""
    more = "max-sum 100000\nmax-weight 100000\n"

    def solve(self, assumptions):
        from pumpkin_solver import constraints, optimisation
        self.values, self.cost = {}, None
        engine = _Model()
        for v in self.variables(assumptions):
            engine.variable(v)
        cost = engine.model.new_integer_variable(0, sum(self.weights.values()), "cost")
        for clause in self.clauses + [[l] for l in assumptions]:
            engine.add(clause)
        if engine.model.is_inconsistent():
            return 20
        least = sum(w for l, w in self.weights.items() if l < 0)
        zeros = self.set.get("zeros") == "true"
        terms = [engine.variable(abs(l)).as_integer().scaled(w if l > 0 else -w)
                 for l, w in self.weights.items() if w or zeros]
        tag = engine.model.new_constraint_tag()
        engine.model.add_constraint(constraints.Equals(terms + [cost.scaled(-1)], -least, tag))
        if engine.model.is_inconsistent():
            return 20
        answer = engine.model.optimise(cost, direction=optimisation.Direction.Minimise, optimiser=getattr(
            optimisation.Optimiser, self.set.get("optimiser", "LinearSatUnsat")))
        results = optimisation.OptimisationResult
        if isinstance(answer, results.Optimal):
            self.values, self.cost = engine.values(answer._0), answer._0.int_value(cost)
            return 30
        if isinstance(answer, results.Unsatisfiable):
            return 20
        raise SolverFault(type(answer).__name__)
