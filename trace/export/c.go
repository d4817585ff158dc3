package export

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A cProgram collects the parts of a program: the body, which makes the calls of the trace, and the
// tables that the checks need.
type cProgram struct {
	t    *trace.Trace
	o    Options
	want wanted

	data, body bytes.Buffer
	fails      bool   // an allocation may have failed
	guard      string // condition of the open block, about the last answer
	solvers    map[uint16]*solver
	named      map[uint16][]int32 // variables in order of first occurrence
	isNamed    map[uint16]map[int32]bool
	started    []uint16 // instances in the order in which the executor releases them
	lives      []*solver
	variables  []int32 // all variables of the trace, sorted
	asserted   int
	written    map[string]bool // names of the tables that are written
	callbacks  map[uint16]map[apimodel.Op]bool
	threads    *threaded // nil if the program has no threads
	quantified map[uint16]*qbf.State
	tooLarge   bool // a formula has too many variables for the program to decide it
	isNew      bool // the current call is the first to name one of its variables
}

func writeC(w io.Writer, t *trace.Trace, o Options) error {
	want, err := wantedFor(o.Failure)
	if err != nil {
		return err
	}
	p := &cProgram{t: t, o: o, want: want, solvers: make(map[uint16]*solver), named: make(map[uint16][]int32),
		isNamed: make(map[uint16]map[int32]bool), written: make(map[string]bool),
		quantified: make(map[uint16]*qbf.State)}
	if t.Model.Extends != nil && t.Model != apimodel.IPASIR2 && !want.crash && !want.guarded && !want.claims {
		return cannotSay("with calls of %s a fault of class %s cannot be shown", t.Model.Name, o.Failure.Class)
	}
	if t.Model.Quantified() {
		if p.want, err = p.want.withoutChecks(o.Failure, true); err != nil {
			return err
		}
		if p.want.values && !p.want.unseen && !p.policy(otherValues, "zero", true) {
			return cannotSay("the target may give any values, which may change, to variables outside the outermost block "+
				"(policy %s); a program does not tell these from the others", otherValues)
		}
	}
	p.callbacks = callbacksOf(t)
	p.variables = sorted(t.Variables())
	if err := p.calls(); err != nil {
		return err
	}
	for _, instance := range p.started {
		if s := p.solvers[instance]; s != nil {
			p.close(s)
			p.line("%s (s%d);", p.function("release"), instance)
		}
	}
	p.unguard()
	if p.tooLarge {
		return cannotSay("a fault of class %s shows by deciding a formula of more than %d variables", o.Failure.Class,
			mostDecided)
	}
	if p.want.answers() && p.asserted == 0 {
		return cannotSay("the trace does not say what is right: no expectation behind '=', and no answer that could be " +
			"checked without one")
	}
	_, err = w.Write(p.assemble())
	return err
}

func callbacksOf(t *trace.Trace) map[uint16]map[apimodel.Op]bool {
	all := make(map[uint16]map[apimodel.Op]bool)
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpTerminate || c.Op == apimodel.OpLearn {
			if all[c.Instance] == nil {
				all[c.Instance] = make(map[apimodel.Op]bool)
			}
			all[c.Instance][c.Op] = true
		}
	}
	return all
}

func (p *cProgram) line(format string, args ...any) {
	p.body.WriteString("  ")
	if p.guard != "" {
		p.body.WriteString("  ")
	}
	fmt.Fprintf(&p.body, format, args...)
	p.body.WriteByte('\n')
}

// under opens a block with the condition guard, unless that block is open.
func (p *cProgram) under(guard string) {
	if p.guard == guard {
		return
	}
	p.unguard()
	p.line("if (%s) {", guard)
	p.guard = guard
}

func (p *cProgram) unguard() {
	if p.guard != "" {
		p.guard = ""
		p.line("}")
	}
}

func (p *cProgram) weighted() bool { return p.t.Model == apimodel.IPAMIR }

func (p *cProgram) function(call string) string { return p.t.Model.Interface().Name + "_" + call }

func (p *cProgram) call(i int) {
	c := &p.t.Calls[i]
	if c.Op == apimodel.OpSignature {
		p.unguard()
		p.line("%s ();", p.function("signature"))
		return
	}
	if value, fails := p.failing(c); fails {
		p.unguard()
		p.line("fail_allocation (%s);", value)
		p.fails = true
		return
	}
	s := p.solvers[c.Instance]
	if !c.Op.Does(apimodel.Asks) {
		p.close(s)
	}
	if s == nil || !c.Op.Does(apimodel.Asks) {
		p.unguard()
	}
	if s == nil {
		s = p.start(c)
	}
	p.isNew = p.name(s, c)
	p.follow(i)
	if write := forms[c.Op].c; write != nil {
		write(p, s, i)
	} else {
		p.plain(s, i)
	}
	s.take(p.t, c)
}

func (p *cProgram) release(s *solver, _ int) {
	p.line("%s (s%d);", p.function("release"), s.instance)
	p.solvers[s.instance] = nil
	p.named[s.instance], p.isNamed[s.instance] = nil, nil
}

// failing returns the number of the allocation that the call causes to fail.
func (p *cProgram) failing(c *trace.Call) (value string, fails bool) {
	if c.Op != apimodel.OpOption {
		return "", false
	}
	name, value := p.t.Option(c)
	return value, name == apimodel.FailAllocation
}

// start writes the init of a solver, which the first call of an instance implies.
func (p *cProgram) start(c *trace.Call) *solver {
	known := slices.Contains(p.started, c.Instance)
	s := newSolver(c, fmt.Sprintf("clauses_%d", c.Instance))
	kind := "void *"
	if known {
		if p.uses("stopper", s) {
			p.line("stopper_%d.installed = 0;", c.Instance)
		}
		if p.uses("listener", s) {
			p.line("listener_%d.installed = 0;", c.Instance)
		}
		kind = "" // the variable is declared already: this is a new solver after a release
		s.name += fmt.Sprintf("_%d", len(p.lives))
	} else {
		p.started = append(p.started, c.Instance)
		if StartsThreads(p.t) { // another thread may use it
			fmt.Fprintf(&p.data, "static void *s%d;\n", c.Instance)
			kind = ""
		}
	}
	p.line("%ss%d = %s ();", kind, c.Instance, p.function("init"))
	if p.fails {
		p.line("if (!s%d) exit (125); /* it says that it has no memory */", c.Instance)
	}
	for _, o := range p.o.Settings {
		p.setOption(c.Instance, o.Name, o.Value)
	}
	p.solvers[c.Instance] = s
	p.lives = append(p.lives, s)
	return s
}

// name records the variables of a call, and reports whether one of them is new.
func (p *cProgram) name(s *solver, c *trace.Call) (isNew bool) {
	if !c.Op.HasLits() {
		return false
	}
	if p.isNamed[s.instance] == nil {
		p.isNamed[s.instance] = make(map[int32]bool)
	}
	for _, lit := range p.t.Args(c) {
		if v := trace.Var(lit); !p.isNamed[s.instance][v] {
			p.isNamed[s.instance][v] = true
			p.named[s.instance] = append(p.named[s.instance], v)
			isNew = true
		}
	}
	return isNew
}

func (p *cProgram) clause(_ *solver, i int) {
	c := &p.t.Calls[i]
	add := p.function("add")
	if p.weighted() {
		add = p.function("add_hard")
	}
	lits := p.t.Args(c)
	if c.Flags&trace.Open == 0 {
		lits = append(lits, 0) // this does not overwrite the arena: Args bounds the capacity
	}
	var line strings.Builder
	for n, lit := range lits {
		if n > 0 {
			line.WriteByte(' ')
		}
		fmt.Fprintf(&line, "%s (s%d, %d);", add, c.Instance, lit)
	}
	p.line("%s", line.String())
}

func (p *cProgram) terminate(s *solver, i int) {
	c := &p.t.Calls[i]
	state := fmt.Sprintf("stopper_%d", s.instance)
	if c.Flags&trace.Off != 0 {
		p.line("%s.installed = 0;", state)
		p.line("%s (s%d, 0, 0);", p.function("set_terminate"), s.instance)
		return
	}
	p.line("%s.installed = 1; %s.stop_at = %d;", state, state, c.Num)
	p.line("%s (s%d, &%s, says_stop);", p.function("set_terminate"), s.instance, state)
}

func (p *cProgram) learn(s *solver, i int) {
	c := &p.t.Calls[i]
	state := fmt.Sprintf("listener_%d", s.instance)
	if c.Flags&trace.Off != 0 {
		p.line("%s.installed = 0;", state)
		p.line("%s (s%d, 0, 0, 0);", p.function("set_learn"), s.instance)
		return
	}
	p.line("%s.installed = 1; %s.longest = %d;", state, state, c.Num)
	p.line("%s (s%d, &%s, %d, takes_clause);", p.function("set_learn"), s.instance, state, c.Num)
}

func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, ch := range []byte(s) {
		switch {
		case ch == '"' || ch == '\\' || ch == '?' || ch < ' ' || ch >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", ch)
		default:
			b.WriteByte(ch)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func unsigned(n uint64) string {
	if n < 1<<31 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("UINT64_C (%d)", n)
}
