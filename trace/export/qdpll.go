package export

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/trace"
)

// writeQdpll writes a program in C that calls DepQBF by its own interface, qdpll.h. The program
// contains depqbf.h, so it uses the library as the adapter does, and has the adapter's options.
func writeQdpll(w io.Writer, t *trace.Trace, o Options) error {
	if !t.Model.Quantified() {
		return cannotSay("DepQBF solves traces of model qbf")
	}
	want, err := wantedFor(o.Failure)
	if err == nil {
		want, err = want.withoutChecks(o.Failure, false)
	}
	if err != nil {
		return err
	}
	if want.message || want.stop || want.apart || StartsThreads(t) {
		return cannotSay("a fault of class %s cannot be shown by qdpll.h; --to c writes a program for the adapter",
			o.Failure.Class)
	}
	p := &qdpllProgram{t: t, o: o, want: want, solvers: make(map[uint16]*qdpllSolver)}
	for i := range t.Calls {
		if err := p.call(i); err != nil {
			return err
		}
	}
	for _, instance := range slices.Sorted(maps.Keys(p.solvers)) {
		p.solvers[instance].release()
	}
	if want.answers() && p.asserted == 0 {
		return cannotSay("the trace does not say what is right: no expectation behind '='")
	}
	_, err = io.WriteString(w, p.assemble())
	return err
}

// A qdpllProgram collects the parts of a program that writeQdpll writes.
type qdpllProgram struct {
	t        *trace.Trace
	o        Options
	want     wanted
	body     bytes.Buffer
	solvers  map[uint16]*qdpllSolver
	lives    int // number of solvers so far; each has C variables of its own
	asserted int
}

func (p *qdpllProgram) line(format string, args ...any) {
	fmt.Fprintf(&p.body, "  "+format+"\n", args...)
}

func (p *qdpllProgram) call(i int) error {
	c := &p.t.Calls[i]
	if c.Op == apimodel.OpSignature { // qdpll.h has no such function
		return nil
	}
	s := p.solvers[c.Instance]
	if s == nil {
		var err error
		if s, err = p.start(c.Instance); err != nil {
			return err
		}
		p.solvers[c.Instance] = s
	}
	if c.Op.HasLits() {
		s.name(p.t.Args(c))
	}
	write := forms[c.Op].qdpll
	if write == nil {
		return cannotSay("%s: qdpll.h has no such call", place(p.t, i))
	}
	write(s, i)
	s.state.Apply(p.t, i)
	return s.err
}

func (p *qdpllProgram) comment(i int) { p.line("/* %s */", harmless(place(p.t, i))) }

// check writes the assertion about the status of a solve.
func (p *qdpllProgram) check(i int, s *qdpllSolver) {
	known, isRight := p.o.Right[i]
	right := known.Status
	if want := p.t.Want.At(i); want.Kind == trace.Answered {
		right, isRight = int32(want.Num), true
	}
	condition := ""
	switch {
	case p.want.status && isRight:
		condition = fmt.Sprintf("answer == %d", right)
	case p.want.claims && isRight && right != 0:
		condition = fmt.Sprintf("answer != %d", 30-right) // the other one of 10 and 20
	case p.want.known:
		condition = "answer == 0 || answer == 10 || answer == 20"
	default:
		return
	}
	p.asserted++
	p.line("expect (%s, answer, %s, %d);", condition, quoted(place(p.t, i)), right)
}

func (p *qdpllProgram) assemble() string {
	var b strings.Builder
	fmt.Fprintf(&b, "/* %s: calls of DepQBF (qdpll.h), written by ipafuzz export.\n", harmless(p.o.Name))
	if p.o.Target != "" {
		fmt.Fprintf(&b, " * Target: %s\n", harmless(p.o.Target))
	}
	if p.o.Build != "" {
		fmt.Fprintf(&b, " * Build:  %s\n", harmless(p.o.Build))
	}
	b.WriteString(qdpllHead)
	if p.want.guarded || p.want.leak {
		c := &cProgram{t: p.t, o: p.o, want: p.want}
		entry := pieceNamed(c.entry())
		var system bytes.Buffer
		c.system(&system, entry)
		b.Write(system.Bytes())
		b.WriteString(depqbfRules)
		b.WriteString("\nstatic void run (void) {\n  int answer = 0;\n  (void) answer;\n")
		b.Write(p.body.Bytes())
		b.WriteString("}\n\n" + c.limited(entry))
		return b.String()
	}
	b.WriteString(depqbfRules)
	b.WriteString(qdpllMain)
	b.Write(p.body.Bytes())
	b.WriteString("  puts (\"no fault seen\");\n  return 0;\n}\n")
	return b.String()
}

const (
	qdpllHead = ` *
 * Exit code 0: no fault seen. 1: a wrong answer.
 * For version 6, add -DDEPQBF_6 and the directory of its qdpll.h with -I.
 */
`
	qdpllMain = `
static inline void expect (int holds, int answer, const char *where, int right) {
  if (holds) return;
  printf ("%s: the answer is %d, right is %d\n", where, answer, right);
  exit (1);
}

int main (void) {
  int answer = 0;
  (void) answer;
`
)

// depqbfRules is the text of depqbf.h.
var depqbfRules = func() string {
	text, err := exec.Sources.ReadFile("depqbf.h")
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	return string(text)
}()
