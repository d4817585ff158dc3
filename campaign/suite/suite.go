// Package suite builds and runs regression suites: small traces with certified answers. Its Rules decide
// when a solver passes. 'ipafuzz suite' and 'ipafuzz check' call it. One suite is built in.
package suite

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// A Suite is stored in a directory: suite.json, traces/NAME.trace, and wcnf/NAME.wcnf for traces that are
// equivalent to one formula.
type Suite struct {
	Name     string  `json:"name"`
	SolvedBy string  `json:"solved_by"` // a target that passes all tests
	Within   float64 `json:"within_seconds"`
	Entries  []Entry `json:"entries"`
}

// An Entry is one test.
type Entry struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Model      string   `json:"model"`
	Solves     int      `json:"solves"`
	Weights    string   `json:"weights,omitempty"` // S, B or H by their sum; empty without soft literals
	Unweighted bool     `json:"unweighted"`        // no weight is above 1
	Answers    []string `json:"answers"`           // of each solve: the status, and the optimum if known
	Seconds    float64  `json:"seconds"`           // the time of SolvedBy
	WCNF       string   `json:"wcnf,omitempty"`

	Trace *trace.Trace `json:"-"`
	wcnf  []byte
}

// A FormatError reports a directory that is not a suite.
type FormatError struct {
	Where string
	Err   error
}

// Error returns the message.
func (e *FormatError) Error() string { return fmt.Sprintf("%s is not a suite: %v", e.Where, e.Err) }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

//go:embed first
var first embed.FS

// First returns the built-in suite.
func First() (*Suite, error) {
	files, err := fs.Sub(first, "first")
	if err != nil {
		return nil, err
	}
	return Read(files, "the built-in suite")
}

// Read reads a suite. Errors name it where.
func Read(files fs.FS, where string) (*Suite, error) {
	text, err := fs.ReadFile(files, "suite.json")
	if err != nil {
		return nil, &FormatError{where, err}
	}
	s := new(Suite)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, &FormatError{where, fmt.Errorf("suite.json: %w", err)}
	}
	if len(s.Entries) == 0 {
		return nil, &FormatError{where, errors.New("suite.json lists no tests, under \"entries\"")}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		file := path.Join("traces", e.Name+".trace")
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, &FormatError{where, err}
		}
		if e.Trace, err = trace.Parse(bytes.NewReader(text), where+"/"+file); err != nil {
			return nil, err
		}
		if e.Trace.Model.Name != e.Model {
			return nil, &FormatError{where, fmt.Errorf("%s is for %s, suite.json says %s", file, e.Trace.Model.Name, e.Model)}
		}
	}
	return s, nil
}

// Of makes a suite of traces, with the expectations that they have.
func Of(name string, items []sources.Item) *Suite {
	s := &Suite{Name: name}
	for _, item := range items {
		e := Entry{Name: item.Name, Title: titleOf(item), Trace: item.Trace}
		e.describe()
		s.Entries = append(s.Entries, e)
	}
	return s
}

// Vacant returns an error if the directory contains a suite.
func Vacant(dir string) error {
	if _, err := os.Lstat(path.Join(dir, "suite.json")); err == nil {
		return fmt.Errorf("%s already contains a suite; name another directory", dir)
	}
	return nil
}

// Write writes a suite to a directory, which must not contain a suite.
func (s *Suite) Write(dir string) error {
	root := path.Join(dir, "suite.json")
	if err := Vacant(dir); err != nil {
		return err
	}
	for _, sub := range []string{"traces", "wcnf"} {
		if err := os.MkdirAll(path.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		if err := os.WriteFile(path.Join(dir, "traces", e.Name+".trace"), e.Trace.AppendText(nil), 0o644); err != nil {
			return err
		}
		if e.WCNF != "" {
			if err := os.WriteFile(path.Join(dir, e.WCNF), e.wcnf, 0o644); err != nil {
				return err
			}
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(root, append(text, '\n'), 0o644) // written last, since it makes the directory a suite
}

// describe sets the fields that follow from the trace.
func (e *Entry) describe() {
	t := e.Trace
	e.Model, e.Solves, e.Unweighted, e.Answers = t.Model.Name, t.Solves(), true, []string{}
	var sum float64
	soft := false
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Op {
		case apimodel.OpSoft, apimodel.OpSoftClause:
			soft = true
			sum += float64(c.Num)
			e.Unweighted = e.Unweighted && c.Num <= 1
		case apimodel.OpSolve:
			answer := "any"
			if a := t.Want.At(i); a.Kind == trace.Answered {
				answer = fmt.Sprint(a.Int())
				for k := i + 1; k < len(t.Calls) && t.Calls[k].Op != apimodel.OpSolve; k++ {
					a := t.Want.At(k)
					if t.Calls[k].Op == apimodel.OpObj && t.Calls[k].Instance == c.Instance && a.Kind == trace.Answered {
						answer += fmt.Sprintf(" optimum %d", a.Num)
						break
					}
				}
			}
			e.Answers = append(e.Answers, answer)
		}
	}
	switch {
	case !soft:
		e.Weights = ""
	case sum < 1<<32:
		e.Weights = "S"
	case sum < 1<<62:
		e.Weights = "B"
	default:
		e.Weights = "H"
	}
}

// slug turns a title into a file name.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && b.String()[b.Len()-1] != '-':
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
