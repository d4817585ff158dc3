package trial

import (
	"slices"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestRepeat checks that a run with the same answers gets the same findings without the judge, and that
// another run is judged.
func TestRepeat(t *testing.T) {
	limits := replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second}
	session := NewSession(targetOf(t, redeclareAdds), limits, NewJudge(oracle.Config{}, 0))
	defer session.Close()
	tr := testtrace.Parse(t, declaredTwice)
	var counts []uint64
	var keys []oracle.Key
	session.Repeat(true)
	for run := range 4 {
		if run == 3 {
			session.Repeat(false)
		}
		var r trace.Run
		findings, err := session.Run(t.Context(), tr, &r)
		if err != nil || len(findings) == 0 {
			t.Fatal(findings, err)
		}
		keys = append(keys, findings[0].Key("ref"))
		counts = append(counts, session.Judge.Decided().Runs)
	}
	if !slices.Equal(counts, []uint64{1, 1, 1, 2}) {
		t.Errorf("after each run, %v were judged, want 1, 1, 1, 2", counts)
	}
	session.Repeat(true)
	for range 2 {
		var r trace.Run
		if _, err := session.Run(t.Context(), tr.Clone(), &r); err != nil {
			t.Fatal(err)
		}
	}
	if n := session.Judge.Decided().Runs; n != 4 {
		t.Errorf("%d runs were judged: another trace takes the judgement of the first one", n)
	}
	if keys = slices.Compact(keys); len(keys) != 1 {
		t.Errorf("the same run is judged as %v", keys)
	}
}

func TestAlike(t *testing.T) {
	effort := func(nanos uint64, polls uint32) func(r *trace.Run) {
		return func(r *trace.Run) {
			r.Answers.SetEffort(&r.Answers.Of[0], trace.Effort{Nanos: nanos, Polls: polls})
		}
	}
	run := func(change func(r *trace.Run)) *trace.Run {
		r := &trace.Run{Answers: trace.Answers{Of: []trace.Answer{{Num: 30}, {Num: 7}}, Lits: []int32{1, -2}}}
		effort(5, 1)(r)
		change(r)
		return r
	}
	same := run(func(*trace.Run) {})
	for _, c := range []struct {
		name   string
		change func(r *trace.Run)
		want   bool
	}{
		{"the same", func(*trace.Run) {}, true},
		{"another time", effort(9, 1), true},
		{"another effort", effort(5, 2), false},
		{"another number", func(r *trace.Run) { r.Answers.Of[1].Num = 8 }, false},
		{"another value", func(r *trace.Run) { r.Answers.Lits[1] = 2 }, false},
		{"another text", func(r *trace.Run) { r.Answers.Text = []byte("x") }, false},
		{"killed", func(r *trace.Run) { r.End = trace.Killed }, false},
		{"a message", func(r *trace.Run) { r.Output.Text = "error" }, false},
		{"a proof", func(r *trace.Run) { r.Proofs = make([]trace.Proof, 1) }, false},
		{"a failed allocation", func(r *trace.Run) { r.FailedAllocation = 1 }, false},
		{"no answers", func(r *trace.Run) { r.Answers.Reset() }, false},
	} {
		if got := alike(same, run(c.change)); got != c.want {
			t.Errorf("%s: alike is %v", c.name, got)
		}
	}
	if message := run(func(r *trace.Run) { r.Output.Text = "error" }); alike(message, message) {
		t.Error("a message may count differently in another run")
	}
}
