import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.sat4j.core.VecInt;

/** Serves one solver of a trace as IPASIR or IPAMIR. */
abstract class Served {
    static final int STOPPED = 0, FEASIBLE = 10, INFEASIBLE = 20, OPTIMAL = 30, REFUSED = 40;

    final Listener listener = new Listener();
    private final OptionModel options;
    private final Map<String, String> settings = new HashMap<>();
    private final Set<Integer> variables = new LinkedHashSet<>();
    private final List<Integer> open = new ArrayList<>();
    private List<Integer> pending = new ArrayList<>();
    int highest; // variable of Sat4j in use

    /**
     * Sat4j's tables grow with its highest variable. Variables above MOST_AS_THEY_ARE
     * get the numbers that follow it, in the order of first use.
     */
    private static final int MOST_AS_THEY_ARE = 5000;
    private final Map<Integer, Integer> moved = new HashMap<>();
    private final Map<Integer, Integer> movedFrom = new HashMap<>();
    private int[] values = new int[0]; // of each variable: 1, -1, or 0 for none

    Served(OptionModel options) {
        this.options = options;
    }

    /** Adds a complete clause. */
    abstract void clause(VecInt literals) throws Exception;

    /** Solves and returns the status of the interface. Passes a solution to keep. */
    abstract int solve(List<Integer> assumptions) throws Exception;

    /** Does something that must not change any answer. */
    abstract void havoc(long value);

    void soft(int literal, BigInteger weight) throws Exception {
        throw new UnsupportedOperationException();
    }

    BigInteger objective() {
        throw new UnsupportedOperationException();
    }

    /** Returns the failed assumptions of the last solve. */
    Collection<Integer> core() {
        throw new UnsupportedOperationException();
    }

    final void add(int[] literals) throws Exception {
        for (int literal : literals) {
            if (literal != 0) {
                name(literal);
                open.add(literal);
                continue;
            }
            VecInt clause = new VecInt(open.size());
            for (int l : open) {
                clause.push(inner(l));
            }
            open.clear();
            clause(clause);
        }
    }

    final void assume(int literal) {
        name(literal);
        pending.add(literal);
    }

    final void answerSolve(StringBuilder out) throws Exception {
        List<Integer> assumptions = pending;
        pending = new ArrayList<>();
        listener.forget();
        values = new int[highest + 1];
        long begun = System.nanoTime();
        out.append(' ').append(solve(assumptions));
        listener.tell(out, System.nanoTime() - begun, this::outer);
    }

    /** Counts solutions up to most, in two ways. */
    long[] enumerate(int most) throws Exception {
        throw new UnsupportedOperationException();
    }

    final void answerEnumerate(int most, StringBuilder out) throws Exception {
        pending = new ArrayList<>(); // assumptions do not matter
        for (long count : enumerate(most)) {
            out.append(' ').append(count);
        }
    }

    final void name(int literal) {
        if (variables.add(Math.abs(literal))) {
            highest = Math.max(highest, Math.abs(inner(literal)));
        }
    }

    /** Returns Sat4j's literal for a literal of the trace. */
    final int inner(int literal) {
        int variable = Math.abs(literal);
        if (variable > MOST_AS_THEY_ARE) {
            variable = moved.computeIfAbsent(variable, v -> MOST_AS_THEY_ARE + 1 + moved.size());
            movedFrom.put(variable, Math.abs(literal));
        }
        return literal > 0 ? variable : -variable;
    }

    /** Returns the literal of the trace for a literal of Sat4j. */
    final int outer(int literal) {
        int variable = movedFrom.getOrDefault(Math.abs(literal), Math.abs(literal));
        return literal > 0 ? variable : -variable;
    }

    /** Stores a model of Sat4j: the true literals of the variables that it knows. */
    final void keep(int[] model) {
        for (int literal : model) {
            if (Math.abs(literal) < values.length) {
                values[Math.abs(literal)] = literal > 0 ? 1 : -1;
            }
        }
    }

    final int value(int variable) {
        if (!variables.contains(variable)) {
            return 0;
        }
        int at = inner(variable);
        return at < values.length ? values[at] : 0;
    }

    final Set<Integer> variables() {
        return variables;
    }

    final boolean set(String name, String value) {
        if (!options.takes(name, value)) {
            return false;
        }
        settings.put(name, value);
        return true;
    }

    final String setting(String name) {
        return settings.getOrDefault(name, options.usual(name));
    }

    final boolean isSet(String name) {
        return settings.containsKey(name);
    }

    final boolean on(String name) {
        return Boolean.parseBoolean(setting(name));
    }
}
