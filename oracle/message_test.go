package oracle

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func writes(text string) func(*trace.Run) {
	return func(run *trace.Run) { run.Output = trace.Output{Text: text, Of: 1} }
}

// TestOrderOfEvaluation: the worst failure of a run comes first. An error message beside another failure is
// not a finding.
func TestOrderOfEvaluation(t *testing.T) {
	const wrong, right = "add 1 0; add -1 0; solve = 10", "add 1 0; solve = 10; val 1 = 1"
	const race = "WARNING: ThreadSanitizer: data race (pid=1)"
	dies := func(signal int, stderr string) func(*trace.Run) {
		return func(run *trace.Run) {
			run.End, run.Call = trace.Killed, 3
			run.Death = trace.Death{Signal: signal, Stderr: stderr}
		}
	}
	runTable(t, "ipasir", []judged{
		{name: "message beside right answers", log: right, edit: writes("ERROR: x"),
			want: []string{"4.3 message 3 ERROR: x"}},
		{name: "message without any call", log: "", edit: writes("ERROR: x"), want: []string{"4.3 message 0 ERROR: x"}},
		{name: "chatter beside right answers", log: right, edit: writes("c ERROR: x\nsolved")},
		{name: "message beside a wrong answer", log: wrong, edit: writes("ERROR: x"),
			want: []string{"2.4 exhaustive 2 claims a solution"}},
		{name: "sanitizer beside a wrong answer", log: wrong, edit: writes(race),
			want: []string{"2.4 exhaustive 2 claims a solution", "4.3 message 3 thread sanitizer: data race"}},
		{name: "undefined behaviour beside a wrong answer", log: wrong,
			edit: writes("x.c:7:3: runtime error: signed overflow"),
			want: []string{"2.4 exhaustive 2 claims a solution", "4.3 message 3 undefined behaviour: signed overflow x.c:7"}},
		{name: "sanitizer beside a time limit", log: "add 1 0; solve = 10; solve = 10; solve",
			want: []string{"3.1 end 3 in solve"},
			edit: func(run *trace.Run) {
				run.End, run.Call, run.Output = trace.OutOfCPU, 3, trace.Output{Text: race, Of: 1}
			}},
		{name: "message beside values that disagree", log: "add 1 2 0; solve = 10; val 1 = 1; val -1 = -1",
			edit: writes("ERROR: x"),
			want: []string{"5.2 values 3 true and false"}},
		{name: "message beside an interruption", log: "terminate 1; solve = 0", edit: writes("ERROR: x")},
		{name: "message beside an option that was refused", log: "option a b = 1; add 1 0; solve = 10",
			edit: writes("ERROR: no option a")},
		{name: "message that the policy allows", log: right, edit: writes("ERROR: x"),
			config: Config{Policies: map[string]string{"error-message": "ignored"}}},
		{name: "crash behind a wrong answer", log: wrong + "; solve", edit: dies(11, "ERROR: x"),
			want: []string{"2.4 exhaustive 2 claims a solution", "1.5 end 3 SIGSEGV in solve"}},
		{name: "crash with a message", log: "add 1 0; solve = 10; solve = 10; solve", edit: dies(11, "ERROR: x"),
			want: []string{"1.5 end 3 SIGSEGV in solve"}},
		{name: "time limit with a message", log: "add 1 0; solve = 10; solve = 10; solve",
			want: []string{"3.1 end 3 in solve"},
			edit: func(run *trace.Run) {
				run.End, run.Call, run.Output = trace.OutOfCPU, 3, trace.Output{Text: "ERROR: x", Of: 1}
			}},
	})
	runTable(t, "ipamir", []judged{
		{name: "message beside a bound violation", log: "hard 1 2 0; soft 1 3; soft 2 5; solve = 30; obj = 5; model = -1 2",
			edit: writes("ERROR: x"),
			want: []string{"2.1 objective 5 not optimal"}},
		{name: "message beside a refusal that is allowed", log: "soft 1 18446744073709551615; soft 2 1; solve = 40",
			edit: writes("ERROR: weights")},
		{name: "message beside an optimum", log: "hard 1 2 0; soft 1 3; solve = 30; obj = 0", edit: writes("ERROR: 5 lost"),
			want: []string{"4.3 message 4 ERROR: N lost"}},
	})
}

func TestSuspectsOfAMessage(t *testing.T) {
	tr := parseLog(t, "ipasir", "solve = 10")
	run := &trace.Run{Answers: tr.Want.Clone(), Output: trace.Output{Text: "ERROR: x", Of: 16, At: 3}}
	if f := New(Config{}).Judge(tr, run); len(f) != 1 || f[0].Suspects != 16 || f[0].Suspect != 3 || f[0].Solve != -1 {
		t.Errorf("%+v", f)
	}
	if apimodel.PolicyNamed("error-message") == nil {
		t.Error("no policy")
	}
}

// TestMessageBesideAComparison: a finding of a comparison also suppresses the finding about an error message.
func TestMessageBesideAComparison(t *testing.T) {
	f := WithoutMessages([]Finding{{Class: ClaimsSolution, Check: TargetsCheck}, {Class: ErrorMessage,
		Check: messageCheckName}})
	if len(f) != 1 || f[0].Class != ClaimsSolution {
		t.Errorf("%+v", f)
	}
	f = WithoutMessages([]Finding{{Class: ClaimsSolution, Check: TargetsCheck}, {Class: ErrorMessage,
		Check: messageCheckName, Observed: `went on after printing "WARNING: ThreadSanitizer: data race (pid=1)"`}})
	if len(f) != 2 {
		t.Errorf("%+v", f)
	}
	if f := WithoutMessages([]Finding{{Class: ErrorMessage, Check: messageCheckName}}); len(f) != 1 {
		t.Errorf("%+v", f)
	}
}
