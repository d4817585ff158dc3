package pipe

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Check tells whether a runner meets one demand of the protocol.
type Check struct {
	Name   string
	Wrong  string // what the runner did wrong, or ""
	Absent string // why it was not checked, or ""
}

// CheckRunner checks what docs/protocol.md demands of a runner, except right answers,
// which the conformance suite checks. Every check starts a process. An error is a
// failure of ipafuzz or of the system that it runs on.
func CheckRunner(t *replay.Target, limits replay.Limits) ([]Check, error) {
	var results []Check
	silent := 0
	for _, c := range checks {
		if silent == mostSilent {
			results = append(results, Check{Name: c.name,
				Absent: fmt.Sprintf("the runner was silent for %v in %d checks before", sessionPatience, mostSilent)})
			continue
		}
		s, err := openSession(t, limits)
		if err != nil {
			return results, err
		}
		check := Check{Name: c.name}
		if c.needs != "" && !s.runner.description.Has(c.needs) {
			check.Absent = "the runner lacks " + c.needs
		} else {
			c.run(s)
			check.Wrong = s.wrong
		}
		if s.silent {
			silent++
		}
		s.runner.close()
		results = append(results, check)
	}
	return results, nil
}

var checks = []struct {
	name  string
	needs string // a capability
	run   func(*session)
}{
	{"answers every line before it waits for the next", "",
		talk("init", "CLAUSE 1 2 0", "solve -> SOLVED", "release")},
	{"takes a clause in pieces", "",
		talk("init", "CLAUSE 1 2", "CLAUSE -3 0", "CLAUSE 0", "solve -> = 20", "release")},
	{"keeps nothing from an earlier trace", "", func(s *session) {
		for _, clause := range []string{"0 | = 20", "1 0 | SOLVED", "-1 0 | SOLVED"} {
			literals, answer, _ := strings.Cut(clause, " | ")
			talk("init", "CLAUSE "+literals, "solve -> "+answer, "release")(s)
		}
	}},
	{"makes a new solver after a release", "",
		talk("init", "CLAUSE 1 0", "assume 1", "solve -> SOLVED", "release",
			"init", "CLAUSE 1 0", "assume 1", "solve -> SOLVED", "release")},
	{"keeps two solvers apart", "instances",
		talk("init", "@7 init", "CLAUSE 1 0", "@7 CLAUSE -1 0", "solve -> SOLVED", "@7 solve -> SOLVED",
			"val 1 -> = 1", "@7 val 1 -> = -1", "release", "@7 solve -> SOLVED", "@7 release")},
	{"answers ? to a call that it does not know", "",
		talk("init", "no-such-call 1 2 -> = ?", "release")},
	{"does not take an option that it does not have", "options", func(s *session) {
		s.talk("ipafuzz 1 MODEL", "init")
		if answer := s.hear("option no-such-option 1"); answer == "= 0" || !strings.HasPrefix(answer, "= ") {
			s.say("to \"option no-such-option 1\" it answered %q, want \"= ?\" or a number that is not 0", answer)
		}
		s.talk("release", endLine+" -> "+endLine)
	}},
	{"takes many traces that are sent ahead", "", func(s *session) {
		const traces = 300
		s.walk(traces, func(t *trace.Trace) {
			t.Clause(0, true, 1, 2)
			t.Literal(0, apimodel.OpAssume, -1)
			t.Plain(0, apimodel.OpSolve)
			t.Plain(0, apimodel.OpModel)
		})
	}},
	{"takes a large trace and a long line", "", func(s *session) {
		const clauses, literals = 20_000, 50_000
		limits := apimodel.Bounds{MaxVars: literals, MaxCalls: clauses}
		limits.Tighten(s.runner.description.Bounds)
		limits.Tighten(s.runner.target.Bounds)
		s.walk(1, func(t *trace.Trace) {
			for i := range limits.MaxCalls {
				t.Clause(0, true, int32(i%limits.MaxVars+1))
			}
			long := make([]int32, literals)
			for i := range long {
				long[i] = int32(uint64(i)%limits.MaxVars + 1)
			}
			t.Clause(0, true, long...)
			t.Plain(0, apimodel.OpSolve)
			t.Plain(0, apimodel.OpModel)
		})
	}},
	{"ends when its input ends in the middle of a trace", "", func(s *session) {
		s.talk("ipafuzz 1 MODEL", "init", "CLAUSE 1 2")
		if s.wrong != "" {
			return
		}
		s.runner.stdin.Close()
		select {
		case <-s.runner.Exited:
		case <-time.After(sessionPatience):
			s.say("it still runs %v after the end of its input", sessionPatience)
		}
	}},
}

// sessionPatience bounds the time for one answer. The formulas are tiny, but the machine may
// be busy.
var sessionPatience = 20 * time.Second

// mostSilent is in how many checks a runner may be silent before the others are left out: each costs sessionPatience,
// and fails for the same reason.
const mostSilent = 2

// mostThrown is how many bytes are shown of what a solver threw.
const mostThrown = 2000

// A session talks with a runner, line by line, up to the first wrong answer.
type session struct {
	runner *runner
	wrong  string
	silent bool // it waited for an answer in vain
}

func openSession(t *replay.Target, limits replay.Limits) (*session, error) {
	r, err := startRunner(t, limits, func(*runner) {})
	return &session{runner: r}, err
}

func (s *session) say(format string, args ...any) {
	if s.wrong == "" {
		s.wrong = fmt.Sprintf(format, args...)
	}
}

// talk returns a check that sends the lines as one trace. It adds the first and the last line.
func talk(lines ...string) func(*session) {
	return func(s *session) {
		s.talk("ipafuzz 1 MODEL")
		s.talk(lines...)
		s.talk(endLine + " -> " + endLine)
	}
}

// talk sends lines, and expects after each one the answer behind its arrow, or else "=". It
// replaces the words in capitals, which depend on the model.
func (s *session) talk(lines ...string) {
	m := s.runner.target.Model
	solved := "= 10"
	if m == apimodel.IPAMIR {
		solved = "= 30" // there are no costs
	}
	words := strings.NewReplacer("MODEL", m.Name, "CLAUSE", m.Call(apimodel.OpClause).Name, "SOLVED", solved)
	for _, text := range lines {
		line, want, _ := strings.Cut(words.Replace(text), " -> ")
		s.ask(line, cmp.Or(want, "="))
	}
}

// ask sends a line and expects the answer want. A runner may add its effort.
func (s *session) ask(line, want string) {
	answer := s.hear(line)
	if text, err := thrown([]byte(answer)); err == nil {
		s.say("to %q the solver threw:\n%s", line, text[max(0, len(text)-mostThrown):])
	}
	if answer != want && !strings.HasPrefix(answer, want+" ") || want == "=" && answer != want {
		s.say("to %q it answered %q, want %q", line, answer, want)
	}
}

func (s *session) hear(line string) string {
	if s.wrong != "" {
		return ""
	}
	late := time.AfterFunc(sessionPatience, s.runner.Kill)
	defer late.Stop()
	err := s.runner.write([]byte(line + "\n"))
	var answer []byte
	if err == nil {
		answer, err = s.runner.line()
	}
	switch {
	case err == errRunnerEnded && !late.Stop():
		s.silent = true
		s.say("it did not answer %q within %v (does it flush its stdout before it waits for its stdin?)",
			line, sessionPatience)
	case err == errRunnerEnded:
		s.say("it ended (%s) when it was sent %q%s", s.runner.how(), line, s.runner.LastWords())
	case err != nil:
		s.say("%v", err)
	}
	return string(answer)
}

// walk sends n traces without waiting for each answer, as fuzz does, and expects all of them to
// finish.
func (s *session) walk(n int, build func(*trace.Trace)) {
	finished := 0
	w := newWalk(s.runner, false, func(*sentTrace) { finished++ })
	var err error
	for i := 0; i < n && err == nil; i++ {
		t := &trace.Trace{Model: s.runner.target.Model}
		build(t)
		err = w.run(&sentTrace{t: t, run: new(trace.Run)})
	}
	if err == nil {
		err = w.drain()
	}
	switch {
	case err == errRunnerEnded:
		s.say("it ended in trace %d of %d (%s)%s", finished+1, n, s.runner.how(), s.runner.LastWords())
	case err != nil:
		s.say("%v", err)
	}
}

func (r *runner) how() string {
	if what := r.Violation(); what != "" {
		return "it called " + what + ", which is forbidden to targets; --no-containment allows it"
	}
	if end := trace.End(r.end.Load()); end != trace.Finished {
		return "it exceeded the " + end.String()
	}
	return r.State.String()
}
