import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.sat4j.minisat.core.*;
import org.sat4j.minisat.learning.ActiveLearning;
import org.sat4j.minisat.learning.FixedLengthLearning;
import org.sat4j.minisat.learning.MiniSATLearning;
import org.sat4j.minisat.learning.PercentLengthLearning;
import org.sat4j.minisat.orders.*;
import org.sat4j.minisat.restarts.*;
import org.sat4j.specs.ISolver;

/**
 * The components of a solver of org.sat4j.core. Classes are found by name, because
 * versions differ in the classes that they have.
 */
final class Features {
    static final List<String> PARALLEL = Arrays.asList("Parallel", "SATUNSAT");
    static final String CONCISE = "MixedDataStructureDanielWLConciseBinary";

    private static final String[] FEATURES = {
        "data", "order", "phase", "learning", "restarts", "simplification", "evaluation"};
    private static final Map<String, String[]> CLASSES = new LinkedHashMap<>();
    static {
        CLASSES.put("data", new String[] {"constraints", "CardinalityDataStructure", "CardinalityDataStructureYanMax",
            "CardinalityDataStructureYanMin", "ClausalDataStructureWL", "MixedDataStructureDanielHT",
            "MixedDataStructureDanielWL", CONCISE, "MixedDataStructureSingleWL"});
        CLASSES.put("order", new String[] {"orders", "VarOrderHeap", "PureOrder", "NaturalStaticOrder"});
        CLASSES.put("phase", new String[] {"orders", "NegativeLiteralSelectionStrategy",
            "PositiveLiteralSelectionStrategy", "PhaseCachingAutoEraseStrategy",
            "PhaseInLastLearnedClauseSelectionStrategy", "RandomLiteralSelectionStrategy",
            "RSATLastLearnedClausesPhaseSelectionStrategy", "RSATPhaseSelectionStrategy",
            "SolutionPhaseSelectionStrategy", "UserFixedPhaseSelectionStrategy"});
        CLASSES.put("learning", new String[] {"learning", "ActiveLearning", "ClauseOnlyLearning", "FixedLengthLearning",
            "MiniSATLearning", "NoLearningButHeuristics", "NoLearningNoHeuristics", "PercentLengthLearning"});
        CLASSES.put("restarts", new String[] {"restarts", "ArminRestarts", "EMARestarts", "FixedPeriodRestarts",
            "Glucose21Restarts", "LubyRestarts", "MiniSATRestarts", "NoRestarts"});
    }
    /** These may learn nothing from a conflict, so a search with restarts may never terminate. */
    private static final List<String> FORGETFUL = Arrays.asList("ActiveLearning", "FixedLengthLearning",
        "NoLearningButHeuristics", "NoLearningNoHeuristics", "PercentLengthLearning");

    private Features() { }

    static void declare(OptionModel m, List<String> solvers) {
        m.choice("data", choices("data"), OptionModel.ASIS, "data structure factory")
            .choice("order", choices("order"), OptionModel.ASIS, "which variable is decided next")
            .choice("phase", choices("phase"), OptionModel.ASIS, "which value is tried first")
            .choice("learning", choices("learning"), OptionModel.ASIS, "which conflicts are kept")
            .choice("restarts", choices("restarts"), OptionModel.ASIS, "when the search restarts")
            .choice("simplification", names(SimplificationType.values()), OptionModel.ASIS, "of learned clauses")
            .choice("evaluation", names(LearnedConstraintsEvaluationType.values()), OptionModel.ASIS,
                "which learned clauses are deleted")
            .integer("pure-period", 0, 100, 20, "of PureOrder")
            .real("order-decay", 0.01, 0.99, 0.95, "of the order's activities, until the search sets its own")
            .real("active-percent", 0, 0.99, 0.95, "of ActiveLearning")
            .integer("learning-length", 0, 200, 3, "of FixedLengthLearning")
            .integer("learning-percent", 0, 100, 10, "of PercentLengthLearning")
            .integer("restart-period", 1, 10000, 100, "of FixedPeriodRestarts; 0 would restart endlessly")
            .integer("luby-factor", 1, 1000, 32, "of LubyRestarts; 0 would restart endlessly")
            .real("var-decay", 0.9, 0.999, 0.95, "search parameter")
            .real("clause-decay", 0.9, 0.999, 0.999, "search parameter")
            .integer("conflict-bound", 1, 1000, 100, "search parameter: conflicts up to the first restart")
            .real("conflict-bound-factor", 1, 3, 1.5, "search parameter; less would end in restarts without conflicts")
            .real("random-walk", 0, 0.99, 0, "how often a decision is random");
        for (String learning : FORGETFUL) {
            for (String restarts : m.changes("restarts")) {
                if (!restarts.equals("NoRestarts")) {
                    m.exclude("learning", learning, "restarts", restarts);
                }
            }
        }
        for (String solver : solvers) {
            if (PARALLEL.contains(solver) || solver.equals("MinOneSolver")) { // their components cannot be exchanged
                for (String feature : FEATURES) {
                    for (String value : m.changes(feature)) {
                        m.exclude("solver", solver, feature, value);
                    }
                }
            }
        }
    }

    private static List<String> choices(String feature) {
        List<String> names = new ArrayList<>();
        names.add(OptionModel.ASIS);
        String[] row = CLASSES.get(feature);
        for (String name : Arrays.asList(row).subList(1, row.length)) {
            try {
                Class.forName("org.sat4j.minisat." + row[0] + "." + name);
                names.add(name);
            } catch (ClassNotFoundException e) {
                // another version has this class
            }
        }
        return names;
    }

    private static List<String> names(Enum<?>[] values) {
        List<String> names = new ArrayList<>();
        names.add(OptionModel.ASIS);
        for (Enum<?> value : values) {
            names.add(value.name());
        }
        return names;
    }

    /** Makes an instance of the class that an option names; null if the option is not set. */
    private static Object make(Served s, String feature) throws Exception {
        String name = s.setting(feature);
        if (name.equals(OptionModel.ASIS)) {
            return null;
        }
        Class<?> component = Class.forName("org.sat4j.minisat." + CLASSES.get(feature)[0] + "." + name);
        return component.getDeclaredConstructor().newInstance();
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void apply(Served s, ISolver solver) throws Exception {
        if (!(solver instanceof org.sat4j.minisat.core.Solver)) {
            return; // the exclusions allow no component here
        }
        org.sat4j.minisat.core.Solver cdcl = (org.sat4j.minisat.core.Solver) solver;
        DataStructureFactory data = (DataStructureFactory) make(s, "data");
        if (data != null) {
            cdcl.setDataStructureFactory(data);
        }
        if (!s.setting("evaluation").equals(OptionModel.ASIS)) {
            cdcl.setLearnedConstraintsDeletionStrategy(
                LearnedConstraintsEvaluationType.valueOf(s.setting("evaluation")));
        }
        order(s, cdcl);
        LearningStrategy learning = (LearningStrategy) make(s, "learning");
        if (learning == null && data != null) { // the present one refers to the old data structure
            learning = new MiniSATLearning();
        }
        if (learning != null) {
            parameter(s, learning);
            cdcl.setLearningStrategy(learning);
        }
        RestartStrategy restarts = (RestartStrategy) make(s, "restarts");
        if (restarts instanceof FixedPeriodRestarts) {
            ((FixedPeriodRestarts) restarts).setPeriod(Integer.parseInt(s.setting("restart-period")));
        } else if (restarts instanceof LubyRestarts && s.isSet("luby-factor")) {
            restarts = new LubyRestarts(Integer.parseInt(s.setting("luby-factor")));
        }
        if (restarts != null) {
            cdcl.setRestartStrategy(restarts);
        }
        if (!s.setting("simplification").equals(OptionModel.ASIS)) {
            cdcl.setSimplifier(SimplificationType.valueOf(s.setting("simplification")));
        }
        searchParameters(s, cdcl.getSearchParams());
    }

    @SuppressWarnings("rawtypes")
    private static void order(Served s, org.sat4j.minisat.core.Solver cdcl) throws Exception {
        IOrder order = (IOrder) make(s, "order");
        boolean walk = s.isSet("random-walk") && Double.parseDouble(s.setting("random-walk")) > 0;
        if (order instanceof PureOrder && s.isSet("pure-period")) {
            ((PureOrder) order).setPeriod(Integer.parseInt(s.setting("pure-period")));
        }
        if (order == null) {
            order = cdcl.getOrder();
        }
        IPhaseSelectionStrategy phase = (IPhaseSelectionStrategy) make(s, "phase");
        if (phase != null) {
            order.setPhaseSelectionStrategy(phase);
        }
        if (s.isSet("order-decay")) {
            order.setVarDecay(Double.parseDouble(s.setting("order-decay")));
        }
        if (walk && order instanceof VarOrderHeap) {
            order = new RandomWalkDecorator((VarOrderHeap) order, Double.parseDouble(s.setting("random-walk")));
        }
        if (order != cdcl.getOrder()) {
            cdcl.setOrder(order);
        }
    }

    @SuppressWarnings("rawtypes")
    private static void parameter(Served s, LearningStrategy learning) {
        if (learning instanceof ActiveLearning) {
            ((ActiveLearning) learning).setActivityPercent(Double.parseDouble(s.setting("active-percent")));
        } else if (learning instanceof FixedLengthLearning) {
            ((FixedLengthLearning) learning).setMaxLength(Integer.parseInt(s.setting("learning-length")));
        } else if (learning instanceof PercentLengthLearning) {
            ((PercentLengthLearning) learning).setLimit(Integer.parseInt(s.setting("learning-percent")));
        }
    }

    private static void searchParameters(Served s, SearchParams params) {
        if (s.isSet("var-decay")) {
            params.setVarDecay(Double.parseDouble(s.setting("var-decay")));
        }
        if (s.isSet("clause-decay")) {
            params.setClaDecay(Double.parseDouble(s.setting("clause-decay")));
        }
        if (s.isSet("conflict-bound")) {
            params.setInitConflictBound(Integer.parseInt(s.setting("conflict-bound")));
        }
        if (s.isSet("conflict-bound-factor")) {
            params.setConflictBoundIncFactor(Double.parseDouble(s.setting("conflict-bound-factor")));
        }
    }
}
