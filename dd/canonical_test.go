package dd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestCanonical: minimal traces of one failure get the same normal form, except for the query.
func TestCanonical(t *testing.T) {
	// The failure needs a literal that is declared soft twice, and a query at the end.
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		seen, twice := make(map[int32]bool), false
		for i := range c.Calls {
			if call := &c.Calls[i]; call.Op.Form().HasLits() && call.Num > 0 {
				twice = twice || seen[c.Lit(call)]
				seen[c.Lit(call)] = true
			}
		}
		return Verdict{Same: twice && c.Calls[len(c.Calls)-1].Op.AsksAnswer(), Call: -1}, nil
	})
	const posed = "soft 1 1\nsoft 1 1\nsolve\n"
	for text, question := range map[string]string{
		"soft 1 1\nsoft 1 1\nsoft 2 1\nsolve\nobj\n":              "obj\n",
		"soft 5 7\nsoft -5 70\nsoft 5 4294967296\nsolve\nval 5\n": "val 1\n",
		"soft -1 3\nsoft -1 3\nsoft 1 0\nsolve\nmodel\n":          "model\n",
	} {
		one, want := parse(t, text), posed+question
		before := one.String()
		result, err := Canonical(context.Background(), one, test, Config{})
		if err != nil || !result.Minimal || result.Stats.Tests == 0 {
			t.Errorf("%q: %v, %+v", text, err, result)
			continue
		}
		if _, got, _ := strings.Cut(result.Trace.String(), "\n"); got != want {
			t.Errorf("%q becomes\n%s, want\n%s", text, got, want)
		}
		if one.String() != before {
			t.Errorf("%q was changed", text)
		}
		again, err := Canonical(context.Background(), result.Trace, test, Config{})
		if err != nil || again.Trace.String() != result.Trace.String() {
			t.Errorf("its normal form becomes\n%s, %v", again.Trace, err)
		}
	}
	if _, err := Canonical(context.Background(), parse(t, "soft 1 1\nsolve\nobj\n"), test, Config{}); !errors.Is(err,
		ErrNotFailing) {
		t.Errorf("error %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	result, err := Canonical(ctx, parse(t, "soft 5 7\nsoft 5 1\nsolve\nobj\n"), test, Config{})
	if err != nil || result.Trace == nil || result.Minimal {
		t.Errorf("interrupted: %+v, %v", result, err)
	}
}

// TestCanonicalIsBare: Canonical removes expected answers, unless the trace fails only with them.
func TestCanonicalIsBare(t *testing.T) {
	for _, needed := range []bool{false, true} {
		test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			return Verdict{Same: !needed || len(c.Want.Of) > 0, Call: -1}, nil
		})
		one := parse(t, "soft 1 1\nsolve\nobj\n")
		one.Want.Of = make([]trace.Answer, len(one.Calls))
		one.Want.Of[1] = trace.Answer{Kind: trace.Answered, Num: 30}
		result, err := Canonical(context.Background(), one, test, Config{})
		if err != nil || len(result.Trace.Want.Of) > 0 != needed {
			t.Errorf("needed %v: %v, %v", needed, result.Trace, err)
		}
	}
}

// TestCanonicalOrder: Canonical moves settings to the front as far as the failure allows.
func TestCanonicalOrder(t *testing.T) {
	has := func(text string) TestFunc {
		return func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			same := strings.Contains(c.String(), text) && strings.Contains(c.String(), "terminate 0")
			return Verdict{Same: same && strings.Contains(c.String(), "hard"), Call: -1}, nil
		}
	}
	for _, row := range []struct{ needs, want string }{
		{"solve", "terminate 0\nhard 1 0\nsolve\n"},
		{"terminate 0\nsolve", "hard 1 0\nterminate 0\nsolve\n"},
	} {
		result, err := Canonical(context.Background(), parse(t, "hard 7 0\nterminate 0\nsolve\n"), has(row.needs), Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(result.Trace.String(), "\n"); got != row.want {
			t.Errorf("a failure that needs %q: got\n%s, want\n%s", row.needs, got, row.want)
		}
	}
}

// TestCanonicalPolarity: negating a variable changes no normal form, also if it is as often positive as negative.
func TestCanonicalPolarity(t *testing.T) {
	withPair := func(a, b int) *trace.Trace {
		return parse(t, fmt.Sprintf("hard %d %d 0\nhard %d %d 0\nassume %d\nassume %d\nsolve\n", a, b, a, -b, -a, -a))
	}
	var images []*trace.Trace
	same := make(map[string]bool)
	for _, a := range []int{1, -1, 2, -2} {
		for _, b := range []int{3 - max(a, -a), max(a, -a) - 3} {
			images = append(images, withPair(a, b))
			same[trace.CallsAlone(sorted(withPair(a, b)))] = true
		}
	}
	fails := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		return Verdict{Same: same[trace.CallsAlone(sorted(c))], Call: -1}, nil
	})
	for _, image := range images {
		result, err := Canonical(context.Background(), image, fails, Config{})
		if err != nil || trace.CallsAlone(result.Trace) != trace.CallsAlone(withPair(1, 2)) {
			t.Errorf("%s becomes\n%s, %v", image, result.Trace, err)
		}
	}
}
