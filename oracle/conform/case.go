// Package conform is a conformance suite for targets of every model. For every sentence of a model's
// header, it has at least one handwritten trace, with the answers of a library that obeys the sentence. It
// runs each trace in a process of its own and reports whether the case passed, failed, needs something that
// the target lacks, or asks what the standard leaves open.
package conform

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

//go:embed ipasir ipamir ipasir+cadical ipasir+enumerate ipasir2 qbf
var files embed.FS

// A Case is one trace of the suite. The notes in its header describe it:
//
//	title: what a library must do, in a few words
//	checks 17: the text of sentence 17 of the model's header (any number of these)
//	policy: NAME=VALUE         the right answers depend on a policy
//	open: what is asked        the standard leaves the answers open: the report shows them without a verdict
//	memory: TEXT               repeated runs must not leave memory behind
//	large: TEXT                a target that runs out of memory here does not fail
//	source: TEXT               where the trace was published
//	smoke: TEXT                one of the few cases that come first; what to look at when it fails
type Case struct {
	Name     string // "ipasir/assume/cleared-by-solve"
	Title    string
	Checks   []int // numbers of sentences
	Policies map[string]string
	Open     string
	Memory   bool
	Large    bool
	Source   string
	Advice   string // in the smoke part: what to look at when the case fails
	Text     string // the file
	Trace    *trace.Trace

	header        *apimodel.Model // the model whose header has the sentences
	adviceIPASIR2 string          // where the functions of IPASIR-2 differ in more than their names
}

// Model returns the interface that the case is for.
func (c *Case) Model() *apimodel.Model { return c.Trace.Model }

// Sentence returns the sentence with that number in the header that the case checks.
func (c *Case) Sentence(number int) *Sentence { return SentenceNumber(c.header, number) }

// cited returns the sentence of that number, which may be one about the header that the model extends: then it also
// names the model's own function.
func (c *Case) cited(number int) string {
	s := c.Sentence(number)
	for i := range c.header.Calls {
		call := &c.header.Calls[i]
		own := c.Model().Call(call.Op)
		if call.Function == s.Function && own != nil && own.Function != "" && own.Function != s.Function {
			return fmt.Sprintf("%s, here %s: %s", s.Function, own.Function, s.Text)
		}
	}
	return s.String()
}

// request returns the arguments of 'conform --show' that print the case as it was run.
func (c *Case) request() string {
	if c.header == c.Model() {
		return c.Name
	}
	return c.Short() + " --model " + c.Model().Name
}

// explained says in words what a call does whose number chooses a wrong call.
func (c *Case) explained(call int) string {
	if call < 0 || call >= len(c.Trace.Calls) || c.Trace.Calls[call].Op != apimodel.OpMisuse {
		return ""
	}
	return ", a wrong call: " + apimodel.MisuseOf(c.Trace.Calls[call].Num)
}

// Group returns the part of the name between the model and the case.
func (c *Case) Group() string { return path.Base(path.Dir(c.Name)) }

// Short returns the name without the model.
func (c *Case) Short() string { return c.Group() + "/" + path.Base(c.Name) }

var load = sync.OnceValue(func() (all []*Case) {
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(file)
		if err == nil {
			var c *Case
			c, err = parseCase(file, string(text))
			all = append(all, c)
		}
		return err
	})
	if err != nil {
		panic(err) // an embedded file is wrong; tests catch that
	}
	sort.Slice(all, func(i, j int) bool { return all[i].less(all[j]) })
	return all
})

// less compares cases by model, then by the order of groups, then by name.
func (c *Case) less(o *Case) bool {
	if c.Model().ID != o.Model().ID {
		return c.Model().ID < o.Model().ID
	}
	if a, b := groupRank(c.Group()), groupRank(o.Group()); a != b {
		return a < b
	}
	return c.Name < o.Name
}

// Cases returns the cases about the header of a model, group by group.
func Cases(m *apimodel.Model) []*Case {
	var cases []*Case
	for _, c := range load() {
		if c.Model() == m {
			cases = append(cases, c)
		}
	}
	return cases
}

// For returns the cases that a target of a model has to pass: those of the model that it extends, then those about its
// own header.
func For(m *apimodel.Model) []*Case {
	var cases []*Case
	if m.Extends != nil {
		for _, c := range For(m.Extends) {
			cases = append(cases, c.as(m))
		}
	}
	return append(cases, Cases(m)...)
}

// as returns the case for a model that extends its model.
func (c *Case) as(m *apimodel.Model) *Case {
	extended, t := *c, *c.Trace
	t.Model = m
	extended.Trace, extended.Text = &t, strings.Replace(c.Text, " "+c.Model().Name+"\n", " "+m.Name+"\n", 1)
	if m == apimodel.IPASIR2 {
		extended.Advice = cmp.Or(c.adviceIPASIR2, inFunctionsOf(m, c.Advice))
	}
	return &extended
}

// inFunctionsOf replaces the C functions of the model that m extends by those of m.
func inFunctionsOf(m *apimodel.Model, text string) string {
	for i := range m.Extends.Calls {
		call := &m.Extends.Calls[i]
		if own := m.Call(call.Op); own != nil && own.Function != "" && call.Function != "" {
			text = strings.ReplaceAll(text, call.Function, own.Function)
		}
	}
	return text
}

// Find returns the case of that name, with or without the prefix of its model, or nil if there is
// none. If several models have a case of that short name, it returns the one of m. m may be nil.
func Find(name string, m *apimodel.Model) *Case {
	called := func(c *Case) bool { return c.Name == name || c.Short() == name }
	if m != nil {
		for _, c := range slices.Backward(For(m)) {
			if called(c) {
				return c
			}
		}
	}
	for _, c := range load() {
		if called(c) {
			return c
		}
	}
	return nil
}

// CaseOf makes a case of a trace outside of the suite: the target must give the right answers in the trace, and nothing
// else may be wrong.
func CaseOf(name string, t *trace.Trace) *Case {
	return &Case{Name: name, Title: "a trace that was given", Text: t.String(), Trace: t, header: t.Model}
}

func parseCase(file, text string) (*Case, error) {
	t, err := trace.Parse(strings.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	c := &Case{Name: strings.TrimSuffix(file, ".trace"), Text: text, Trace: t, header: t.Model}
	if parts := strings.Split(c.Name, "/"); len(parts) != 3 || parts[0] != t.Model.Name {
		return nil, fmt.Errorf("%s: a case for %s belongs in %[2]s/GROUP/NAME.trace", file, t.Model.Name)
	}
	for _, note := range t.Notes {
		if err := c.note(note); err != nil {
			return nil, fmt.Errorf("%s: note %q: %w", file, note, err)
		}
	}
	if c.Title == "" || len(c.Checks) == 0 {
		return nil, fmt.Errorf("%s: a case needs a title and a sentence that it checks", file)
	}
	return c, nil
}

func (c *Case) note(note string) error {
	key, value, found := strings.Cut(note, ": ")
	if !found || value == "" {
		return fmt.Errorf("want KEY: TEXT")
	}
	switch key {
	case "title":
		c.Title = value
	case "open":
		c.Open = value
	case "memory":
		c.Memory = true
	case "large":
		c.Large = true
	case "source":
		c.Source = value
	case "smoke":
		c.Advice = value
	case "smoke ipasir2":
		c.adviceIPASIR2 = value
	case "policy":
		name, value, _ := strings.Cut(value, "=")
		if c.Policies == nil {
			c.Policies = make(map[string]string)
		}
		c.Policies[name] = value
		return apimodel.CheckPolicy(name, value)
	default:
		digits, found := strings.CutPrefix(key, "checks ")
		number, err := strconv.Atoi(digits)
		if !found || err != nil {
			return fmt.Errorf("there is no such key")
		}
		sentence := c.Sentence(number)
		if sentence == nil {
			return fmt.Errorf("%s has no sentence %d", c.Model().Name, number)
		}
		if want := sentence.String(); value != want {
			return fmt.Errorf("the sentence reads %q", want)
		}
		c.Checks = append(c.Checks, number)
	}
	return nil
}

// A Group of cases.
type Group struct{ Name, Doc string }

var groups = slices.Concat([]Group{
	{"signature", "The name of the library."},
	{"init", "New solvers."},
	{"release", "The end of a solver, in every state."},
	{"add", "Clauses, in every state."},
	{"blocks", "Quantifier blocks, and variables that are added to them."},
	{"frames", "Push and pop."},
	{"groups", "Groups of clauses."},
	{"literals", "Which numbers are literals, up to the largest."},
	{"soft", "Soft literals and their weights."},
	{"weights", "Weights around 2^32 and 2^63, sums up to 2^64."},
	{"assume", "Assumptions, and that they are cleared."},
	{"solve", "Answers, and the states they lead to."},
	{"optimum", "Optima of small, hard formulas with weights."},
	{"obj", "The objective value."},
	{"val", "The values of a solution."},
	{"failed", "The failed assumptions."},
	{"terminate", "The callback that stops a search."},
	{"learn", "The callback that receives learned clauses."},
}, groupsOfCalls(), []Group{
	{"import", "Clauses that a callback gives to a solve."},
	{"options", "The list of options, and right calls that set them."},
	{"misuse", "Wrong calls and their error codes."},
	{"inside", "Calls that a callback makes during a solve."},
	{"errors", "Right calls return no error code."},
	{"instances", "Several solvers at a time."},
	{"formulas", "Formulas that need search, with known answers."},
	{"published", "Traces and formulas that showed faults, mostly from published studies."},
	{"open", "What the standards leave open: answers are shown, not judged."},
})

// groupsOfCalls returns the groups that rows of models name.
func groupsOfCalls() (groups []Group) {
	for _, m := range apimodel.Libraries() {
		for i := range m.Calls {
			if call := &m.Calls[i]; call.Cases != "" {
				groups = append(groups, Group{call.Optional, call.Cases})
			}
		}
	}
	return groups
}

func groupRank(name string) int {
	for i := range groups {
		if groups[i].Name == name {
			return i
		}
	}
	return len(groups)
}
