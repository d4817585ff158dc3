import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import org.sat4j.core.VecInt;
import org.sat4j.specs.ContradictionException;
import org.sat4j.specs.ISolver;
import org.sat4j.specs.ISolverService;
import org.sat4j.specs.IVecInt;
import org.sat4j.specs.IteratorInt;
import org.sat4j.specs.RandomAccessModel;
import org.sat4j.specs.TimeoutException;
import org.sat4j.tools.ModelIterator;
import org.sat4j.tools.SearchEnumeratorListener;
import org.sat4j.tools.SolutionFoundListener;

/**
 * Counts the solutions of clauses with Sat4j's two enumerators, each in a new solver,
 * because their blocking clauses would stay in the old one. Both count assignments of
 * all variables that they know, so the variables of the clauses are numbered without
 * gaps and registered.
 */
final class Enumeration {
    private final Map<Integer, Integer> numbers = new LinkedHashMap<>();
    private final Collection<VecInt> clauses;
    private final int most;

    Enumeration(Collection<VecInt> clauses, int most) {
        this.clauses = clauses;
        this.most = most;
        for (VecInt clause : clauses) {
            for (IteratorInt i = clause.iterator(); i.hasNext();) {
                numbers.computeIfAbsent(Math.abs(i.next()), v -> numbers.size() + 1);
            }
        }
    }

    private boolean load(ISolver solver, boolean declare) {
        if (declare && !numbers.isEmpty()) {
            solver.newVar(numbers.size());
        }
        for (int variable : numbers.values()) {
            solver.registerLiteral(variable);
        }
        try {
            for (VecInt clause : clauses) {
                IVecInt renumbered = new VecInt(clause.size());
                for (IteratorInt i = clause.iterator(); i.hasNext();) {
                    int literal = i.next();
                    renumbered.push(literal > 0 ? numbers.get(literal) : -numbers.get(-literal));
                }
                solver.addClause(renumbered);
            }
        } catch (ContradictionException e) {
            return false;
        }
        return true;
    }

    /** Counts with a new search for each solution, which blocks the previous ones. */
    long external(ISolver solver, boolean declare) throws TimeoutException {
        if (most == 0 || !load(solver, declare)) {
            return 0;
        }
        ModelIterator all = new ModelIterator(solver, most);
        while (all.isSatisfiable()) {
            all.model(); // without this call the iterator does not advance
        }
        return all.numberOfModelsFoundSoFar();
    }

    /** Counts in one search, which continues after each solution. */
    long internal(ISolver solver, boolean declare) throws TimeoutException {
        if (most == 0 || !load(solver, declare)) {
            return 0;
        }
        Counter counter = new Counter(most);
        solver.setSearchListener(counter);
        try {
            solver.isSatisfiable();
        } catch (TimeoutException e) {
            if (counter.getNumberOfSolutionFound() < most) {
                throw e;
            }
        }
        return counter.getNumberOfSolutionFound();
    }

    /** Adds a limit to Sat4j's listener. */
    private static final class Counter extends SearchEnumeratorListener {
        private static final long serialVersionUID = 1L;
        private final int most;
        private ISolverService service;

        Counter(int most) {
            super(SolutionFoundListener.VOID);
            this.most = most;
        }

        @Override
        public void init(ISolverService service) {
            super.init(service);
            this.service = service;
        }

        @Override
        public void solutionFound(int[] model, RandomAccessModel lazy) {
            super.solutionFound(model, lazy);
            if (getNumberOfSolutionFound() >= most) {
                service.stop();
            }
        }
    }
}
