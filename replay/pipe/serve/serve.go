// Package serve is the reference runner of docs/protocol.md: it reads traces line by line,
// makes their calls, and answers every line with one line. It checks neither whether calls
// are legal nor whether answers are right. A runner in another language is a translation of
// this file.
package serve

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/cexternal/direct"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Runner serves one library under one API model.
type Runner struct {
	Library  direct.Library
	Model    string
	Settings [][2]string // names and values of the options that every new solver gets

	solvers map[string]*solver // by instance, such as "" or "@7"
	line    []byte             // the answer in progress
}

// A solver also holds what model and core need: the named variables in order, and the
// assumptions of the last solve.
type solver struct {
	*direct.Solver
	vars             []int32
	named            map[int32]bool
	pending, assumed []int32
}

// Serve answers lines until the input ends.
func (r *Runner) Serve(in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintf(answers, "ipafuzz-runner 1\nmodel %s\nsignature %s\n%s%sready\n",
		r.Model, r.signature(), r.lacks(), withoutModels(r.Library.Describe()))
	for {
		if lines.Buffered() == 0 { // answer everything before waiting for the next line
			if err := answers.Flush(); err != nil {
				return err
			}
		}
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil // also in the middle of a trace
		}
		if err != nil {
			return err
		}
		answers.Write(append(r.answer(strings.Fields(line)), '\n'))
	}
}

func (r *Runner) lacks() (text string) {
	offers := map[string]bool{"options": r.Library.HasOptions(), "havoc": r.Library.HasHavoc(),
		"terminate": r.Library.HasTerminate(), "learn": r.Library.HasLearn(), "proof": false}
	if r.Model == "qbf" {
		offers["extend"], offers["push"], offers["groups"] = r.Library.HasExtend(), r.Library.HasPush(), r.Library.HasGroups()
	}
	if r.Model == "ipasir2" { // their callbacks and codes are beyond the protocol
		offers["import"], offers["misuse"], offers["errors"] = false, false, false
	}
	for name, has := range offers {
		if !has && !strings.Contains(r.Library.Describe(), "lacks "+name) {
			text += "lacks " + name + "\n"
		}
	}
	return text
}

func (r *Runner) answer(fields []string) []byte {
	if len(fields) > 1 && fields[0][0] == '@' {
		return r.call(fields[0], fields[1], fields[2:])
	}
	if len(fields) == 0 {
		return []byte("= ?")
	}
	switch fields[0] {
	case "ipafuzz": // the first line of a trace
		for _, s := range r.solvers { // ipafuzz releases all solvers, but a person who types a trace may not
			s.Release()
		}
		r.solvers = make(map[string]*solver)
		return []byte("=")
	case "end":
		return []byte("end")
	}
	return r.call("", fields[0], fields[1:])
}

func (r *Runner) call(instance, name string, args []string) []byte {
	s := r.solvers[instance]
	r.line = append(r.line[:0], '=')
	if !r.has(name) || len(args) < arguments[name] || s == nil && name != "init" && name != "signature" {
		return append(r.line, " ?"...)
	}
	switch name {
	case "init":
		s = &solver{Solver: r.Library.Init(), named: make(map[int32]bool)}
		for _, set := range r.Settings {
			s.Option(set[0], set[1])
		}
		r.solvers[instance] = s
	case "release":
		s.Release()
		delete(r.solvers, instance)
	case "signature":
		r.line = append(r.line, " \""+r.signature()+"\""...)
	case "add", "hard", "clause":
		lits := s.literals(args)
		closed := len(lits) > 0 && lits[len(lits)-1] == 0
		if closed {
			lits = lits[:len(lits)-1]
		}
		s.Add(lits, closed)
	case "soft":
		weight, _ := strconv.ParseUint(args[1], 10, 64)
		s.Soft(s.literals(args[:1])[0], weight)
	case "assume":
		lit := s.literals(args)[0]
		s.pending = append(s.pending, lit)
		s.Assume(lit)
	case "solve":
		s.pending, s.assumed = nil, s.pending
		r.solve(s)
	case "val":
		r.number(int64(s.Val(s.literals(args)[0])))
	case "failed":
		r.number(int64(s.Failed(s.literals(args)[0])))
	case "obj":
		r.line = strconv.AppendUint(append(r.line, ' '), s.Obj(), 10)
	case "model":
		r.model(s)
	case "core":
		r.core(s)
	case "option":
		r.number(int64(s.Option(args[0], args[1])))
	case "havoc":
		value, _ := strconv.ParseUint(args[0], 10, 64)
		s.Havoc(value)
	case "terminate":
		if count, err := strconv.ParseUint(args[0], 10, 32); err == nil {
			s.Terminate(uint32(count))
		} else {
			s.TakeTerminate()
		}
	case "learn":
		if count, err := strconv.ParseUint(args[0], 10, 32); err == nil {
			s.Learn(uint32(count))
		} else {
			s.TakeLearn()
		}
	default:
		if !r.quantified(s, name, args) {
			r.line = append(r.line, " ?"...)
		}
	}
	return r.line
}

// quantified makes a call that only model qbf has. It returns false if the call is another one.
func (r *Runner) quantified(s *solver, name string, args []string) bool {
	var level int64
	var vars []int32
	switch name {
	case "exists", "forall":
		vars = s.literals(args)
	case "extend":
		level, _ = strconv.ParseInt(args[0], 10, 32)
		vars = s.literals(args[1:])
	case "open", "close", "activate", "deactivate", "delete":
		level, _ = strconv.ParseInt(args[0], 10, 32)
	}
	if len(vars) > 0 && vars[len(vars)-1] == 0 {
		vars = vars[:len(vars)-1]
	}
	return s.Quantified(name, int32(level), vars)
}

// arguments holds the minimum number of arguments of each call.
var arguments = map[string]int{"add": 1, "hard": 1, "soft": 2, "assume": 1, "val": 1, "failed": 1,
	"option": 2, "havoc": 1, "terminate": 1, "learn": 1, "clause": 1, "exists": 1, "forall": 1, "extend": 2,
	"open": 1, "close": 1, "activate": 1, "deactivate": 1, "delete": 1}

// has reports whether the library has the function that a call needs.
func (r *Runner) has(name string) bool {
	switch name {
	case "hard", "soft", "obj":
		return r.Model == "ipamir"
	case "add":
		return r.Model != "ipamir" && r.Model != "qbf"
	case "failed", "core":
		return r.Model != "ipamir"
	case "clause", "exists", "forall", "extend", "push", "pop", "open", "close", "activate", "deactivate", "delete":
		return r.Model == "qbf"
	case "learn":
		return r.Library.HasLearn()
	case "option":
		return r.Library.HasOptions()
	case "havoc":
		return r.Library.HasHavoc()
	case "terminate":
		return r.Library.HasTerminate()
	}
	return true
}

// solve answers with the effort, which other runners may omit.
func (r *Runner) solve(s *solver) {
	begun := time.Now()
	status, seen := s.Solve()
	r.number(int64(status))
	r.line = fmt.Appendf(r.line, " nanos=%d", time.Since(begun))
	for _, item := range []struct {
		name  string
		count uint32
	}{{"polls", seen.Polls}, {"polls-after-stop", seen.PollsAfter}, {"learned", seen.Learned}, {"too-long",
		seen.TooLong}, {"others-polls", seen.OthersPolls}, {"others-learned", seen.OthersLearned}} {
		if item.count > 0 {
			r.line = fmt.Appendf(r.line, " %s=%d", item.name, item.count)
		}
	}
	if len(seen.Clauses) > 0 {
		r.line = append(r.line, " clauses"...)
		for _, lit := range seen.Clauses {
			r.number(int64(lit))
		}
	}
}

// model answers with the values of all variables.
func (r *Runner) model(s *solver) {
	strange := false
	for _, v := range s.vars {
		value := s.Val(v)
		if value == v || value == -v {
			r.number(int64(value))
		} else if value != 0 {
			strange = true
		}
	}
	r.strange(strange)
}

// core answers with the failed assumptions.
func (r *Runner) core(s *solver) {
	strange := false
	for _, lit := range s.assumed {
		failed := s.Failed(lit)
		if failed != 0 {
			r.number(int64(lit))
		}
		strange = strange || failed != 0 && failed != 1
	}
	r.strange(strange)
}

func (r *Runner) number(n int64) { r.line = strconv.AppendInt(append(r.line, ' '), n, 10) }

func (r *Runner) strange(strange bool) {
	if strange {
		r.line = append(r.line, " !"...)
	}
}

// literals reads the literals of a call and notes their variables.
func (s *solver) literals(args []string) []int32 {
	lits := make([]int32, len(args))
	for i, arg := range args {
		n, _ := strconv.ParseInt(arg, 10, 32)
		lits[i] = int32(n)
		if v := max(lits[i], -lits[i]); v != 0 && !s.named[v] {
			s.named[v] = true
			s.vars = append(s.vars, v)
		}
	}
	return lits
}

// signature returns the library's name for itself, escaped as between quotes.
func (r *Runner) signature() string {
	const most = 256
	text := r.Library.Signature()
	return string(printable.AppendEscaped(nil, text[:min(len(text), most)]))
}

// withoutModels returns the description of a library in whole lines, without those that name
// models: a runner serves one model, and Serve names it.
func withoutModels(description string) string {
	var text strings.Builder
	for line := range strings.Lines(description) {
		if words := strings.Fields(line); len(words) == 0 || words[0] != "model" {
			text.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return text.String()
}
