package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/trace"
)

// messageCheck looks for error messages that the library printed while it went on answering. It runs
// last: beside any other finding a message is not reported, because nobody can tell what it is about.
type messageCheck struct{}

func (messageCheck) name() string { return messageCheckName }

const messageCheckName = "message"

func (messageCheck) run(j *Judge) {
	out := &j.run.Output
	if out.Text == "" || len(j.findings) > 0 || !j.rules.messagesAreFaults || refusedSomething(j) {
		return
	}
	line, detail := message.Error(out.Text)
	if line == "" {
		return
	}
	j.decide()
	j.reportOf(j.dyingInstance(), -1, Finding{Class: ErrorMessage, Call: len(j.t.Calls), Detail: detail,
		Observed: fmt.Sprintf("went on after printing %q", line), Expected: "no error message beside right answers",
		Known: "the output of the process", Suspects: out.Of, Suspect: out.At})
}

// refusedSomething reports whether the run has a refusal or an interruption, which a message may be
// about.
func refusedSomething(j *Judge) bool {
	for i := range j.t.Calls {
		a := j.run.Answers.At(i)
		switch op := j.t.Calls[i].Op; {
		case a.Kind != trace.Answered:
		case op == apimodel.OpOption && a.Num != 0:
			return true
		case op == apimodel.OpSolve && int32(a.Num) != apimodel.Satisfiable && int32(a.Num) != apimodel.Unsatisfiable &&
			int32(a.Num) != apimodel.Optimum:
			return true
		}
	}
	return false
}

// WithoutMessages returns the findings without error messages, unless there are no others.
func WithoutMessages(findings []Finding) []Finding {
	kept := findings[:0:0]
	for _, f := range findings {
		if f.Check != messageCheckName {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return findings
	}
	return kept
}
