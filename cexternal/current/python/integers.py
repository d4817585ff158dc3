"""HiGHS and SCIP as MaxSAT solvers."""
from ipafuzz.blame import SolverFault
from served import Max, Served


class Highs(Max, Served):
    """A new mixed-integer program for every solve. With the option hot, one program for all solves gets more rows and
    columns. Assumptions are bounds of columns. Sums stay small, because the tolerances of HiGHS are 1e-6."""
    package = module = "highspy"
    model = "ipamir"
    options = """option presolve choice off|choose|on choose when=start
option mip_detect_symmetry bool true when=start
option mip_allow_restart bool true when=start
option random_seed int 0 1000 0 when=start
option mip_heuristic_effort real 0 1 0.05 when=start
option mip_lp_age_limit int 0 100 10 when=start
option mip_pool_age_limit int 0 1000 30 when=start
option simplex_strategy int 0 4 1 when=start
option hot bool false when=start
"""
    more = "max-sum 100000\nmax-weight 100000\n"

    def __init__(self):
        super().__init__()
        self.solver = None

    def begin(self):
        import highspy
        self.solver, self.column, self.rows = highspy.Highs(), {}, 0
        self.solver.silent()
        self.solver.setOptionValue("threads", 1)
        self.solver.setOptionValue("mip_rel_gap", 0.0)
        for name, value in self.set.items():
            if name == "hot":
                continue
            for kind in (int, float):
                try:
                    value = kind(value)
                    break
                except ValueError:
                    continue
            self.solver.setOptionValue(name, value == "true" if value in ("true", "false") else value)

    def row(self, clause):
        import highspy
        terms, least = {}, 1
        for l in set(clause):
            terms[abs(l)] = terms.get(abs(l), 0) + (1 if l > 0 else -1)
            least -= l < 0
        self.solver.addRow(float(least), highspy.kHighsInf, len(terms), [self.column[v] for v in terms],
                           [float(c) for c in terms.values()])

    def solve(self, assumptions):
        import highspy
        self.values, self.cost = {}, None
        if not all(self.clauses) or any(-l in assumptions for l in assumptions):
            return 20
        if not self.solver or self.set.get("hot") != "true":
            self.begin()
        used = self.variables(assumptions)
        for v in used:
            if v not in self.column:
                self.column[v] = self.solver.addBinary().index
        for clause in self.clauses[self.rows:]:
            self.row(clause)
        self.rows = len(self.clauses)
        offset = 0.0
        for v in used:
            up, down = self.weights.get(v, 0), self.weights.get(-v, 0)
            offset += down
            self.solver.changeColCost(self.column[v], float(up - down))
            self.solver.changeColBounds(self.column[v], float(v in assumptions), float(-v not in assumptions))
        self.solver.changeObjectiveOffset(offset)
        self.solver.run()
        status = self.solver.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return 20
        if used and status != highspy.HighsModelStatus.kOptimal:
            raise SolverFault(str(status))
        values = self.solver.getSolution().col_value
        self.values = {v: v if values[self.column[v]] > 0.5 else -v for v in used}
        self.cost = round(self.solver.getInfo().objective_function_value) if used else 0
        return 30


class Scip(Max, Served):
    """A new constraint integer program for every solve. With the option hot, one program serves all solves; its
    transformed problem is freed before constraints are added and assumptions become bounds."""
    package = module = "pyscipopt"
    model = "ipamir"
    options = """option emphasis choice DEFAULT|CPSOLVER|EASYCIP|FEASIBILITY|HARDLP|OPTIMALITY DEFAULT when=start
option presolve choice DEFAULT|AGGRESSIVE|FAST|OFF DEFAULT when=start
option heuristics choice DEFAULT|AGGRESSIVE|FAST|OFF DEFAULT when=start
option separating choice DEFAULT|AGGRESSIVE|FAST|OFF DEFAULT when=start
option seed int 0 1000 0 when=start
option hot bool false when=start
"""
    more = "max-sum 100000\nmax-weight 100000\n"

    def __init__(self):
        super().__init__()
        self.scip = None

    def begin(self):
        from pyscipopt import Model, SCIP_PARAMEMPHASIS, SCIP_PARAMSETTING
        self.scip, self.binary, self.rows = Model(), {}, 0
        self.scip.hideOutput()
        if self.set.get("emphasis", "DEFAULT") != "DEFAULT":
            self.scip.setEmphasis(getattr(SCIP_PARAMEMPHASIS, self.set["emphasis"]))
            self.scip.hideOutput()
        for name, call in (("presolve", self.scip.setPresolve), ("heuristics", self.scip.setHeuristics),
                           ("separating", self.scip.setSeparating)):
            if name in self.set:
                call(getattr(SCIP_PARAMSETTING, self.set[name]))
        self.scip.setParam("randomization/randomseedshift", int(self.set.get("seed", 0)))

    def term(self, l):
        return self.binary[l] if l > 0 else 1 - self.binary[-l]

    def solve(self, assumptions):
        from pyscipopt import quicksum
        self.values, self.cost = {}, None
        if not all(self.clauses) or any(-l in assumptions for l in assumptions):
            return 20
        if not self.scip or self.set.get("hot") != "true":
            self.begin()
        else:
            self.scip.freeTransform()
        used = self.variables(assumptions)
        for v in used:
            if v not in self.binary:
                self.binary[v] = self.scip.addVar(vtype="B", name=f"x{v}")
            self.scip.chgVarLb(self.binary[v], float(v in assumptions))
            self.scip.chgVarUb(self.binary[v], float(-v not in assumptions))
        for clause in self.clauses[self.rows:]:
            self.scip.addCons(quicksum(self.term(l) for l in dict.fromkeys(clause)) >= 1)
        self.rows = len(self.clauses)
        self.scip.setObjective(quicksum(w * self.term(l) for l, w in self.weights.items()), "minimize")
        self.scip.optimize()
        status = self.scip.getStatus()
        if status == "infeasible":
            return 20
        if status != "optimal":
            raise SolverFault(status)
        self.values = {v: v if self.scip.getVal(self.binary[v]) > 0.5 else -v for v in used}
        self.cost = round(self.scip.getObjVal())
        return 30
