package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/trace"
)

// sat4jOptions are the options of the runner of Sat4j (cexternal/runners/sat4j). A program
// must set them with methods of Sat4j.
type sat4jOptions map[string]string

const asIs = "asis" // keeps what the factory of the solver has set

// settable are the options that a program can set.
var settable = []string{"solver", "data", "evaluation", "order", "pure-period", "order-decay", "phase", "random-walk",
	"learning",
	"active-percent", "learning-length", "learning-percent", "restarts", "restart-period", "luby-factor", "simplification",
	"var-decay", "clause-decay", "conflict-bound", "conflict-bound-factor", "db-simplification", "keep-hot",
	"conflict-timeout", "declare"}

func (o sat4jOptions) set(name, value string) error {
	if !slices.Contains(settable, name) {
		return cannotSay("option %s: the program has no words for it", name)
	}
	for _, b := range []byte(value) { // the program uses the value as a part of a name or a number
		if b != '.' && b != '-' && b != '_' && (b < '0' || b > '9') && (b|32 < 'a' || b|32 > 'z') {
			return cannotSay("option %s %s: that is not a value of Sat4j", name, value)
		}
	}
	o[name] = value
	return nil
}

func (o sat4jOptions) or(name, usual string) string {
	if value, ok := o[name]; ok {
		return value
	}
	return usual
}

// class returns the class that an option names, or "".
func (o sat4jOptions) class(name, folder string) string {
	if value := o.or(name, asIs); value != asIs {
		return "org.sat4j.minisat." + folder + "." + value
	}
	return ""
}

func (o sat4jOptions) make() string {
	if value, ok := o["solver"]; ok {
		return fmt.Sprintf("SolverFactory.instance().createSolverByName(%q)", value)
	}
	return "SolverFactory.newDefault()"
}

// statements returns the statements that set the options of the solver of that name, in the
// runner's order.
func (o sat4jOptions) statements(name string) (lines []string) {
	inner := "c" + name
	line := func(format string, args ...any) {
		if len(lines) == 0 {
			lines = append(lines, fmt.Sprintf("org.sat4j.minisat.core.Solver %s = (org.sat4j.minisat.core.Solver) %s;", inner,
				name))
		}
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	data, learning := o.class("data", "constraints"), o.class("learning", "learning")
	if data != "" {
		line("%s.setDataStructureFactory(new %s());", inner, data)
	}
	if value := o.or("evaluation", asIs); value != asIs {
		line("%s.setLearnedConstraintsDeletionStrategy(org.sat4j.minisat.core.LearnedConstraintsEvaluationType.%s);", inner,
			value)
	}
	for _, l := range o.order(inner) {
		line("%s", l)
	}
	switch _, kind, _ := strings.Cut(learning, ".learning."); kind {
	case "":
		if data != "" { // the solver's learning strategy refers to the old data
			line("%s.setLearningStrategy(new org.sat4j.minisat.learning.MiniSATLearning());", inner)
		}
	case "ActiveLearning", "FixedLengthLearning", "PercentLengthLearning":
		parameter := map[string]string{
			"ActiveLearning":        "setActivityPercent(" + o.or("active-percent", "0.95"),
			"FixedLengthLearning":   "setMaxLength(" + o.or("learning-length", "3"),
			"PercentLengthLearning": "setLimit(" + o.or("learning-percent", "10"),
		}[kind]
		line("%s l%s = new %[1]s();", learning, name)
		line("l%s.%s);", name, parameter)
		line("%s.setLearningStrategy(l%s);", inner, name)
	default:
		line("%s.setLearningStrategy(new %s());", inner, learning)
	}
	switch restarts := o.class("restarts", "restarts"); {
	case strings.HasSuffix(restarts, ".FixedPeriodRestarts"):
		line("%s r%s = new %[1]s();", restarts, name)
		line("r%s.setPeriod(%s);", name, o.or("restart-period", "100"))
		line("%s.setRestartStrategy(r%s);", inner, name)
	case restarts != "":
		line("%s.setRestartStrategy(new %s(%s));", inner, restarts,
			map[bool]string{true: o["luby-factor"]}[strings.HasSuffix(restarts, ".LubyRestarts")])
	}
	if value := o.or("simplification", asIs); value != asIs {
		line("%s.setSimplifier(org.sat4j.minisat.core.SimplificationType.%s);", inner, value)
	}
	for _, p := range [][2]string{{"var-decay", "setVarDecay"}, {"clause-decay", "setClaDecay"},
		{"conflict-bound", "setInitConflictBound"}, {"conflict-bound-factor", "setConflictBoundIncFactor"}} {
		if value, ok := o[p[0]]; ok {
			line("%s.getSearchParams().%s(%s);", inner, p[1], value)
		}
	}
	for _, p := range [][2]string{{"db-simplification", "setDBSimplificationAllowed(%s)"},
		{"keep-hot", "setKeepSolverHot(%s)"}} {
		if value, ok := o[p[0]]; ok {
			lines = append(lines, fmt.Sprintf("%s."+p[1]+";", name, value))
		}
	}
	if o["conflict-timeout"] == "true" {
		lines = append(lines, name+".setTimeoutOnConflicts(Integer.MAX_VALUE);")
	}
	return lines
}

// order returns expressions for the order in which the solver chooses decisions.
func (o sat4jOptions) order(inner string) []string {
	order, phase, walk := o.class("order", "orders"), o.class("phase", "orders"), o.or("random-walk", "0")
	variable := "o" + inner
	made := inner + ".getOrder()"
	if order != "" {
		made = "new " + order + "()"
	}
	lines := []string{fmt.Sprintf("org.sat4j.minisat.core.IOrder %s = %s;", variable, made)}
	if period, ok := o["pure-period"]; ok && strings.HasSuffix(order, ".PureOrder") {
		lines = append(lines, fmt.Sprintf("((%s) %s).setPeriod(%s);", order, variable, period))
	}
	if phase != "" {
		lines = append(lines, fmt.Sprintf("%s.setPhaseSelectionStrategy(new %s());", variable, phase))
	}
	if decay, ok := o["order-decay"]; ok {
		lines = append(lines, fmt.Sprintf("%s.setVarDecay(%s);", variable, decay))
	}
	if strings.Trim(walk, "0.") != "" {
		lines = append(lines, fmt.Sprintf("if (%s instanceof org.sat4j.minisat.orders.VarOrderHeap) %[1]s = new "+
			"org.sat4j.minisat.orders.RandomWalkDecorator((org.sat4j.minisat.orders.VarOrderHeap) %[1]s, %s);", variable, walk))
	}
	if len(lines) == 1 && order == "" {
		return nil
	}
	return append(lines, fmt.Sprintf("if (%s != %s.getOrder()) %[2]s.setOrder(%[1]s);", variable, inner))
}

// highest returns the number of the highest variable of a trace, at least 1.
func highest(t *trace.Trace) int32 {
	most := int32(1)
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op.HasLits() {
			for _, lit := range t.Args(c) {
				most = max(most, trace.Var(lit))
			}
		}
	}
	return most
}
