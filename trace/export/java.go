package export

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// writeJava writes a program for Sat4j. IPASIR uses its SAT solvers, IPAMIR its weighted
// MaxSAT decorator, which can solve only once.
func writeJava(w io.Writer, t *trace.Trace, o Options) error {
	want, err := scriptable(o.Failure)
	if err != nil {
		return err
	}
	steps, err := stepsOf(t, &o, t.Model != apimodel.IPAMIR)
	if err != nil {
		return err
	}
	p := &javaProgram{want: want, weighted: t.Model == apimodel.IPAMIR, highest: highest(t)}
	if p.weighted {
		if err := forOneSolve(t, steps); err != nil {
			return err
		}
	}
	for i := range steps {
		if err := p.step(&steps[i]); err != nil {
			return err
		}
	}
	var file bytes.Buffer
	class := className(o.Name)
	jars := "org.sat4j.core.jar"
	if p.weighted {
		jars = "org.sat4j.core.jar:org.sat4j.pb.jar:org.sat4j.maxsat.jar"
	}
	fmt.Fprintf(&file, "/* %s, as a program for Sat4j.\n", harmless(o.Name))
	if o.Failure.Class != "" {
		fmt.Fprintf(&file, " *\n * Fault: %s %s\n", o.Failure.Class, harmless(o.Failure.Detail))
	}
	fmt.Fprintf(&file, " *\n * Build: javac -cp %s %s.java\n * Run:   java -ea -cp %s:. %s\n", jars, class, jars, class)
	file.WriteString(" * Exit code: 0 when the fault is not there, else it is there.\n */\n")
	for _, name := range p.imports() {
		fmt.Fprintf(&file, "import %s;\n", name)
	}
	fmt.Fprintf(&file, javaHead, class)
	fmt.Fprintf(&file, "%s        if (faults == 0) System.out.println(\"nothing is wrong\");\n"+
		"        System.exit(faults == 0 ? 0 : 1);\n    }\n}\n", &p.body)
	_, err = w.Write(file.Bytes())
	return err
}

const javaHead = `
@SuppressWarnings({"unchecked", "rawtypes"})
public class %s {
    static int faults;

    /** Says what is wrong, and remembers it. */
    static void expect(boolean right, String place, String what) {
        if (right) return;
        System.err.println(place + ": expected: " + what);
        faults++;
    }

    /** Whether the model makes one literal of the clause true. */
    static boolean fulfils(IProblem problem, int... clause) {
        for (int literal : clause)
            if (problem.model(Math.abs(literal)) == literal > 0) return true;
        return false;
    }

    public static void main(String[] args) throws Exception {
`

// forOneSolve refuses traces that the MaxSAT decorator cannot run: it solves once, and its weights are ints.
func forOneSolve(t *trace.Trace, steps []step) error {
	solves := 0
	for i := range steps {
		s := &steps[i]
		switch {
		case s.op == apimodel.OpSolve:
			if solves++; solves > 1 {
				return cannotSay("%s: it is the second solve, and Sat4j's MaxSAT solvers have one", s.place)
			}
			if v := s.solve; !v.sum {
				return cannotSay("%s: the weights are too large for Sat4j", s.place)
			}
		case s.op == apimodel.OpSoft && s.soft.weight > math.MaxInt32:
			return cannotSay("%s: the weight is too large for Sat4j's soft clauses", s.place)
		case s.op == apimodel.OpRelease && solves == 0, s.instance != t.Calls[0].Instance:
			return cannotSay("%s: one solver is all that the program has", s.place)
		}
	}
	return nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]`)

// className returns the name of the file in the form that Java requires.
func className(file string) string {
	name := notInNames.ReplaceAllString(strings.TrimSuffix(filepath.Base(file), ".java"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "R" + name
	}
	return name
}

type javaProgram struct {
	want     wanted
	weighted bool
	highest  int32                   // highest variable of the trace
	options  map[uint16]sat4jOptions // options of solvers that the program has yet to make
	known    map[string]int32        // highest variable that the program has told each solver
	counts   bool                    // the program counts solutions
	calls    int                     // number of enumerate calls
	made     map[uint16]sat4jOptions // options of the solvers that the program has made
	clauses  map[uint16][][]int32
	declared map[string]bool
	body     bytes.Buffer
	err      error
}

func (p *javaProgram) imports() []string {
	list := []string{"org.sat4j.core.VecInt", "org.sat4j.specs.ContradictionException", "org.sat4j.specs.IProblem"}
	if p.weighted {
		return append(list, "org.sat4j.maxsat.WeightedMaxSatDecorator", "org.sat4j.pb.PseudoOptDecorator")
	}
	list = append(list, "org.sat4j.minisat.SolverFactory", "org.sat4j.specs.ISolver", "org.sat4j.specs.IVecInt")
	if p.counts {
		list = append(list, "org.sat4j.tools.ModelIterator", "org.sat4j.tools.SearchEnumeratorListener",
			"org.sat4j.tools.SolutionFoundListener")
	}
	return list
}

func (p *javaProgram) line(format string, args ...any) {
	fmt.Fprintf(&p.body, "        "+format+"\n", args...)
}

// declare returns the type of a variable to write before its first assignment.
func (p *javaProgram) declare(kind, name string) string {
	if p.declared == nil {
		p.declared = make(map[string]bool)
	}
	if p.declared[name] {
		return name
	}
	p.declared[name] = true
	return kind + " " + name
}

func (p *javaProgram) step(s *step) error {
	name := fmt.Sprintf("s%d", s.instance)
	if p.clauses == nil {
		p.clauses, p.options, p.made, p.known = make(map[uint16][][]int32), make(map[uint16]sat4jOptions),
			make(map[uint16]sat4jOptions), make(map[string]int32)
	}
	if options := p.options[s.instance]; options != nil && s.op != apimodel.OpOption {
		p.make(name, options)
		p.made[s.instance], p.options[s.instance] = options, nil
	}
	if write := forms[s.op].java; write != nil {
		write(p, s, name)
	}
	return p.err
}

// contradiction returns the name of the variable that says whether the solver has found a contradiction.
func (s *step) contradiction() string { return fmt.Sprintf("contradiction%d", s.instance) }

func (p *javaProgram) init(s *step, name string) {
	p.clauses[s.instance] = nil
	if p.weighted {
		p.line("WeightedMaxSatDecorator %s = new WeightedMaxSatDecorator(org.sat4j.pb.SolverFactory.newDefault());", name)
		p.line("%s.newVar(%d);", name, p.highest)
	} else {
		p.options[s.instance] = make(sat4jOptions) // the program makes the solver when all its options are known
	}
	p.line("%s = false; // Sat4j says so with an exception, and remembers nothing of it",
		p.declare("boolean", s.contradiction()))
}

func (p *javaProgram) option(s *step, _ string) {
	if p.options[s.instance] == nil {
		p.err = cannotSay("%s: the options of a solver come before everything else", s.place)
	} else if err := p.options[s.instance].set(s.setting.Name, s.setting.Value); err != nil {
		p.err = fmt.Errorf("%s: %w", s.place, err)
	}
}

func (p *javaProgram) release(_ *step, name string) { p.line("%s.reset();", name) }

func (p *javaProgram) clause(s *step, name string) {
	add := "addClause"
	if p.weighted {
		add = "addHardClause"
	}
	p.clauses[s.instance] = append(p.clauses[s.instance], s.lits)
	p.name(s, name, s.lits)
	p.line("try { %s.%s(new VecInt(new int[] {%s})); } catch (ContradictionException e) { %s = true; }", name, add,
		javaList(s.lits), s.contradiction())
}

func (p *javaProgram) solve(s *step, name string) {
	if p.weighted {
		p.maxsat(s, name, s.contradiction())
	} else {
		p.sat(s, name, s.contradiction())
	}
}

// make writes statements that make a solver. All its options must be known.
func (p *javaProgram) make(name string, options sat4jOptions) {
	p.line("%s = %s;", p.declare("ISolver", name), options.make())
	if lines := options.statements(name); len(lines) > 0 {
		p.line("{\n            %s\n        }", strings.Join(lines, "\n            "))
	}
	p.known[name] = 0
}

// name writes a statement that tells a solver its highest variable, before a call uses it.
func (p *javaProgram) name(s *step, name string, lits []int32) {
	most := p.known[name]
	for _, lit := range lits {
		most = max(most, trace.Var(lit))
	}
	if most > p.known[name] && !p.weighted && p.made[s.instance]["declare"] != "false" {
		p.line("%s.newVar(%d);", name, most)
	}
	p.known[name] = most
}

// enumerate writes statements that count with both enumerators, each in a new solver. The counts
// must agree, and an exception is a fault, too.
func (p *javaProgram) enumerate(s *step, _ string) {
	p.counts = true
	p.calls++
	numbers := make(map[int32]int32) // no gaps, because enumerators count every variable that they know
	for _, clause := range p.clauses[s.instance] {
		for _, lit := range clause {
			if v := trace.Var(lit); numbers[v] == 0 {
				numbers[v] = int32(len(numbers) + 1)
			}
		}
	}
	variables := int32(len(numbers))
	var names [2]string
	p.line("{")
	for i, way := range []string{"internal", "external"} {
		names[i] = fmt.Sprintf("%s%d", way, p.calls)
		p.line("ISolver %s = %s;", names[i], p.made[s.instance].make())
		for _, line := range p.made[s.instance].statements(names[i]) {
			p.line("%s", line)
		}
		if variables > 0 && p.made[s.instance]["declare"] != "false" {
			p.line("%s.newVar(%d);", names[i], variables)
		}
		p.line("for (int v = 1; v <= %d; v++) %s.registerLiteral(v);", variables, names[i])
		p.line("boolean refuted%s = false;", names[i])
		for _, clause := range p.clauses[s.instance] {
			renumbered := make([]int32, len(clause))
			for k, lit := range clause {
				if renumbered[k] = numbers[trace.Var(lit)]; lit < 0 {
					renumbered[k] = -renumbered[k]
				}
			}
			p.line("try { %s.addClause(new VecInt(new int[] {%s})); } catch (ContradictionException e) { refuted%[1]s = true; }",
				names[i], javaList(renumbered))
		}
	}
	p.line("SearchEnumeratorListener inside = new SearchEnumeratorListener(SolutionFoundListener.VOID);")
	p.line("%s.setSearchListener(inside);", names[0])
	p.line("if (!refuted%s) %[1]s.isSatisfiable();", names[0])
	p.line("ModelIterator outside = new ModelIterator(%s);", names[1])
	p.line("while (!refuted%s && outside.isSatisfiable()) outside.model();", names[1])
	p.line("System.out.println(inside.getNumberOfSolutionFound() + \" solutions inside, \" + " +
		"outside.numberOfModelsFoundSoFar() + \" outside\");")
	p.line("expect(inside.getNumberOfSolutionFound() == outside.numberOfModelsFoundSoFar(), %s, \"the same number of "+
		"solutions twice\");", literal(s.place))
	p.line("}")
}

func (p *javaProgram) sat(s *step, name, contradiction string) {
	v := s.solve
	p.name(s, name, v.assumed)
	for _, lit := range v.assumed {
		p.line("%s.registerLiteral(%d);", name, lit) // the variable may be in no clause
	}
	p.line("%s = !%s && %s.isSatisfiable(new VecInt(new int[] {%s}));", p.declare("boolean", "sat"), contradiction, name,
		javaList(v.assumed))
	p.verdict(s)
	if p.want.model {
		for _, clause := range p.withAssumptions(s) {
			p.line("expect(!sat || fulfils(%s, %s), %s, \"a model that fulfils the clause\");", name, javaList(clause),
				literal(s.place))
		}
	}
	if s.has.core && (p.want.core || p.want.failed) {
		p.line("if (!sat && !%s) {", contradiction)
		p.line("    IVecInt core = %s.unsatExplanation();", name)
		p.line("    ISolver again = SolverFactory.newDefault();")
		p.line("    boolean refuted = false;")
		p.line("    again.newVar(%d);", p.highest)
		for _, clause := range p.clauses[s.instance] {
			p.line("    try { again.addClause(new VecInt(new int[] {%s})); } catch (ContradictionException e) { refuted = "+
				"true; }", javaList(clause))
		}
		p.line("    expect(refuted || core == null || !again.isSatisfiable(core), %s, \"failed assumptions that contradict "+
			"the clauses\");", literal(s.place))
		p.line("}")
	}
	if p.want.repeat {
		p.line("boolean sat%d = sat;", v.call+1)
		if v.same != nil {
			p.line("expect(sat == sat%d, %s, \"the status of call %d: the same problem\");", v.same.call+1, literal(s.place),
				v.same.call+1)
		}
	}
}

func (p *javaProgram) verdict(s *step) {
	v := s.solve
	if !v.isRight || !p.want.status && !p.want.claims && !p.want.optimum {
		return
	}
	p.line("// What is right: %s.", v.rightText(p.weighted))
	if v.right.Status == apimodel.Unsatisfiable {
		p.line("expect(!sat, %s, \"no solution\");", literal(s.place))
	} else {
		p.line("expect(sat, %s, \"a solution\");", literal(s.place))
	}
}

func (p *javaProgram) withAssumptions(s *step) [][]int32 {
	all := append([][]int32(nil), p.clauses[s.instance]...)
	for _, lit := range s.solve.assumed {
		all = append(all, []int32{lit})
	}
	return all
}

// maxsat declares all costs just before the solve, because the decorator cannot replace a weight.
// Assumptions of the only solve become hard clauses.
func (p *javaProgram) maxsat(s *step, name, contradiction string) {
	v := s.solve
	for _, lit := range v.assumed {
		p.line("try { %s.addHardClause(new VecInt(new int[] {%d})); } catch (ContradictionException e) { %s = true; }", name,
			lit, contradiction)
	}
	for _, soft := range v.softs {
		p.line("%s.addSoftClause(%d, new VecInt(new int[] {%d})); // setting %d true costs %d", name, soft.weight, -soft.lit,
			soft.lit, soft.weight)
	}
	p.line("PseudoOptDecorator best = new PseudoOptDecorator(%s);", name)
	p.line("boolean sat = false;")
	p.line("try {")
	p.line("    while (!%s && best.admitABetterSolution()) { sat = true; best.discardCurrentSolution(); }", contradiction)
	p.line("} catch (ContradictionException e) { /* nothing is better */ }")
	p.verdict(s)
	p.line("if (sat) {")
	if p.want.model {
		for _, clause := range p.withAssumptions(s) {
			p.line("    expect(fulfils(best, %s), %s, \"a model that fulfils the clause\");", javaList(clause), literal(s.place))
		}
	}
	if p.want.cost || p.want.optimum {
		p.line("    long cost = 0;")
		for _, soft := range v.softs {
			p.line("    if (fulfils(best, %d)) cost += %dL;", soft.lit, soft.weight)
		}
		if v.priced && v.right.Status == apimodel.Optimum {
			p.line("    expect(cost == %dL, %s, \"a model that costs the optimum %d\");", v.right.Objective, literal(s.place),
				v.right.Objective)
		}
	}
	p.line("}")
}

func javaList(lits []int32) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(lits), "[]"), " ", ", ")
}
