import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.sat4j.core.Vec;
import org.sat4j.core.VecInt;
import org.sat4j.maxsat.WeightedMaxSatDecorator;
import org.sat4j.pb.IPBSolver;
import org.sat4j.pb.ObjectiveFunction;
import org.sat4j.pb.OptToPBSATAdapter;
import org.sat4j.pb.PseudoOptDecorator;
import org.sat4j.pb.SolverFactory;
import org.sat4j.specs.ContradictionException;
import org.sat4j.specs.TimeoutException;

/**
 * Serves Sat4j's optimization as IPAMIR: a pseudo-Boolean solver inside a
 * PseudoOptDecorator, which improves a solution until there is no better one.
 */
final class MaxSatServed extends Served {
    /** These print their input and solve nothing. */
    private static final Set<String> NO_SOLVERS = new HashSet<>(Arrays.asList("OPBStringSolver"));

    private final List<VecInt> clauses = new ArrayList<>();
    private final Map<Integer, BigInteger> weights = new LinkedHashMap<>(); // of soft literals
    private IPBSolver base; // without the option incremental, every solve makes a new one
    private OptToPBSATAdapter optimiser;
    private int added; // number of clauses added to it
    private BigInteger objective;

    MaxSatServed(OptionModel options) {
        super(options);
    }

    static OptionModel options() {
        List<String> names = new ArrayList<>(new TreeSet<>(Arrays.asList(SolverFactory.instance().solverNames())));
        names.removeAll(NO_SOLVERS);
        return new OptionModel()
            .choice("solver", names, "Default", "as org.sat4j.pb.SolverFactory names it")
            .choice("encoding", Arrays.asList("objective", "soft-unit", "soft-relaxed", "soft-equivalent"), "objective",
                "an objective function, or soft clauses of WeightedMaxSatDecorator: "
                    + "as they are, relaxed by a new variable, made equivalent to it")
            .fixed("implicant", false, "the objective is computed of a prime implicant")
            .bool("db-simplification", false, "satisfied clauses are deleted")
            .fixed("incremental", false,
                "one solver for all solves; soft clauses can not be taken back, so with encoding=objective only");
    }

    @Override
    void soft(int literal, BigInteger weight) {
        name(literal);
        weights.put(literal, weight);
    }

    @Override
    void clause(VecInt literals) {
        clauses.add(literals);
    }

    @Override
    int solve(List<Integer> assumptions) throws Exception {
        BigInteger sum = BigInteger.ZERO;
        for (BigInteger weight : weights.values()) {
            sum = sum.add(weight);
        }
        if (sum.bitLength() > 64) {
            return REFUSED; // too large for an objective value of IPAMIR
        }
        try {
            prepare();
        } catch (ContradictionException e) {
            base = null;
            return INFEASIBLE;
        }
        VecInt assumed = new VecInt(assumptions.size());
        for (int literal : assumptions) {
            base.registerLiteral(inner(literal));
            assumed.push(inner(literal));
        }
        if (listener.wanted()) {
            base.setSearchListener(listener);
        }
        try {
            if (!optimiser.isSatisfiable(assumed)) {
                return INFEASIBLE;
            }
        } catch (TimeoutException e) {
            return STOPPED;
        }
        keep(optimiser.model());
        boolean priced = base.getObjectiveFunction() != null;
        objective = priced ? (BigInteger) optimiser.getCurrentObjectiveValue() : BigInteger.ZERO;
        // A contradiction with the bound proves optimality too, but isOptimal ignores it.
        return listener.stopped() && !optimiser.isOptimal() ? FEASIBLE : OPTIMAL;
    }

    private void prepare() throws Exception {
        boolean incremental = on("incremental") && setting("encoding").equals("objective");
        if (base == null || !incremental) {
            base = SolverFactory.instance().createSolverByName(setting("solver"));
            added = 0;
            if (isSet("db-simplification")) {
                base.setDBSimplificationAllowed(on("db-simplification"));
            }
            IPBSolver inner = setting("encoding").equals("objective") ? base : softClauses();
            optimiser = new OptToPBSATAdapter(new PseudoOptDecorator(inner, true, on("implicant")));
        }
        if (highest > 0 && base.realNumberOfVariables() < highest) {
            base.newVar(highest);
        }
        while (added < clauses.size()) {
            base.addClause(copy(clauses.get(added)));
            added++;
        }
        if (setting("encoding").equals("objective")) {
            objective(base);
        }
    }

    private void objective(IPBSolver solver) {
        VecInt literals = new VecInt();
        Vec<BigInteger> costs = new Vec<BigInteger>();
        for (Map.Entry<Integer, BigInteger> soft : weights.entrySet()) {
            if (soft.getValue().signum() > 0) {
                solver.registerLiteral(inner(soft.getKey()));
                literals.push(inner(soft.getKey()));
                costs.push(soft.getValue());
            }
        }
        solver.setObjectiveFunction(literals.isEmpty() ? null : new ObjectiveFunction(literals, costs));
    }

    private IPBSolver softClauses() throws Exception {
        boolean equivalent = setting("encoding").equals("soft-equivalent");
        WeightedMaxSatDecorator decorator = new WeightedMaxSatDecorator(base, equivalent);
        decorator.setNoNewVarForUnitSoftClauses(setting("encoding").equals("soft-unit"));
        decorator.newVar(Math.max(1, highest));
        for (Map.Entry<Integer, BigInteger> soft : weights.entrySet()) {
            if (soft.getValue().signum() > 0) {
                decorator.addSoftClause(soft.getValue(), new VecInt(new int[] {-inner(soft.getKey())}));
            }
        }
        return decorator;
    }

    private static VecInt copy(VecInt literals) {
        VecInt copy = new VecInt(literals.size());
        literals.copyTo(copy);
        return copy;
    }

    @Override
    BigInteger objective() {
        return objective;
    }

    @Override
    void havoc(long value) {
        if (base != null && on("incremental")) {
            base.clearLearntClauses();
        }
    }
}
