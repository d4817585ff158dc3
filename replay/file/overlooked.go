package file

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/replay"
)

// overlooked holds lines of an output that look like an answer and are none in its dialect. They never count as
// one: they are for messages that say why an answer is missing.
type overlooked struct {
	status, values string
	number         int // of the line with the status
}

// wordsOfStatus are the words by which programs without a dialect tell their status.
var wordsOfStatus = map[string]bool{"SAT": true, "UNSAT": true, "SATISFIABLE": true, "UNSATISFIABLE": true,
	"OPTIMUM": true, "OPTIMAL": true, "INFEASIBLE": true}

// most bytes and words of a line with a status: text for people that mentions such a word is longer.
const (
	mostStatus      = 60
	mostStatusWords = 3
)

// overlook looks at a line that the dialect has seen.
func (s *result) overlook(line []byte) {
	if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("c ")) {
		return
	}
	if !s.hasStatus && s.overlooked.status == "" && len(line) <= mostStatus {
		if fields := strings.Fields(strings.ToUpper(string(line))); len(fields) <= mostStatusWords {
			for _, field := range fields {
				if wordsOfStatus[strings.Trim(field, ".:!")] {
					s.overlooked.status, s.overlooked.number = string(line), s.number
				}
			}
		}
	}
	if !s.hasValues && s.overlooked.values == "" && s.namesAll(string(line)) {
		s.overlooked.values = string(line)
	}
}

// namesAll reports whether the line, perhaps after a word, has one literal of every variable that occurs in the
// formula, and there are several. No line of statistics does.
func (s *result) namesAll(line string) bool {
	if s.occurring == nil {
		s.occurring = occurring(s.formula)
	}
	if len(s.occurring) < 2 || len(line) < 2*len(s.occurring)-1 {
		return false
	}
	named, found := make(map[int64]bool), 0
	first := true
	for field := range strings.FieldsSeq(strings.ReplaceAll(line, ",", " ")) {
		lit, err := strconv.ParseInt(strings.Trim(field, "[](){}"), 10, 32)
		v := max(lit, -lit)
		switch {
		case err != nil && first:
		case err != nil, named[v], v > int64(s.formula.MaxVar):
			return false
		case s.occurring[int32(v)]:
			found++
		}
		if err == nil {
			named[v] = true
		}
		first = false
	}
	return found == len(s.occurring)
}

// missing says what the output has instead of a status, for a message that it has none.
func (s *result) missing(d *dialect) string {
	switch {
	case len(s.first) == 0:
		return ", nor anything else"
	case s.overlooked.status != "" && s.overlooked.status != string(bytes.TrimSpace(s.first)):
		return fmt.Sprintf(" of dialect %s; line %d of its output is %s", d.Name, s.overlooked.number,
			replay.Excerpt([]byte(s.overlooked.status)))
	}
	return "; its output begins " + replay.Excerpt(s.first)
}

// unread keeps the first line with values that a program printed in another form than its dialect has.
type unread struct{ line atomic.Pointer[string] }

func (u *unread) note(s *result) {
	if !s.hasValues && s.overlooked.values != "" {
		u.line.CompareAndSwap(nil, &s.overlooked.values)
	}
}

// Unread describes a line with values that the program of a target printed since ipafuzz started, in another
// form than its dialect has. It returns "" if there was none.
func Unread(t *replay.Target) string {
	d, ok := t.Driver.(*driver)
	if !ok {
		return ""
	}
	line := d.unread.line.Load()
	if line == nil {
		return ""
	}
	return fmt.Sprintf("its line %s has values, but not in the form of dialect %s: %s",
		replay.Excerpt([]byte(*line)), d.dialect.Name, d.dialect.Doc)
}
