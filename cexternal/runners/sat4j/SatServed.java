import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.io.PrintWriter;
import java.io.StringWriter;

import org.sat4j.core.VecInt;
import org.sat4j.minisat.SolverFactory;
import org.sat4j.specs.ContradictionException;
import org.sat4j.specs.ISolver;
import org.sat4j.specs.IVecInt;
import org.sat4j.specs.IteratorInt;
import org.sat4j.specs.TimeoutException;

/** Serves a SAT solver of org.sat4j.core as IPASIR. */
final class SatServed extends Served {
    /** These print or count their input and solve nothing. */
    private static final Set<String> NO_SOLVERS = new HashSet<>(Arrays.asList("DimacsOutput", "Statistics"));

    private ISolver solver; // made after the options are set
    private boolean solved; // a search has ended: parallel solvers have no statistics before
    private boolean contradiction; // Sat4j reported one when a clause was added
    private final List<VecInt> clauses = new ArrayList<>();
    private Collection<Integer> core = new ArrayList<>();

    SatServed(OptionModel options) {
        super(options);
    }

    private static List<String> names(boolean enumerates) {
        List<String> names = new ArrayList<>(new TreeSet<>(Arrays.asList(SolverFactory.instance().solverNames())));
        names.removeAll(NO_SOLVERS);
        if (enumerates) { // the first share one listener; the last finds minimal solutions only
            names.removeAll(Features.PARALLEL);
            names.remove("MinOneSolver");
        }
        return names;
    }

    static OptionModel options(boolean enumerates) {
        List<String> names = names(enumerates);
        OptionModel m = new OptionModel();
        m.choice("solver", names, "Default", "as SolverFactory names it");
        Features.declare(m, names);
        m.bool("db-simplification", false, "satisfied clauses are deleted")
            .fixed("keep-hot", false, "heuristics are kept between two solves; no new variables may come then")
            .bool("declare", true, "newVar is told the highest variable")
            .bool("conflict-timeout", false, "the limit that is never met counts conflicts; no timer")
            .fixed("prime", false, "values are those of a prime implicant")
            .exclude("data", Features.CONCISE, "declare", "false")
            .exclude("solver", "Concise", "declare", "false");
        return m;
    }

    private ISolver solver() throws Exception {
        if (solver == null) {
            solver = make();
        }
        return solver;
    }

    private ISolver make() throws Exception {
        ISolver made = SolverFactory.instance().createSolverByName(setting("solver"));
        Features.apply(this, made);
        if (isSet("db-simplification")) {
            made.setDBSimplificationAllowed(on("db-simplification"));
        }
        if (isSet("keep-hot")) {
            made.setKeepSolverHot(on("keep-hot"));
        }
        if (on("conflict-timeout")) {
            made.setTimeoutOnConflicts(Integer.MAX_VALUE);
        }
        return made;
    }

    @Override
    long[] enumerate(int most) throws Exception {
        Enumeration e = new Enumeration(clauses, most);
        return new long[] {e.internal(make(), on("declare")), e.external(make(), on("declare"))};
    }

    /** Declares the variables to the solver. */
    private void declare() throws Exception {
        if (on("declare") && highest > 0 && solver().realNumberOfVariables() < highest) {
            solver().newVar(highest);
        }
    }

    @Override
    void clause(VecInt literals) throws Exception {
        VecInt copy = new VecInt(literals.size());
        literals.copyTo(copy);
        clauses.add(copy);
        if (contradiction) {
            return;
        }
        declare();
        try {
            solver().addClause(literals);
        } catch (ContradictionException e) {
            contradiction = true; // what Sat4j does with more clauses is unspecified
        }
    }

    @Override
    int solve(List<Integer> assumptions) throws Exception {
        core = new LinkedHashSet<>();
        if (contradiction) {
            return INFEASIBLE;
        }
        declare();
        VecInt assumed = new VecInt(assumptions.size());
        for (int literal : assumptions) {
            solver().registerLiteral(inner(literal)); // it may occur in no clause
            assumed.push(inner(literal));
        }
        listen();
        boolean satisfiable;
        solved = false;
        try {
            satisfiable = assumed.isEmpty() ? solver().isSatisfiable()
                : Features.PARALLEL.contains(setting("solver")) ? solver().isSatisfiable(assumed, false)
                : solver().isSatisfiable(assumed);
        } catch (TimeoutException e) {
            return STOPPED;
        }
        solved = true;
        if (satisfiable) {
            keep(on("prime") ? solver().primeImplicant() : solver().model());
            return FEASIBLE;
        }
        if (!assumed.isEmpty()) {
            explain();
        }
        return INFEASIBLE;
    }

    /**
     * Fills the core. If the clauses alone have no solution, Sat4j 2.3.5 copies null
     * and throws, where its documentation promises null; either means an empty core.
     */
    private void explain() throws Exception {
        IVecInt explanation = null;
        try {
            explanation = solver().unsatExplanation();
        } catch (NullPointerException e) {
            if (!e.getStackTrace()[0].getMethodName().equals("unsatExplanation")) {
                throw e;
            }
        }
        if (explanation != null) {
            for (IteratorInt i = explanation.iterator(); i.hasNext();) {
                core.add(outer(i.next()));
            }
        }
    }

    /**
     * Installs the listener, except in MinOneSolver, which learns under a bound of its
     * own, and in parallel solvers, which share one listener.
     */
    private void listen() throws Exception {
        String name = setting("solver");
        if (!listener.wanted() || Features.PARALLEL.contains(name) || name.equals("MinOneSolver")) {
            return;
        }
        solver().setSearchListener(listener);
    }

    @Override
    Collection<Integer> core() {
        return core;
    }

    @Override
    void havoc(long value) {
        if (solver == null || contradiction) {
            return;
        }
        if (!solved && Features.PARALLEL.contains(setting("solver"))) {
            return;
        }
        switch ((int) Long.remainderUnsigned(value, 4)) {
        case 0:
            solver.clearLearntClauses();
            break;
        case 1:
            solver.getStat();
            break;
        case 2:
            solver.printStat(new PrintWriter(new StringWriter()));
            break;
        default:
            solver.toString();
        }
    }
}
