package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A judged is one row of the tables: a log, whose answers stand after '=', and the expected findings as "class
// check call detail".
type judged struct {
	name   string
	log    string // without the first line
	notes  string // of the header
	config Config
	want   []string
	edit   func(run *trace.Run) // sets what the text cannot express: effort, the end of the run
}

func parseLog(t testing.TB, model, log string) *trace.Trace {
	t.Helper()
	var lines []string
	for line := range strings.Lines(log) {
		for part := range strings.SplitSeq(line, ";") {
			lines = append(lines, strings.TrimSpace(part))
		}
	}
	tr, err := trace.ParseSyntax(strings.NewReader("ipafuzz 1 "+model+"\n"+strings.Join(lines, "\n")+"\n"), "test")
	if err != nil {
		t.Fatalf("%s: %v", log, err)
	}
	return tr
}

func line(f Finding) string {
	return fmt.Sprintf("%s %s %d %s", f.Class, f.Check, f.Call, f.Detail)
}

func runTable(t *testing.T, model string, rows []judged) {
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			log := row.log
			if row.notes != "" {
				log = "# " + strings.ReplaceAll(row.notes, "; ", "\n# ") + "\n" + log
			}
			tr := parseLog(t, model, log)
			run := &trace.Run{Answers: tr.Want.Clone()}
			tr.Want.Reset()
			if row.edit != nil {
				row.edit(run)
			}
			var got []string
			j := New(row.config)
			for range 2 { // a judge that was used before must give the same findings
				got = nil
				for _, f := range j.Judge(tr, run) {
					got = append(got, line(f))
					if f.Observed == "" || f.Expected == "" || f.Known == "" {
						t.Errorf("%s: a text for people is missing: %+v", line(f), f)
					}
					countsFromOne(t, tr, &f)
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("%s\ngot  %q\nwant %q", row.log, got, row.want)
					for _, f := range j.Judge(tr, run) {
						t.Logf("%+v", f)
					}
					return
				}
			}
		})
	}
}

var callNumber = regexp.MustCompile(`[^s] call (\d+)`)

// countsFromOne checks that the calls that a finding names are solves and queries if they count from 1. A callback
// counts its own calls.
func countsFromOne(t *testing.T, tr *trace.Trace, f *Finding) {
	for _, number := range callNumber.FindAllStringSubmatch(f.Observed+" "+f.Expected+" "+f.Known, -1) {
		n, err := strconv.Atoi(number[1])
		if err != nil || n < 1 || n > len(tr.Calls) || tr.Model.Call(tr.Calls[n-1].Op).Reply == apimodel.ReplyNothing {
			t.Errorf("%s: not a call with an answer: %q in %+v", line(*f), number[0], f)
		}
	}
}

func effort(call int, e trace.Effort) func(*trace.Run) {
	return func(run *trace.Run) { run.Answers.SetEffort(&run.Answers.Of[call], e) }
}

func learned(call int, lits ...int32) func(*trace.Run) {
	return func(run *trace.Run) {
		a := &run.Answers
		clauses := uint32(0)
		for _, l := range lits {
			if l == 0 {
				clauses++
			}
		}
		a.SetEffort(&a.Of[call], trace.Effort{Nanos: 1, Learned: clauses, Clauses: uint32(len(a.Lits)),
			ClausesLen: uint32(len(lits))})
		a.Lits = append(a.Lits, lits...)
	}
}

var large = Config{MaxVars: -1}
var twoVars = Config{MaxVars: 2}

func TestSAT(t *testing.T) {
	runTable(t, "ipasir", []judged{
		{name: "right", log: "add 1 2 0; solve = 10; model = 1 -2; val 1 = 1; val -1 = 1; val -2 = -2"},
		{name: "right in pieces", log: "add 1; add 2 0; add -1 0; solve = 10; model = -1 2"},
		{name: "right unsat",
			log: "add 1 2 0; assume -1; assume -2; assume 5; solve = 20; core = -1 -2; failed -1 = 1; failed 5 = 0"},
		{name: "assumptions are used up", log: "add 1 2 0; assume -1; solve = 10; model = -1 2; solve = 10; model = 1 2"},
		{name: "nothing at all", log: "solve = 10"},
		{name: "empty clause", log: "add 0; solve = 20; core ="},
		{name: "tautology", log: "add 1 -1 0; solve = 10; model = -1"},
		{name: "not important", log: "add 1 2 0; solve = 10; model = 1; val 2 = 0; val -2 = 0"},

		{name: "unknown status", log: "add 1 0; solve = 30; solve = 7", want: []string{"4.1 status 1 unknown status",
			"4.1 status 2 unknown status"}},
		{name: "IPASIR has no answer ERROR", log: "solve = 40", want: []string{"4.1 status 0 unknown status"}},

		{name: "claims a solution", log: "add 1 0; add -1 0; solve = 10; model = 1",
			want: []string{"2.4 exhaustive 2 claims a solution"}},
		{name: "claims a solution under assumptions", log: "add 1 0; assume -1; solve = 10",
			want: []string{"2.4 exhaustive 2 claims a solution"}},
		{name: "contradicting assumptions", log: "add 1 0; assume 7; assume -7; solve = 10",
			want: []string{"2.4 exhaustive 3 claims a solution"}},
		{name: "contradicting assumptions, large", config: large, log: "add 1 0; assume 7; assume -7; solve = 10",
			want: []string{"2.4 exhaustive 3 claims a solution"}},
		{name: "empty clause, large", config: large, log: "add 0; solve = 10",
			want: []string{"2.4 exhaustive 1 claims a solution"}},
		{name: "claims no solution", log: "add 1 2 0; assume -1; solve = 20; core = -1",
			want: []string{"2.5 exhaustive 2 claims no solution"}},
		{name: "too large to know", config: large, log: "add 1 2 0; assume -1; solve = 20; add 1 0; add -1 0; solve = 10"},
		{name: "known solution", config: large, log: "add 1 2 0; solve = 10; model = -1 2; add 2 3 0; assume -1; solve = 20",
			want: []string{"2.5 known-solution 5 claims no solution"}},
		{name: "known solution, now excluded", config: large,
			log: "add 1 2 0; solve = 10; model = -1 2; add -2 0; assume -1; solve = 20"},

		{name: "model falsifies clause", log: "add 1 2 0; solve = 10; model = -1 -2",
			want: []string{"2.6 model 2 hard clause"}},
		{name: "model falsifies clause, large", config: large, log: "add 1 2 0; solve = 10; model = -1 -2",
			want: []string{"2.6 model 2 hard clause"}},
		{name: "model falsifies assumption", log: "add 1 2 0; assume 1; assume 9; solve = 10; model = -1 2 9",
			want: []string{"2.6 model 4 assumption"}},
		{name: "assumption in no clause", log: "add 1 2 0; assume 9; solve = 10; val 9 = -9",
			want: []string{"2.6 model 3 assumption"}},
		{name: "single vals falsify", log: "add 1 2 0; solve = 10; val 1 = -1; val 2 = -2",
			want: []string{"2.6 model 3 hard clause"}},
		{name: "single vals leave it open", log: "add 1 2 0; solve = 10; val 1 = -1"},
		{name: "no completion", log: "add 1 2 0; add 1 -2 0; solve = 10; model = -1",
			want: []string{"2.6 model 3 no completion"}},
		{name: "no completion, large", config: twoVars, log: "add 1 2 0; add 1 -2 0; add 3 4 5 0; solve = 10; model = -1 3",
			want: []string{"2.6 model 4 no completion"}},
		{name: "completion, large", config: twoVars, log: "add 1 2 0; add 1 -2 0; add 3 4 5 0; solve = 10; model = 1 3"},
		{name: "too many to complete", config: large, log: "add 1 2 0; add 1 -2 0; solve = 10; model = -1"},

		{name: "val of both polarities", log: "add 1 2 0; solve = 10; val 1 = 1; val -1 = -1",
			want: []string{"5.2 values 3 true and false"}},
		{name: "zero for one polarity", log: "add 1 2 0; solve = 10; val 1 = 1; val -1 = 0",
			want: []string{"5.2 values 3 0 and a value"}},
		{name: "zero for one polarity, allowed", config: Config{Policies: map[string]string{"val-zero": "any"}},
			log: "add 1 2 0; solve = 10; val -1 = 0; val 1 = 1"},
		{name: "val against model", log: "add 1 2 0; solve = 10; model = 1 2; val 2 = -2",
			want: []string{"5.2 values 3 true and false"}},
		{name: "val against what the model left out", log: "add 1 2 0; solve = 10; model = 1; val 2 = -2",
			want: []string{"5.2 values 3 0 and a value"}},
		{name: "named after the model", log: "add 1 2 0; solve = 10; model = 1 2; val 3 = 3; val -3 = 3"},
		{name: "strange val", log: "add 1 2 0; solve = 10; val 1 = 7",
			want: []string{"5.2 values 2 no value of its literal"}},
		{name: "strange model", log: "add 1 2 0; solve = 10; model = 1 !; val 2 = 2",
			want: []string{"5.2 values 2 no value of its literal"}},
		{name: "no signature", log: "signature = !; add 1 2 0; solve = 10", want: []string{"5.2 values 0 no signature"}},
		{name: "an empty signature", log: "signature = \"\"; add 1 2 0; solve = 10"},
		{name: "model that contradicts itself", log: "add 1 2 0; solve = 10; model = 1 -1 2",
			want: []string{"5.2 values 2 true and false"}},
		{name: "some foreign variables", log: "add 1 0; solve = 10; model = 1 2 3"},
		{name: "far too many variables", log: "add 1 0; solve = 10; model = 1 2 3 4 5 6 7 8 9 10 11 12",
			want: []string{"4.2 values 2 unnamed variables"}},
		{name: "vals after new solve are new", log: "add 1 2 0; solve = 10; val 1 = 1; solve = 10; val 1 = -1"},

		{name: "not a core", log: "add 1 2 0; assume -1; assume -2; solve = 20; core = -1",
			want: []string{"5.3 core 4 not a core"}},
		{name: "core too large is one", log: "add 1 0; assume -1; assume 3; solve = 20; core = -1 3"},
		{name: "single answers, not a core", log: "add 1 2 0; assume -1; assume -2; solve = 20; failed -1 = 1; failed -2 = 0",
			want: []string{"5.3 core 5 not a core"}},
		{name: "one innocent is enough to know", log: "add 1 2 0; assume -1; assume -2; solve = 20; failed -2 = 0",
			want: []string{"5.3 core 4 not a core"}},
		{name: "not all asked", log: "add 1 2 0; assume -1; assume -2; solve = 20; failed -2 = 1"},
		{name: "not a core, large", config: large,
			log: "add 1 2 0; solve = 10; model = -1 2; assume -1; assume -2; solve = 20; core = -1", want: []string{"5.3 " +
				"core 6 not a core"}},
		{name: "core unknown, large", config: large, log: "add 1 2 0; assume -1; assume -2; solve = 20; core = -1"},
		{name: "core against failed", log: "add 1 2 0; assume -1; assume -2; solve = 20; core = -1 -2; failed -1 = 0",
			want: []string{"5.3 failed 5 failed and not failed"}},
		{name: "core of x and not x", log: "add 1 2 0; assume 5; assume -5; solve = 20; core = 5 -5"},
		{name: "half a core of x and not x", log: "add 1 2 0; assume 5; assume -5; solve = 20; core = 5",
			want: []string{"5.3 core 4 not a core"}},
		{name: "unsatisfiable clauses, empty core", log: "add 1 0; add -1 0; assume 2; solve = 20; core ="},
		{name: "strange failed", log: "add 1 0; assume -1; solve = 20; failed -1 = 2",
			want: []string{"5.3 failed 3 neither 0 nor 1"}},
		{name: "strange core", log: "add 1 0; assume -1; solve = 20; core = -1 !",
			want: []string{"5.3 failed 3 neither 0 nor 1"}},
		{name: "core of a stranger", log: "add 1 0; assume -1; solve = 20; core = -1 1",
			want: []string{"5.3 failed 3 not an assumption"}},
		{name: "failed of no assumption", log: "add 1 0; assume -1; solve = 20; failed 1 = 1; failed 5 = 3"},
		{name: "failed of no assumption, policy",
			config: Config{Policies: map[string]string{"failed-non-assumption": "zero"}},
			log:    "add 1 0; assume -1; solve = 20; failed 1 = 1", want: []string{"5.3 failed 3 not an assumption"}},

		{name: "failed of no assumption, a strange number, policy",
			config: Config{Policies: map[string]string{"failed-non-assumption": "zero"}},
			log:    "add 1 0; assume -1; solve = 20; failed 1 = -1", want: []string{"5.3 failed 3 not an assumption"}},
		{name: "unseen variable", log: "add 1 0; solve = 10; val 9 = 9; val -9 = -9; val 9 = 0; model = 1"},
		{name: "unseen variable, policy", config: Config{Policies: map[string]string{"unseen-val": "zero"}},
			log: "add 1 0; solve = 10; val 8 = 0; val -9 = 9", want: []string{"5.2 values 3 value of an unseen variable"}},
		{name: "unseen variable, consistent", config: Config{Policies: map[string]string{"unseen-val": "consistent"}},
			log: "add 1 0; solve = 10; val 8 = 0; val -8 = 0; val 9 = 9; val -9 = 9; val 9 = 9; solve = 10; val 9 = -9"},
		{name: "unseen variable, changing", config: Config{Policies: map[string]string{"unseen-val": "consistent"}},
			log: "add 1 0; solve = 10; val 9 = 9; val 9 = -9", want: []string{"5.2 values 3 true and false"}},
		{name: "unseen variable, both signs true", config: Config{Policies: map[string]string{"unseen-val": "consistent"}},
			log: "add 1 0; solve = 10; val 9 = 9; val -9 = -9", want: []string{"5.2 values 3 true and false"}},
		{name: "unseen variable, 0 once", config: Config{Policies: map[string]string{"unseen-val": "consistent"}},
			log: "add 1 0; solve = 10; val 9 = 0; val -9 = -9", want: []string{"5.2 values 3 0 and a value"}},
		{name: "unseen variable, 0 once, val-zero=any",
			config: Config{Policies: map[string]string{"unseen-val": "consistent", "val-zero": "any"}},
			log:    "add 1 0; solve = 10; val 9 = 0; val -9 = -9"},
		{name: "unseen variable, not in the model", config: Config{Policies: map[string]string{"unseen-val": "consistent"}},
			log: "add 1 0; solve = 10; val 9 = 9; model = 1", want: []string{"5.2 values 3 0 and a value"}},
		{name: "unseen variable, asked for before", config: Config{Policies: map[string]string{"unseen-val": "consistent"}},
			log:  "add 1 0; solve = 10; val 9 = 0; solve = 10; model = 1; val 9 = 9",
			want: []string{"5.2 values 5 0 and a value"}},
		{name: "unseen variable, a number", log: "add 1 0; solve = 10; val 9 = 1",
			want: []string{"5.2 values 2 no value of its literal"}},
		{name: "named by a question, then in a clause",
			log: "add 1 0; solve = 10; val 9 = 9; add 9 0; solve = 10; val 9 = 9; val -9 = -9", want: []string{"5.2 values 6 " +
				"true and false"}},

		{name: "repeated with another answer", config: large,
			log:  "add 1 2 0; assume 3; assume 4; solve = 10; assume 4; assume 3; assume 4; solve = 20",
			want: []string{"5.4 repeat 7 status"}},
		{name: "repeated, one is proven wrong", log: "add 1 2 0; solve = 20; solve = 10",
			want: []string{"2.5 exhaustive 1 claims no solution", "5.4 repeat 2 status"}},
		{name: "not the same problem", config: large,
			log: "add 1 2 0; assume 3; solve = 10; assume -3; solve = 20; add 3 0; assume 3; solve = 20"},
		{name: "a harder problem has a solution", config: large,
			log:  "add 1 2 0; solve = 20; add 3 4 0; assume 1; solve = 10",
			want: []string{"5.4 monotone 4 a harder problem has a solution"}},
		{name: "a harder problem has a checked solution", config: large,
			log:  "add 1 2 0; solve = 20; add 3 4 0; assume 1; solve = 10; model = 1 2 3 4",
			want: []string{"2.5 monotone 5 claims no solution"}},
		{name: "the easier problem comes later", config: large, log: "add 1 2 0; assume 1; solve = 10; solve = 20",
			want: []string{"5.4 monotone 3 a harder problem has a solution"}},
		{name: "neither problem is harder", config: large,
			log: "add 1 2 0; assume 1; assume 2; solve = 20; assume 1; assume 3; solve = 10; solve = 10; add 4 0; assume -3; " +
				"solve = 20"},
		{name: "planted solution denied", config: large, notes: "planted @0 bound=0 1 -2 3",
			log: "add 1 2 0; add -2 3 0; solve = 20", want: []string{"2.5 planted 2 claims no solution"}},
		{name: "planted solution denied, of a new variable", config: large, notes: "planted @0 bound=0 1 -2",
			log: "add 1 2 0; add -9 -8 0; assume 9; solve = 20", want: []string{"2.5 planted 3 claims no solution"}},
		{name: "planted for another instance", config: large, notes: "planted @1 bound=0 1 -2", log: "add 1 2 0; solve = 20"},
		{name: "planted, and no solution any more", config: large, notes: "planted @0 bound=0 1 -2",
			log: "add 1 2 0; add -1 0; solve = 20; add 3 0; assume -2; solve = 20"},
		{name: "planted nonsense", config: large,
			notes: "planted @0 bound=0 1 x; planted @; planted @70000 bound=1 1; planted @0 bound=0 0 -2147483648",
			log:   "add 1 2 0; solve = 20"},
		{name: "harder problems get worse", config: large,
			log: "add 1 2 0; solve = 10; assume 1; solve = 10; add 5 6 0; assume 1; assume 2; solve = 20"},
		{name: "no longer harder after a new start", config: large,
			log: "add 1 2 0; solve = 20; release; init; add 1 2 0; assume 1; solve = 10"},
		{name: "interrupted is no answer", config: large, log: "terminate 1; add 1 2 0; solve = 0; solve = 10"},

		{name: "gives up", log: "add 1 0; solve = 0", want: []string{"4.4 terminate 1 gives up without reason"}},
		{name: "gives up, allowed", config: Config{Policies: map[string]string{"give-up": "allowed"}},
			log: "add 1 0; solve = 0"},
		{name: "callback never says stop", log: "terminate 0; add 1 0; solve = 0",
			want: []string{"4.4 terminate 2 gives up without reason"}},
		{name: "not yet told to stop", log: "terminate 3; add 1 0; solve = 0", edit: effort(2, trace.Effort{Nanos: 1,
			Polls: 2}), want: []string{"4.4 terminate 2 gives up without reason"}},
		{name: "told to stop", log: "terminate 3; add 1 0; solve = 0", edit: effort(2, trace.Effort{Nanos: 1, Polls: 3})},
		{name: "effort not known", log: "terminate 3; add 1 0; solve = 0"},
		{name: "terminate not supported", log: "terminate 3 = ?; add 1 0; solve = 0",
			want: []string{"4.4 terminate 2 gives up without reason"}},
		{name: "stays stopped", log: "terminate 1; solve = 0; terminate off; solve = 0",
			want: []string{"5.6 terminate 3 stays stopped"}},
		{name: "taken away after the solve", log: "terminate 1; solve = 0; terminate off; terminate 0", edit: effort(1,
			trace.Effort{Nanos: 1, Polls: 1})},
		{name: "asks again after stop", config: Config{Policies: map[string]string{"terminate-stop": "prompt"}},
			log: "add 1 0; terminate 1; solve = 10", edit: effort(2, trace.Effort{Nanos: 1, Polls: 3, PollsAfter: 2}),
			want: []string{"5.6 terminate 2 ignores stop"}},
		{name: "answers after stop", config: Config{Policies: map[string]string{"terminate-stop": "prompt"}},
			log: "add 1 0; terminate 2; solve = 10", edit: effort(2, trace.Effort{Nanos: 1, Polls: 2}),
			want: []string{"5.6 terminate 2 ignores stop"}},
		{name: "answers before stop", config: Config{Policies: map[string]string{"terminate-stop": "prompt"}},
			log: "add 1 0; terminate 2; solve = 10", edit: effort(2, trace.Effort{Nanos: 1, Polls: 1})},
		{name: "answers after stop, eventual", log: "add 1 0; terminate 2; solve = 10", edit: effort(2,
			trace.Effort{Nanos: 1, Polls: 2})},
		{name: "never given", log: "solve = 10", edit: effort(0, trace.Effort{Nanos: 1, Polls: 2}),
			want: []string{"5.6 terminate 0 calls a callback that was never given"}},
		{name: "of an earlier life", log: "terminate 1; release; init; solve = 10", edit: effort(3, trace.Effort{Nanos: 1,
			Polls: 2}), want: []string{"5.6 terminate 3 calls a callback that was never given"}},
		{name: "taken away, not specified", config: Config{Policies: map[string]string{"terminate-null": "any"}},
			log: "terminate 1; terminate off; solve = 10", edit: effort(2, trace.Effort{Nanos: 1, Polls: 2})},
		{name: "learn callback never given", log: "solve = 10", edit: effort(0, trace.Effort{Nanos: 1, Learned: 1}),
			want: []string{"5.6 learned 0 calls a callback that was never given"}},
		{name: "learn callback taken away", log: "learn 1; learn off; solve = 10", edit: effort(2, trace.Effort{Nanos: 1,
			Learned: 1}), want: []string{"5.6 learned 2 calls a callback that was taken away"}},
		{name: "learn callback taken away, not specified",
			config: Config{Policies: map[string]string{"terminate-null": "any"}}, log: "learn 1; learn off; solve = 10",
			edit: effort(2, trace.Effort{Nanos: 1, Learned: 1})},
		{name: "never asks", config: Config{Policies: map[string]string{"terminate-called": "every-solve"}},
			log: "add 1 0; terminate 0; solve = 10", edit: effort(2, trace.Effort{Nanos: 1}),
			want: []string{"5.6 terminate 2 does not call the callback"}},
		{name: "asks once", config: Config{Policies: map[string]string{"terminate-called": "every-solve"}},
			log: "add 1 0; terminate 0; solve = 10", edit: effort(2, trace.Effort{Nanos: 1, Polls: 1})},
		{name: "never asks, not promised", log: "add 1 0; terminate 0; solve = 10", edit: effort(2, trace.Effort{Nanos: 1})},
		{name: "asks again after stop, eventual", log: "add 1 0; terminate 1; solve = 10", edit: effort(2,
			trace.Effort{Nanos: 1, Polls: 3, PollsAfter: 2})},
		{name: "ignores stop", log: "terminate 1; solve = 10", edit: effort(1, trace.Effort{Nanos: 1, Polls: 200_000,
			PollsAfter: 199_999}), want: []string{"5.6 terminate 1 ignores stop"}},
		{name: "taken away", log: "terminate 1; terminate off; solve = 10", edit: effort(2, trace.Effort{Nanos: 1,
			Polls: 2}), want: []string{"5.6 terminate 2 calls a callback that was taken away"}},
		{name: "terminate callback of another", log: "@1 terminate 0; solve = 10; @1 solve = 10", edit: effort(1,
			trace.Effort{Nanos: 1, OthersPolled: true}), want: []string{"5.6 terminate 1 calls a callback of another instance"}},
		{name: "learn callback of another", log: "@1 learn 3; solve = 10; @1 solve = 10", edit: effort(1,
			trace.Effort{Nanos: 1, OthersLearned: true}), want: []string{"5.6 learned 1 calls a callback of another instance"}},
		{name: "callback of another, NULL does not remove it",
			config: Config{Policies: map[string]string{"terminate-null": "any"}},
			log:    "@1 terminate 0; @1 terminate off; solve = 10", edit: effort(2, trace.Effort{Nanos: 1, OthersPolled: true}),
			want: []string{"5.6 terminate 2 calls a callback of another instance"}},
		{name: "a new solver forgets the stop", log: "terminate 1; solve = 0; release; init; solve = 0",
			want: []string{"4.4 terminate 4 gives up without reason"}},

		{name: "learned", log: "learn 2; add 1 2 0; add 1 -2 0; assume 5; solve = 10", edit: learned(4, 1, 0, 1, 5, 0, 7, 8)},
		{name: "learned from assumptions", log: "learn 2; add 1 2 0; assume -1; solve = 10", edit: learned(3, 2, 0),
			want: []string{"6.1 learned 3 not implied"}},
		{name: "learned, true anyway", log: "learn 2; add 1 2 0; assume 5; solve = 10", edit: learned(3, 5, -5, 0)},
		{name: "learned of a foreigner", log: "learn 2; add 1 2 0; solve = 10", edit: learned(2, 1, 9, 0),
			want: []string{"6.1 learned 2 foreign variable"}},
		{name: "learned too long", log: "learn 1; add 1 2 0; solve = 10", edit: learned(2, 1, 2, 0),
			want: []string{"6.2 learned 2 longer than asked for"}},
		{name: "learned too long, not captured", log: "learn 1; add 1 2 0; solve = 10", edit: effort(2,
			trace.Effort{Learned: 1, Odd: 1}), want: []string{"6.2 learned 2 longer than asked for"}},
		{name: "learned, large", config: large, log: "learn 2; add 1 2 0; solve = 10; model = 1 -2; solve = 10",
			edit: learned(4, 2, 0), want: []string{"6.1 learned 4 not implied"}},

		{name: "two instances",
			log: "add 1 0; @1 add -1 0; assume -1; @1 assume 1; solve = 20; @1 solve = 20; core = -1; @1 core = 1"},
		{name: "after a release", log: "add 1 0; solve = 10; release; init; add -1 0; solve = 10; model = -1"},
		{name: "withheld", log: "add 1 0; solve = 20; val 1 = -; add -1 0 = -; assume -1 = -; solve = 10; model = 1",
			want: []string{"2.5 exhaustive 1 claims no solution", "5.4 repeat 5 status"}},
		{name: "not answered", log: "add 1 0; assume -1; solve; val 1; solve = 10; val 1 = 1"},
		{name: "asked in the wrong state", log: "add 1 0; solve = 10; add 2 0; val 1 = -1; failed 1 = 7"},
	})
}

func TestTwoInstancesApart(t *testing.T) {
	tr := parseLog(t, "ipasir", "add 1 0; @1 add -1 0; solve = 10; @1 solve = 10; val 1 = 1; @1 val 1 = 1")
	findings := New(Config{}).Judge(tr, &trace.Run{Answers: tr.Want})
	if len(findings) != 1 || findings[0].Instance != 1 || findings[0].Class != ModelFalsifies || findings[0].Call != 5 ||
		findings[0].Weight != NoWeights {
		t.Errorf("%+v", findings)
	}
}
