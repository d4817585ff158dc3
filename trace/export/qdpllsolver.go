package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A qdpllSolver is one life of one instance. With the option incremental=false, the program
// makes a new object for every solve and adds the whole formula to it.
type qdpllSolver struct {
	p     *qdpllProgram
	id    string // name of its C variable
	life  int
	made  bool // the program has made an object
	after bool // no change has followed the last solve yet

	flags                       map[string]string // by option
	incremental, relevant, qbce bool

	state   *qbf.State
	named   []int32
	blocks  int
	open    []int32 // the open clause
	assumed bool
	err     error
	asked   bool // the program has asked which assumptions are relevant
	groups  map[uint64]string
	names   int // number of C variables for groups
}

func (p *qdpllProgram) start(instance uint16) (*qdpllSolver, error) {
	s := &qdpllSolver{p: p, id: fmt.Sprintf("s%d", p.lives), life: p.lives, incremental: true, relevant: true,
		flags: make(map[string]string), groups: make(map[uint64]string), state: qbf.NewState(instance)}
	p.lives++
	p.line("QDPLL *%s = 0;", s.id)
	p.line("int assumed%[1]d = 0, solved%[1]d = 0;", s.life)
	p.line("(void) assumed%[1]d, (void) solved%[1]d;", s.life)
	for _, setting := range p.o.Settings {
		if err := s.set(setting.Name, setting.Value); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *qdpllSolver) name(lits []int32) {
	for _, lit := range lits {
		if v := trace.Var(lit); !slices.Contains(s.named, v) {
			s.named = append(s.named, v)
		}
	}
}

// set handles an option of the adapter.
func (s *qdpllSolver) set(name, value string) error {
	switch name {
	case apimodel.FailAllocation:
		return cannotSay("option %s: a program for qdpll.h cannot make allocations fail", name)
	case "incremental":
		s.incremental = value == "true"
	case "relevant":
		s.relevant = value == "true"
	case "no-qbce-dynamic":
		s.qbce = value != "true"
	default:
		delete(s.flags, name)
		if value == "true" {
			s.flags[name] = "--" + name
		} else if value != "false" {
			s.flags[name] = "--" + name + "=" + value
		}
	}
	return nil
}

func (s *qdpllSolver) create() {
	number, manager := map[bool]int{true: 1}, "0"
	if flag := s.flags["dep-man"]; flag != "" {
		manager = quoted(flag)
	}
	s.p.line("%s = depqbf_create (%d, %d, %s);", s.id, number[s.incremental], number[s.qbce], manager)
	for _, name := range slices.Sorted(maps.Keys(s.flags)) {
		if name != "dep-man" {
			s.p.line("depqbf_configure (%s, %s);", s.id, quoted(s.flags[name]))
		}
	}
	s.made = true
}

// change writes statements that prepare the object for a change of the formula.
func (s *qdpllSolver) change() {
	if s.incremental {
		if !s.made {
			s.create()
		} else if s.after {
			s.p.line("depqbf_change (%s, &solved%d);", s.id, s.life)
		}
	}
	s.after = false
}

func (s *qdpllSolver) option(i int) { s.err = s.set(s.p.t.Option(&s.p.t.Calls[i])) }

func (s *qdpllSolver) end(i int) {
	s.release()
	delete(s.p.solvers, s.p.t.Calls[i].Instance)
}

func (s *qdpllSolver) release() {
	if s.made {
		s.p.line("qdpll_delete (%s);", s.id)
	}
}

func (s *qdpllSolver) add(lits []int32) {
	var line strings.Builder
	for _, lit := range lits {
		fmt.Fprintf(&line, "qdpll_add (%s, %d); ", s.id, lit)
	}
	s.p.line("%sqdpll_add (%s, 0);", line.String(), s.id)
}

func (s *qdpllSolver) addBlock(b qbf.Block, nesting string) {
	kind := "QDPLL_QTYPE_EXISTS"
	if b.Universal {
		kind = "QDPLL_QTYPE_FORALL"
	}
	s.p.line("%sqdpll_new_scope (%s, %s);", nesting, s.id, kind)
	s.add(b.Vars)
}

func (s *qdpllSolver) quantify(i int) {
	c := &s.p.t.Calls[i]
	universal, variables := c.Op == apimodel.OpForall, s.p.t.Args(c)
	s.change()
	if s.blocks++; s.incremental {
		name := s.nesting(s.blocks)
		s.addBlock(qbf.Block{Universal: universal, Vars: variables}, "const Nesting "+name+" = ")
		s.p.line("(void) %s;", name)
	}
}

func (s *qdpllSolver) nesting(level int) string { return fmt.Sprintf("nesting%d_%d", s.life, level) }

func (s *qdpllSolver) extend(i int) {
	c := &s.p.t.Calls[i]
	s.change()
	if s.incremental {
		for _, v := range s.p.t.Args(c) {
			s.p.line("qdpll_add_var_to_scope (%s, %d, %s);", s.id, v, s.nesting(int(c.Num)))
		}
	}
}

func (s *qdpllSolver) clause(i int) {
	c := &s.p.t.Calls[i]
	s.open = append(s.open, s.p.t.Args(c)...)
	if c.Flags&trace.Open != 0 {
		return
	}
	s.change()
	if s.incremental {
		s.add(s.open)
	}
	s.open = nil
}

func (s *qdpllSolver) assume(int) { s.change() }

func (s *qdpllSolver) frame(i int) {
	s.change()
	if s.incremental {
		s.p.line("qdpll_%s (%s);", s.p.t.Calls[i].Op, s.id)
	}
}

func (s *qdpllSolver) group(i int) {
	op, number := s.p.t.Calls[i].Op, s.p.t.Calls[i].Num
	s.change()
	if !s.incremental {
		return
	}
	if op == apimodel.OpOpen && s.groups[number] == "" {
		s.names++
		s.groups[number] = fmt.Sprintf("group%d_%d", s.life, s.names)
		s.p.line("const ClauseGroupID %s = qdpll_new_clause_group (%s);", s.groups[number], s.id)
	}
	s.p.line("qdpll_%s_clause_group (%s, %s);", op, s.id, s.groups[number])
	if op == apimodel.OpDelete {
		delete(s.groups, number)
	}
}

// solve writes a solve. If there is no object, it first writes statements that make one with the
// formula.
func (s *qdpllSolver) solve(i int) {
	s.p.comment(i)
	s.change()
	if !s.incremental {
		s.release()
		s.create()
		f := s.state.Formula()
		for _, b := range f.Prefix {
			s.addBlock(b, "")
		}
		for _, c := range f.Clauses {
			s.add(c)
		}
	}
	if s.assumed = len(s.state.Assumptions()) > 0; s.assumed {
		s.p.line("assumed%d = 0;", s.life)
	}
	for _, lit := range s.state.Assumptions() {
		s.p.line("assumed%d |= depqbf_assume (%s, %d);", s.life, s.id, lit)
	}
	s.asked = false
	s.p.line("answer = qdpll_sat (%s);", s.id)
	s.p.line("solved%d = 1;", s.life)
	s.after = true
	s.p.check(i, s)
}

func (s *qdpllSolver) val(i int) { s.value(s.p.t.Lit(&s.p.t.Calls[i])) }

func (s *qdpllSolver) model(int) {
	for _, variable := range s.named {
		s.value(variable)
	}
}

func (s *qdpllSolver) value(lit int32) {
	if s.after {
		s.p.line("depqbf_value (%s, %d);", s.id, trace.Var(lit))
	}
}

// failed writes statements that ask which assumptions the answer rests on, once for each solve.
func (s *qdpllSolver) failed(int) {
	if s.after && s.assumed && s.relevant && !s.asked {
		s.p.line("free (depqbf_relevant (%s, assumed%d));", s.id, s.life)
	}
	s.asked = true
}
