package export

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

//go:embed text/program.py
var pythonText string

// writePython writes a program for the solvers of PySAT or, for traces of IPAMIR, of hermax, whose
// interface has the functions of IPAMIR.
func writePython(w io.Writer, t *trace.Trace, o Options) error {
	want, err := scriptable(o.Failure)
	if err != nil {
		return err
	}
	steps, err := stepsOf(t, &o, false)
	if err != nil {
		return err
	}
	p := &pythonProgram{want: want, weighted: t.Model == apimodel.IPAMIR}
	for i := range steps {
		p.step(&steps[i])
	}
	var file bytes.Buffer
	fmt.Fprintf(&file, "#!/usr/bin/env python3\n# %s, as a program for %s.\n", oneLine(o.Name),
		map[bool]string{true: "hermax (pip install hermax)", false: "PySAT (pip install python-sat)"}[p.weighted])
	if o.Failure.Class != "" {
		fmt.Fprintf(&file, "#\n# Fault: %s %s\n", o.Failure.Class, oneLine(o.Failure.Detail))
	}
	fmt.Fprintf(&file, "#\n# Usage: python3 FILE [SOLVER]\n# Exit code: 0 when the fault is not there, 125 when that "+
		"cannot be told, else it is there.\n")
	file.WriteString(pythonText + "\n\n")
	if p.weighted {
		file.WriteString(`try:
    import hermax.incremental
    make = getattr(hermax.incremental, sys.argv[1] if len(sys.argv) > 1 else "UWrMaxSAT")
except (ImportError, AttributeError) as error:
    print(error, file=sys.stderr)
    sys.exit(125)
`)
	} else {
		file.WriteString(`try:
    from pysat.solvers import Solver
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(125)


def make():
    return Solver(name=sys.argv[1] if len(sys.argv) > 1 else "cadical153")

`)
	}
	fmt.Fprintf(&file, "\n%s\nif not faults:\n    print(\"nothing is wrong\")\nsys.exit(1 if faults else 0)\n", &p.body)
	_, err = w.Write(file.Bytes())
	return err
}

func oneLine(s string) string { return strings.Join(strings.Fields(harmless(s)), " ") }

type pythonProgram struct {
	want     wanted
	weighted bool
	body     bytes.Buffer
}

func (p *pythonProgram) line(format string, args ...any) {
	fmt.Fprintf(&p.body, format+"\n", args...)
}

func (p *pythonProgram) step(s *step) {
	if write := forms[s.op].python; write != nil {
		write(p, s, fmt.Sprintf("s%d", s.instance))
	}
}

func (p *pythonProgram) init(s *step, name string) {
	p.line("%s = make()\nclauses%d = []", name, s.instance)
}

func (p *pythonProgram) release(_ *step, name string) {
	p.line("%s.%s()", name, map[bool]string{true: "close", false: "delete"}[p.weighted])
}

func (p *pythonProgram) clause(s *step, name string) {
	p.line("%s.add_clause(%s)\nclauses%d.append(%s)", name, pythonList(s.lits), s.instance, pythonList(s.lits))
}

func (p *pythonProgram) soft(s *step, name string) {
	p.line("%s.set_soft(%d, %d)  # setting %d true costs that", name, -s.soft.lit, s.soft.weight, s.soft.lit)
}

func (p *pythonProgram) solve(s *step, name string) {
	v := s.solve
	where := literal(s.place)
	p.line("status = %s.solve(assumptions=%s)", name, pythonList(v.assumed))
	if p.weighted {
		p.line("status = int(%s.get_status())", name)
	} else {
		p.line("status = {True: 10, False: 20}.get(status, 0)")
	}
	if v.isRight && (p.want.status || p.want.claims) {
		p.line("# What is right: %s.", v.rightText(p.weighted))
		switch {
		case p.want.status:
			p.line("expect(status == %d, %s, \"status %d\")", v.right.Status, where, v.right.Status)
		case v.right.Status == apimodel.Unsatisfiable:
			p.line("expect(status not in (10, 30), %s, \"status 20: there is no solution\")", where)
		default:
			p.line("expect(status != 20, %s, \"another status than 20: there is a solution\")", where)
		}
	}
	if s.has.core && !p.weighted {
		p.core(s, name, where)
	}
	if p.want.model || p.want.cost || p.want.optimum {
		p.solution(s, name, where)
	}
	if p.want.repeat && v.same != nil {
		p.line("expect(status == status%d, %s, \"the status of call %d: the same problem\")", v.same.call+1, where,
			v.same.call+1)
	}
	p.line("status%d = status", v.call+1)
}

func (p *pythonProgram) core(s *step, name, where string) {
	p.line("if status == 20:\n    core = %s.get_core() or []", name)
	if p.want.failed {
		p.line("    expect(set(core) <= set(%s), %s, \"assumptions of this solve\")", pythonList(s.solve.assumed), where)
	}
	if p.want.core {
		p.line("    expect(not satisfiable(clauses%d, core), %s, \"failed assumptions that contradict the clauses\")",
			s.instance, where)
	}
	if !p.want.core && !p.want.failed {
		p.line("    pass")
	}
}

func (p *pythonProgram) solution(s *step, name, where string) {
	v := s.solve
	p.line("if status in (10, 30):\n    model = set(%s.get_model() or [])", name)
	if p.want.model && s.has.values {
		p.line("    expect(satisfiable(clauses%d, model | set(%s)), %s, \"values that fulfil all clauses and assumptions\")",
			s.instance, pythonList(v.assumed), where)
	}
	if !p.weighted {
		return
	}
	if p.want.cost && s.has.objective {
		p.line("    expect(%s.get_cost() == cost(model, %s), %s, \"the objective is the cost of the model\")", name,
			pythonSofts(v.softs), where)
	}
	if p.want.optimum && v.priced && v.right.Status == apimodel.Optimum {
		p.line("    # What is right: %s.", v.rightText(true))
		p.line("    expect(status == 10 or %s.get_cost() == %d, %s, \"the optimum %d\")", name, v.right.Objective, where,
			v.right.Objective)
	}
}

// literal quotes a text in a form that means the same in Java and Python.
func literal(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(oneLine(s)) + `"`
}

func pythonList(lits []int32) string {
	return strings.ReplaceAll("["+strings.Trim(fmt.Sprint(lits), "[]")+"]", " ", ", ")
}

func pythonSofts(softs []softLit) string {
	var list []string
	for _, s := range softs {
		list = append(list, fmt.Sprintf("(%d, %d)", s.lit, s.weight))
	}
	return "[" + strings.Join(list, ", ") + "]"
}
