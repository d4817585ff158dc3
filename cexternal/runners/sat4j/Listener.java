import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

import org.sat4j.core.LiteralsUtils;
import org.sat4j.specs.*;
import org.sat4j.tools.*;

/** Implements the callbacks terminate and learn by Sat4j's search listener. */
final class Listener extends SearchListenerAdapter<ISolverService> {
    private static final long serialVersionUID = 1L;
    static final long OFF = -1;
    /** At most so many learned clauses are reported per solve. */
    private static final int MOST_TOLD = 500;

    long terminate = OFF; // the first call that asks to stop; 0: none
    long learn = OFF; // maximal length of a clause

    private ISolverService solver;
    private long polls, pollsAfterStop;
    private final List<int[]> learned = new ArrayList<>();

    boolean wanted() {
        return terminate != OFF || learn != OFF;
    }

    boolean stopped() {
        return terminate > 0 && polls >= terminate;
    }

    void forget() {
        polls = pollsAfterStop = 0;
        learned.clear();
    }

    @Override
    public void init(ISolverService service) {
        solver = service;
    }

    @Override
    public void beginLoop() {
        if (terminate == OFF) {
            return;
        }
        if (terminate > 0 && polls >= terminate) {
            pollsAfterStop++;
        }
        polls++;
        if (terminate > 0 && polls >= terminate) {
            solver.stop();
        }
    }

    @Override
    public void learn(IConstr clause) {
        if (clause.size() <= learn && learned.size() < MOST_TOLD) {
            int[] literals = new int[clause.size()];
            for (int i = 0; i < literals.length; i++) {
                literals[i] = LiteralsUtils.toDimacs(clause.get(i));
            }
            learned.add(literals);
        }
    }

    @Override
    public void learnUnit(int literal) {
        if (learn >= 1 && learned.size() < MOST_TOLD) {
            learned.add(new int[] {literal});
        }
    }

    /** Writes what follows the status of a solve. */
    void tell(StringBuilder out, long nanos, IntUnaryOperator outer) {
        out.append(" nanos=").append(nanos);
        if (polls > 0) {
            out.append(" polls=").append(polls);
        }
        if (pollsAfterStop > 0) {
            out.append(" polls-after-stop=").append(pollsAfterStop);
        }
        if (!learned.isEmpty()) {
            out.append(" learned=").append(learned.size()).append(" clauses");
            for (int[] clause : learned) {
                for (int literal : clause) {
                    out.append(' ').append(outer.applyAsInt(literal));
                }
                out.append(" 0");
            }
        }
    }
}
