package notes

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Result is what a reduction, or the confirmation of a failure, found out about a trace. Notes
// omits fields that are zero.
type Result struct {
	Reduced  string // how the trace was reduced, for people: the text of a Reduction
	Target   string // the target that fails
	Finding  string // the key of the failure
	Rate     Rate   // how many of the confirming runs failed
	Observed string
	Expected string
	Slower   string // how much slower than a rival the target is
	Limits   string // the limits with which the trace failed, as flags; "" for the default limits
}

// A Rate says in how many runs, each in a fresh process, a trace failed.
type Rate struct{ Failed, Runs int }

// A Reduction says how a trace was reduced.
type Reduction struct {
	From   string // the file with the original trace
	Calls  int    // number of calls of the original trace
	Tests  int
	Search *Search // nil in campaigns, so that the same campaign writes the same file
	How    string  // whether the result is minimal and, if not, why; "" if nobody knows
}

// A Search is what a reduction depends on besides the trace, and how long it took.
type Search struct {
	Time time.Duration
	Seed uint64
}

// String returns the text of the note.
func (r Reduction) String() string {
	text := fmt.Sprintf("from %s (%d calls), %d tests", r.From, r.Calls, r.Tests)
	if r.Search != nil {
		text += fmt.Sprintf(" in %s, seed %d", r.Search.Time.Round(time.Millisecond), r.Search.Seed)
	}
	if r.How != "" {
		text += ", " + r.How
	}
	return text
}

const (
	reduced   = "minimized"
	confirmed = "confirmed"
)

// A field is a kind of note of a result, and the field of the Result with its text.
type field struct {
	kind string
	text *string
}

// fields returns the fields of a result in the order of its notes. rate is the text of the Rate.
func (r *Result) fields(rate *string) []field {
	return []field{{reduced, &r.Reduced}, {"target", &r.Target}, {"finding", &r.Finding}, {confirmed, rate},
		{"observed", &r.Observed}, {"expected", &r.Expected}, {"slower", &r.Slower}, {"limits", &r.Limits}}
}

// Notes returns the notes of the result.
func (r Result) Notes() []string {
	var notes []string
	var rate string
	if r.Rate.Runs > 0 {
		rate = fmt.Sprintf("failed in %d of %d runs, each in a fresh process", r.Rate.Failed, r.Rate.Runs)
	}
	for _, f := range r.fields(&rate) {
		if *f.text != "" {
			notes = append(notes, line(f.kind, *f.text))
		}
	}
	return notes
}

// ResultOf returns the result that a header states. It is the inverse of Notes.
func ResultOf(notes []string) Result {
	var r Result
	var text string
	for _, f := range r.fields(&text) {
		*f.text = last(notes, f.kind)
	}
	var rate Rate
	if n, _ := fmt.Sscanf(text, "failed in %d of %d runs", &rate.Failed, &rate.Runs); n == 2 {
		r.Rate = rate
	}
	return r
}

// WithResult returns the header of a reduced trace: the notes of the original trace that
// are still true, and the result.
func WithResult(notes []string, r Result) []string {
	return append(Lasting(notes), r.Notes()...)
}

// Lasting returns the notes that stay true when the trace is reduced: its origin without the features,
// the command that makes the original, and the title. Other notes, such as the comments of a formula
// file, describe the original.
func Lasting(notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(note string) bool {
		if kind, _ := cut(note); slices.Contains([]string{again, title, command}, kind) {
			return false
		}
		return !slices.ContainsFunc([]string{generator, corpus, mutations, fitted}, func(prefix string) bool {
			return strings.HasPrefix(note, prefix)
		})
	})
}
