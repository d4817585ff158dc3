package dd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExpectationsGo: Minimize removes the expectations if the trace fails without them, because they may be wrong for
// a reduced problem.
func TestExpectationsGo(t *testing.T) {
	result, err := Minimize(context.Background(), parse(t, "hard 1 0\nsoft 1 4\nsoft 2 3\nsolve = 30\nobj = 4\n"),
		TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			return Verdict{Same: strings.Contains(c.String(), "obj"), Call: -1}, nil
		}), Config{})
	if err != nil || text(result.Trace) != "solve\nobj\n" {
		t.Errorf("%v, reduced to\n%s", err, result.Trace)
	}
}

// TestExpectationsStay: if the trace fails only with its expectations, Minimize keeps them and every call that could
// change the right answer.
func TestExpectationsStay(t *testing.T) {
	given := parse(t,
		"option x 1\nhard 1 0\n@1 hard 2 0\nsoft 1 4\nsolve = 30\nval 1 = 1\nobj = 4\nmodel\n@1 solve = 30\nhard 2 0\n"+
			"solve = 30\n")
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		return Verdict{Same: strings.Contains(c.String(), "obj want 4"), Call: -1}, nil
	})
	result, err := Minimize(context.Background(), given, test, Config{})
	if err != nil || !strings.Contains(text(result.Trace),
		"hard 1 0\nsoft 1 4\nsolve\nobj want 4\n") || strings.Contains(text(result.Trace), "@1") {
		t.Errorf("%v, reduced to\n%s", err, result.Trace)
	}
}

// TestChance: with Repeated, Minimize reduces a failure that shows in a third of the runs, but not to a rarer failure.
func TestChance(t *testing.T) {
	f := failures[0]
	long := longTraces(t, f, 1, 60)[0]
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 5))
	const rate = 0.35
	rateOf := func(c *trace.Trace) float64 {
		switch {
		case !f.fails(c):
			return 0
		case !has(c, func(call *trace.Call) bool { return call.Op == apimodel.OpClause }):
			return rate / 30 // a trace without a clause shows a rarer failure
		}
		return rate
	}
	runs := 0
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		runs++
		return Verdict{Same: rng.Float64() < rateOf(c), Call: -1}, nil
	})
	result, err := Minimize(context.Background(), long, Repeated(test, rate), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rateOf(result.Trace); got < rate {
		t.Errorf("the result fails at a rate of %v:\n%s", got, result.Trace)
	}
	if len(result.Trace.Calls) > 12 {
		t.Errorf("%d calls are reduced to\n%s", len(long.Calls), result.Trace)
	}
	t.Logf("%d calls to %d with %d candidates in %d runs", len(long.Calls), len(result.Trace.Calls), result.Stats.Tests,
		runs)
}

// TestRepeated: Repeated needs few runs if all of them agree.
func TestRepeated(t *testing.T) {
	for _, c := range []struct {
		rate float64
		same bool
		most int
	}{{1, true, 1}, {1, false, 1}, {0.9, true, 3}, {0.9, false, 2}, {0.5, true, 3}, {0.5, false, 6}, {0.1, true, 3}, {0.1,
		false, 50}} {
		runs := 0
		v, err := Repeated(TestFunc(func(context.Context, int, *trace.Trace) (Verdict, error) {
			runs++
			return Verdict{Same: c.same}, nil
		}), c.rate).Test(context.Background(), 0, nil)
		if err != nil || v.Same != c.same || runs > c.most {
			t.Errorf("rate %v, always %v: verdict %v after %d runs (%v), want at most %d", c.rate, c.same, v.Same, runs, err,
				c.most)
		}
	}
}

// TestBoundLater: a reduction ends if the trace fails without its expectations at first, but not in Certify. A pass
// that was impatient before must not change an expected answer then, and so others need not wait for it.
func TestBoundLater(t *testing.T) {
	text := ""
	for v := 1; v <= 60; v++ {
		text += fmt.Sprintf("hard %d 0\n", v)
	}
	one := parse(t, text+"solve\n")
	one.Want.Of = make([]trace.Answer, len(one.Calls))
	one.Want.Of[60] = trace.Answer{Kind: trace.Answered, Num: 30}
	strict := false
	expects := func(c *trace.Trace) bool { return len(c.Want.Of) > 60 && c.Want.Of[60].Kind == trace.Answered }
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		return Verdict{Same: len(c.Calls) == 61 && (!strict || expects(c)), Call: -1}, nil
	})
	result, err := Minimize(t.Context(), one, test, Config{Certify: func(_ context.Context, c *trace.Trace) (bool, error) {
		strict = true
		return expects(c), nil
	}})
	if err != nil || !expects(result.Trace) {
		t.Errorf("%v, %v", result.Trace, err)
	}
}

// TestLatePassesWait: a reduction ends if a pass behind a late one is impatient. Late passes wait for those before them
// only, or else the impatient pass would never run again.
func TestLatePassesWait(t *testing.T) {
	test := TestFunc(func(context.Context, int, *trace.Trace) (Verdict, error) {
		return Verdict{Same: true, Call: -1}, nil
	})
	r := newReducer(t.Context(), parse(t, "solve\n"), test, Config{Workers: 1})
	defer r.lab.Close()
	ran := 0
	r.passes = []*pass{
		{late: true, run: func(*reducer) error { return nil }},
		{run: func(r *reducer) error {
			ran++
			r.running.impatient, r.running.proven = ran == 1, ran > 1
			return nil
		}},
	}
	if err := r.run(t.Context()); err != nil || ran != 2 {
		t.Errorf("the pass ran %d times, %v; want 2", ran, err)
	}
}

// TestCertify: Minimize discards a result that fails only in a lenient test and not in Certify, and then searches on.
func TestCertify(t *testing.T) {
	f := failures[0]
	long := longTraces(t, f, 1, 60)[0]
	lenient := true
	asked := 0
	lenientTest := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		return Verdict{Same: f.fails(c) || lenient && c.Solves() > 0, Call: -1}, nil // lenient: any solve
	})
	certify := func(_ context.Context, c *trace.Trace) (bool, error) {
		asked++
		lenient = false
		return f.fails(c), nil
	}
	result, err := Minimize(context.Background(), long, lenientTest, Config{Certify: certify})
	if err != nil || text(result.Trace) != f.want || asked < 2 || asked > 4 || !result.Minimal {
		t.Errorf("%v, certified %d times, reduced to\n%s", err, asked, result.Trace)
	}

	// If results keep failing certification, Minimize gives up.
	always := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		return Verdict{Same: true, Call: -1}, nil
	})
	result, err = Minimize(context.Background(), long, always, Config{Certify: certify})
	if err != nil || result.Minimal || !errors.Is(result.Ended, ErrDoubtful) || result.Trace.String() != long.String() {
		t.Errorf("%v, ended by %v with\n%s", err, result.Ended, result.Trace)
	}

	// When the budget ends, Minimize certifies the result, too.
	lenient = true
	result, err = Minimize(context.Background(), long, lenientTest, Config{Certify: certify, Budget: Budget{Tests: 20}})
	if err != nil || result.Minimal || !f.fails(result.Trace) {
		t.Errorf("%v, ended by %v with\n%s", err, result.Ended, result.Trace)
	}
}

// TestParts: Minimize first removes whole parts of a joined trace.
func TestParts(t *testing.T) {
	f := failures[0]
	parts := longTraces(t, failure{"anything", f.model, func(*trace.Trace) bool { return true }, ""}, 40, 10)
	joined := trace.Concat(parts...)
	if !f.fails(joined) {
		t.Fatal("no part fails")
	}
	result, err := Minimize(context.Background(), joined, tester(t, f), Config{Parts: parts})
	if err != nil || text(result.Trace) != f.want {
		t.Errorf("%v, reduced to\n%s", err, result.Trace)
	}
	for _, p := range result.Passes {
		if p.Name == "parts" && (p.Calls < len(joined.Calls)/2 || p.Tests > 25) {
			t.Errorf("removing parts removed %d of %d calls in %d tests", p.Calls, len(joined.Calls), p.Tests)
		}
	}
}

// TestEmptyList: passes that remove literals keep clauses and constraints that are empty, even the last list of a
// trace.
func TestEmptyList(t *testing.T) {
	for given, want := range map[string]string{
		"ipafuzz 1 ipasir2\nadd 1 2 3 0\nimport 0\nsolve\n":             "add 1 0\nimport 0\nsolve\n",
		"ipafuzz 1 ipasir+cadical\nadd 1 2 3 0\nconstrain 0\nsolve\n":   "add 1 0\nconstrain 0\nsolve\n",
		"ipafuzz 1 ipasir+cadical\nadd 1 0\nconstrain 1 2 3 0\nsolve\n": "add 1 0\nconstrain 1 0\nsolve\n",
	} {
		from, err := trace.ParseString(given)
		if err != nil {
			t.Fatal(err)
		}
		needed := from.Calls[1].Op
		literals := min(from.Calls[1].Len, 1)
		test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			same := has(c, func(call *trace.Call) bool { return call.Op == needed && call.Len >= literals }) &&
				has(c, func(call *trace.Call) bool { return call.Op == apimodel.OpClause && call.Len > 0 }) &&
				has(c, func(call *trace.Call) bool { return call.Op == apimodel.OpSolve })
			return Verdict{Same: same, Call: -1}, nil
		})
		if result, err := Minimize(context.Background(), from, test, Config{}); err != nil || text(result.Trace) != want {
			t.Errorf("%v, reduced to\n%s", err, result.Trace)
		}
	}
}
