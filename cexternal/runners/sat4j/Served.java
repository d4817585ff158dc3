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

/** One solver of a trace, seen through IPASIR or IPAMIR. */
abstract class Served {
    static final int STOPPED = 0, FEASIBLE = 10, INFEASIBLE = 20, OPTIMAL = 30, REFUSED = 40;

    final Listener listener = new Listener();
    private final OptionModel options;
    private final Map<String, String> settings = new HashMap<>();
    private final Set<Integer> variables = new LinkedHashSet<>();
    private final List<Integer> open = new ArrayList<>();
    private List<Integer> pending = new ArrayList<>();
    int highest; // variable of Sat4j's that was named

    /**
     * Sat4j's tables are as long as its highest variable. Variables above MOST_AS_THEY_ARE
     * have the numbers behind it, in order of first use.
     */
    private static final int MOST_AS_THEY_ARE = 5000;
    private final Map<Integer, Integer> moved = new HashMap<>();
    private final Map<Integer, Integer> movedFrom = new HashMap<>();
    private int[] values = new int[0]; // by variable: 1, -1, or 0 for none

    Served(OptionModel options) {
        this.options = options;
    }

    /** Adds a clause that is complete. */
    abstract void clause(VecInt literals) throws Exception;

    /** Solves, and says so with an answer of the interface. A solution was handed to keep. */
    abstract int solve(List<Integer> assumptions) throws Exception;

    /** Does something that must not change any answer. */
    abstract void havoc(long value);

    void soft(int literal, BigInteger weight) throws Exception {
        throw new UnsupportedOperationException();
    }

    BigInteger objective() {
        throw new UnsupportedOperationException();
    }

    /** The assumptions of the last solve that failed. */
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

    /** Counts solutions up to most: what two ways of Sat4j say. */
    long[] enumerate(int most) throws Exception {
        throw new UnsupportedOperationException();
    }

    final void answerEnumerate(int most, StringBuilder out) throws Exception {
        pending = new ArrayList<>(); // no assumption plays a part
        for (long count : enumerate(most)) {
            out.append(' ').append(count);
        }
    }

    final void name(int literal) {
        if (variables.add(Math.abs(literal))) {
            highest = Math.max(highest, Math.abs(inner(literal)));
        }
    }

    /** The literal as Sat4j knows it. */
    final int inner(int literal) {
        int variable = Math.abs(literal);
        if (variable > MOST_AS_THEY_ARE) {
            variable = moved.computeIfAbsent(variable, v -> MOST_AS_THEY_ARE + 1 + moved.size());
            movedFrom.put(variable, Math.abs(literal));
        }
        return literal > 0 ? variable : -variable;
    }

    /** The literal as the trace knows it. */
    final int outer(int literal) {
        int variable = movedFrom.getOrDefault(Math.abs(literal), Math.abs(literal));
        return literal > 0 ? variable : -variable;
    }

    /** Keeps a model of Sat4j: the literals that are true, of the variables that it knows. */
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
        if (!options.has(name)) {
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
