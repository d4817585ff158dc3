package suite

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/notes"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// A Runner runs single traces on a target.
type Runner interface {
	Run(ctx context.Context, t *trace.Trace, run *trace.Run) error
}

// An Opened is a target that was opened for one model.
type Opened struct {
	Runner      Runner
	Description *apimodel.Description
}

// Open opens the target for a model. It returns nil if the target does not support the model.
type Open func(model *apimodel.Model) (*Opened, error)

// A Builder makes a suite.
type Builder struct {
	Suite
	Left []string // the traces that were left out, and why
	open Open
	seen map[string]bool
	used map[string]int
}

// NewBuilder returns a builder of a suite. The target solvedBy must solve each trace within the given time.
func NewBuilder(name, solvedBy string, within time.Duration, open Open) *Builder {
	return &Builder{Suite: Suite{Name: name, SolvedBy: solvedBy, Within: within.Seconds()}, open: open,
		seen: make(map[string]bool), used: make(map[string]int)}
}

// Add adds a trace without its havoc. It leaves out duplicates, traces whose failure was not confirmed, traces
// with a solve that has no certified answer, and traces that the target does not solve in time.
func (b *Builder) Add(ctx context.Context, item sources.Item) error {
	plain := plainOf(item.Trace)
	title := titleOf(item)
	leave := func(why string) { b.Left = append(b.Left, item.Name+": "+why) }
	if notes.IsUnconfirmed(item.Trace.Notes) { // such as a time limit that the problem may deserve
		leave("its failure was not confirmed")
		return nil
	}
	if plain.Solves() == 0 { // the trace failed before any solve: add an answer to check
		plain.Plain(0, apimodel.OpSolve)
	}
	if err := trace.Check(plain); err != nil {
		leave("it is illegal without havoc")
		return nil
	}
	text := plain.String()
	if b.seen[text] {
		leave("a duplicate")
		return nil
	}
	b.seen[text] = true
	expecting, open, err := trial.Expecting(ctx, plain)
	if err != nil {
		return fmt.Errorf("%s: %w", item.Name, err)
	}
	if open > 0 {
		leave(fmt.Sprintf("%d of its solves have no certified answer", open))
		return nil
	}
	expecting = legal(expecting)
	target, err := b.open(plain.Model)
	if err != nil || target == nil {
		leave(fmt.Sprintf("%s does not support %s", b.SolvedBy, plain.Model.Name))
		return err
	}
	e := Entry{Title: title, Trace: expecting}
	verdict, err := judge(ctx, &e, target, Rules{Strict: true})
	if err != nil {
		return fmt.Errorf("%s: %w", item.Name, err)
	}
	if verdict.Outcome != Passed || verdict.Seconds > b.Within {
		leave(fmt.Sprintf("%s does not solve it: %s in %.3f s %s",
			b.SolvedBy, verdict.Outcome, verdict.Seconds, verdict.Reason))
		return nil
	}
	e.Seconds = verdict.Seconds
	e.Trace.Notes = []string{notes.Title(title)}
	e.describe()
	e.Name = b.name(plain.Model.Name + "-" + slug(title))
	b.formula(&e)
	b.Entries = append(b.Entries, e)
	return nil
}

func (b *Builder) name(wanted string) string {
	if b.used[wanted]++; b.used[wanted] > 1 {
		return fmt.Sprintf("%s-%d", wanted, b.used[wanted])
	}
	return wanted
}

// formula adds the formula of a MaxSAT trace with a single solve, if WCNF can express it.
func (b *Builder) formula(e *Entry) {
	if !e.Trace.Model.Optimizes() || e.Solves != 1 || e.Trace.Instances() != 1 {
		return
	}
	for i := range e.Trace.Calls {
		if op := e.Trace.Calls[i].Op; op == apimodel.OpOption || op == apimodel.OpTerminate || op == apimodel.OpRelease {
			return
		}
	}
	var out bytes.Buffer
	var cannot *format.CannotSayError
	if err := format.Write(&out, format.WCNF, e.Trace); errors.As(err, &cannot) || err != nil {
		return
	}
	e.wcnf, e.WCNF = out.Bytes(), path.Join("wcnf", e.Name+".wcnf")
}

// plainOf returns the trace without notes, expectations and havoc.
func plainOf(t *trace.Trace) *trace.Trace {
	plain := &trace.Trace{Model: t.Model}
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op != apimodel.OpHavoc {
			plain.Append(t, c)
		}
	}
	return plain
}

// legal removes queries that are illegal after the certified answer of their solve.
func legal(t *trace.Trace) *trace.Trace {
	for {
		var check *trace.CheckError
		if err := trace.Check(t); !errors.As(err, &check) || check.Call < 0 {
			return t
		}
		shorter := &trace.Trace{Model: t.Model, Notes: t.Notes}
		for i := range t.Calls {
			if i != check.Call {
				shorter.Append(t, &t.Calls[i])
				shorter.Want.Of = append(shorter.Want.Of, *t.Want.At(i))
			}
		}
		t = shorter
	}
}

// titleOf returns the title of a trace, or its finding if it has no title, or else the name of its file.
func titleOf(item sources.Item) string {
	said := item.Trace.Notes
	if title := cmp.Or(notes.TitleOf(said), notes.ResultOf(said).Finding); title != "" {
		return title
	}
	base := path.Base(item.Label)
	for _, suffix := range []string{".trace", ".gz", ".xz", ".zst", ".wcnf", ".cnf", ".wcnfi"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return base
}
