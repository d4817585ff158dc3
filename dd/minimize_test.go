package dd

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A failure is a predicate on traces that takes the place of a faulty library.
type failure struct {
	name  string
	model *apimodel.Model
	fails func(t *trace.Trace) bool
	want  string // the minimal trace, without its first line
}

// failures are the failures that the tests reduce, without a solver.
var failures = []failure{
	{"a soft literal declared again with another weight, and a later solve", apimodel.IPAMIR, func(t *trace.Trace) bool {
		weights := make(map[int32]uint64)
		again := false
		for i := range t.Calls {
			c := &t.Calls[i]
			switch {
			case c.Instance != 0:
			case c.Op == apimodel.OpRelease:
				clear(weights)
				again = false
			case c.Op == apimodel.OpSoft:
				if w, declared := weights[t.Lit(c)]; declared && w != c.Num {
					again = true
				}
				weights[t.Lit(c)] = c.Num
			case c.Op == apimodel.OpSolve && again:
				return true
			}
		}
		return false
	}, "soft 1 1\nsoft 1 2\nsolve\n"},
	{"val of a negative literal", apimodel.IPAMIR, func(t *trace.Trace) bool {
		return has(t, func(c *trace.Call) bool { return c.Op == apimodel.OpVal && t.Lit(c) < 0 })
	}, "solve\nval -1\n"},
	{"a variable above 1000 in a clause", apimodel.IPASIR, func(t *trace.Trace) bool {
		return has(t, func(c *trace.Call) bool {
			return c.Op == apimodel.OpClause && c.Len > 0 && max(trace.Var(t.Args(c)[0]), trace.Var(t.Args(c)[c.Len-1])) > 1000
		})
	}, "add 1001 0\n"},
	{"two variables in a clause, the second ten times the first", apimodel.IPASIR, func(t *trace.Trace) bool {
		return has(t, func(c *trace.Call) bool {
			return c.Op == apimodel.OpClause && c.Len > 1 && trace.Var(t.Args(c)[1]) >= 10*trace.Var(t.Args(c)[0])
		})
	}, "add 1 10 0\n"},
	{"weights of 2^32 and more before a solve", apimodel.IPAMIR, func(t *trace.Trace) bool {
		sum := uint64(0)
		for i := range t.Calls {
			c := &t.Calls[i]
			if c.Op == apimodel.OpSoft {
				sum = max(sum, c.Num)
			}
			if c.Op == apimodel.OpSolve && sum >= 1<<32 {
				return true
			}
		}
		return false
	}, "soft 1 4294967296\nsolve\n"},
	{"a literal twice in a clause", apimodel.IPAMIR, func(t *trace.Trace) bool {
		return has(t, func(c *trace.Call) bool {
			return c.Op == apimodel.OpClause && c.Len > 1 && t.Args(c)[0] == t.Args(c)[1]
		})
	}, "hard 1 1 0\n"},
	{"a second life", apimodel.IPAMIR, func(t *trace.Trace) bool {
		released := false
		return has(t, func(c *trace.Call) bool {
			released = released || c.Op == apimodel.OpRelease
			return released && c.Op == apimodel.OpSolve
		})
	}, "release\ninit\nsolve\n"},
	{"two instances solve", apimodel.IPASIR, func(t *trace.Trace) bool {
		solved := make(map[uint16]bool)
		return has(t, func(c *trace.Call) bool {
			if c.Op == apimodel.OpSolve {
				solved[c.Instance] = true
			}
			return len(solved) > 1
		})
	}, "solve\n@1 solve\n"},
	{"three solves under an assumption", apimodel.IPASIR, func(t *trace.Trace) bool {
		n, assumed := 0, false
		return has(t, func(c *trace.Call) bool {
			if c.Op == apimodel.OpSolve && c.Instance == 0 {
				if assumed {
					n++
				}
				assumed = false
			}
			assumed = assumed || c.Op == apimodel.OpAssume && c.Instance == 0
			return n == 3
		})
	}, "assume 1\nsolve\nassume 1\nsolve\nassume 1\nsolve\n"},
	{"a callback that stops late", apimodel.IPASIR, func(t *trace.Trace) bool {
		stops := false
		return has(t, func(c *trace.Call) bool {
			stops = stops || c.Op == apimodel.OpTerminate && c.Flags&trace.Off == 0 && c.Num > 2
			return stops && c.Op == apimodel.OpSolve
		})
	}, "terminate 3\nsolve\n"},
	{"a clause in two pieces", apimodel.IPAMIR, func(t *trace.Trace) bool {
		return has(t, func(c *trace.Call) bool { return c.Op == apimodel.OpClause && c.Flags&trace.Open != 0 })
	}, "hard 1\n"},
	{"x and -x soft", apimodel.IPAMIR, func(t *trace.Trace) bool {
		soft := make(map[int32]bool)
		return has(t, func(c *trace.Call) bool {
			if c.Op == apimodel.OpSoft {
				soft[t.Lit(c)] = true
			}
			return c.Op == apimodel.OpSoft && soft[-t.Lit(c)]
		})
	}, "soft 1 1\nsoft -1 1\n"},
}

func has(t *trace.Trace, matches func(c *trace.Call) bool) bool {
	for i := range t.Calls {
		if matches(&t.Calls[i]) {
			return true
		}
	}
	return false
}

// longTraces returns n traces with the failure, each joined from generated ones until it has the number of calls.
func longTraces(t testing.TB, f failure, n, calls int) []*trace.Trace {
	t.Helper()
	g, err := gen.New(gen.Config{Model: f.model, Profile: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	var list []*trace.Trace
	for number := uint64(0); len(list) < n; {
		all := &trace.Trace{Model: f.model}
		for len(all.Calls) < calls || !f.fails(all) {
			one := new(trace.Trace)
			g.Generate(gen.Seed(testseed.Of(t, 1), 0, number), one)
			number++
			if len(all.Calls) == 0 {
				all = one
			} else {
				all = trace.Concat(all, one)
			}
			if number > 100_000 {
				t.Fatalf("no trace has %s", f.name)
			}
		}
		all.Notes = []string{"from the tests"}
		list = append(list, all)
	}
	return list
}

// tester returns a Tester for the failure. It fails the test if a candidate is illegal or breaks a rule.
func tester(t testing.TB, f failure) Tester {
	return TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		if err := trace.Check(c); err != nil {
			t.Errorf("an illegal candidate: %v\n%s", err, c)
		}
		if b := broken(c, nil); b != noRule {
			t.Errorf("a candidate breaks rule %b:\n%s", b, c)
		}
		return Verdict{Same: f.fails(c), Call: -1}, nil
	})
}

func text(t *trace.Trace) string {
	bare := t.Clone()
	bare.Notes = nil
	_, calls, _ := strings.Cut(bare.String(), "\n")
	return calls
}

// TestMinimize: Minimize reduces every failure to the few calls that it needs, by the same steps for any number of
// workers.
func TestMinimize(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			for _, long := range longTraces(t, f, 2, 150) {
				if testing.Short() && len(long.Calls) > 600 {
					continue
				}
				before := long.String()
				var first Result
				var firstSteps string
				for _, workers := range []int{1, 2, 5} {
					var steps strings.Builder
					result, err := Minimize(context.Background(), long, tester(t, f), Config{Workers: workers,
						Events: Events{OnBest: func(c *trace.Trace) {
							if !f.fails(c) {
								t.Errorf("OnBest gets a trace that does not fail:\n%s", c)
							}
							steps.WriteString(c.String())
						}}})
					if err != nil {
						t.Fatal(err)
					}
					if long.String() != before {
						t.Fatal("Minimize changes the given trace")
					}
					if !result.Minimal || result.Ended != nil {
						t.Errorf("not minimal: %v", result.Ended)
					}
					if workers == 1 {
						first, firstSteps = result, steps.String()
						continue
					}
					if steps.String() != firstSteps || result.Trace.String() != first.Trace.String() ||
						result.Stats.Tests != first.Stats.Tests {
						t.Errorf("%d workers need %d tests and find\n%sone worker needs %d and finds\n%s", workers,
							result.Stats.Tests, result.Trace, first.Stats.Tests, first.Trace)
					}
				}
				if got := text(first.Trace); got != f.want {
					t.Errorf("%d calls are reduced to\n%swant\n%s%s", len(long.Calls), got, f.want, passTable(first))
				}
				if len(first.Trace.Notes) != 1 {
					t.Errorf("the notes are %q", first.Trace.Notes)
				}
				mustBeMinimal(t, f, first.Trace)
				t.Logf("%d calls to %d in %d tests", len(long.Calls), len(first.Trace.Calls), first.Stats.Tests)
			}
		})
	}
}

// mustBeMinimal checks that the trace no longer fails without any one call or literal.
func mustBeMinimal(t *testing.T, f failure, least *trace.Trace) {
	t.Helper()
	for i := range least.Calls {
		c := without(least, func(j int) bool { return i == j })
		if trace.Check(c) == nil && broken(c, nil) == noRule && f.fails(c) {
			t.Errorf("call %d can be removed from\n%s", i, least)
		}
		if !least.Calls[i].Op.IsClause() {
			continue
		}
		for place := range least.Calls[i].Len {
			c := rewrite(least, func(b *builder, j int, _ *trace.Call) {
				b.shorten(j, func(p int, _ int32) bool { return i == j && p == int(place) })
			})
			if trace.Check(c) == nil && f.fails(c) {
				t.Errorf("literal %d of call %d can be removed from\n%s", place, i, least)
			}
		}
	}
}

func passTable(r Result) string {
	var b strings.Builder
	for _, p := range r.Passes {
		b.WriteString(p.Name + " tests " + strconv.Itoa(p.Tests) + " improved " + strconv.Itoa(p.Improved) + " calls " +
			strconv.Itoa(p.Calls) + "\n")
	}
	return b.String()
}

// TestStrategies: the published strategies end with a trace that fails. In total, strategy Own leaves no more bytes.
func TestStrategies(t *testing.T) {
	total, tests := map[Strategy]int{}, map[Strategy]int{}
	for _, f := range failures {
		for _, long := range longTraces(t, f, 1, 40) {
			if len(long.Calls) > 600 {
				continue // strategy Lines takes long
			}
			for _, strategy := range Strategies {
				result, err := Minimize(context.Background(), long, tester(t, f), Config{Strategy: strategy, Seed: 7})
				if err != nil {
					t.Fatal(err)
				}
				if !f.fails(result.Trace) {
					t.Errorf("%s, %s: the result does not fail", f.name, strategy)
				}
				total[strategy] += len(text(result.Trace))
				tests[strategy] += result.Stats.Tests
			}
		}
	}
	for _, s := range Strategies {
		t.Logf("%s: %d bytes left in total, after %d tests", s, total[s], tests[s])
		if s != Own && (total[Own] > total[s] || 2*tests[Own] > tests[Lines]) {
			t.Errorf("own leaves %d bytes after %d tests, %s %d after %d", total[Own], tests[Own], s, total[s], tests[s])
		}
	}
}

func TestUnknownStrategy(t *testing.T) {
	_, err := Minimize(context.Background(), parse(t, sixCalls), tester(t, failures[0]), Config{Strategy: "magic"})
	if err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("error %v", err)
	}
}

func TestNotFailing(t *testing.T) {
	_, err := Minimize(context.Background(), parse(t, sixCalls), TestFunc(func(context.Context, int,
		*trace.Trace) (Verdict, error) {
		return Verdict{}, nil
	}), Config{})
	if !errors.Is(err, ErrNotFailing) {
		t.Errorf("error %v", err)
	}
}

// TestBudget: when a budget or the context ends, Minimize returns the best trace so far, and Ended says why it is not
// minimal.
func TestBudget(t *testing.T) {
	f := failures[0]
	long := longTraces(t, f, 1, 150)[0]
	for _, b := range []Budget{{Tests: 5}, {Tests: 15}, {Idle: 3}, {Time: 1}} {
		var best *trace.Trace
		result, err := Minimize(context.Background(), long, tester(t, f), Config{Budget: b,
			Events: Events{OnBest: func(c *trace.Trace) { best = c }}})
		if err != nil || result.Minimal || result.Ended == nil {
			t.Errorf("budget %+v: minimal %v, ended by %v, error %v", b, result.Minimal, result.Ended, err)
		}
		if !f.fails(result.Trace) || best != nil && result.Trace.String() != best.String() {
			t.Errorf("budget %+v: the result is not the last trace that OnBest got", b)
		}
	}
	for _, cause := range []error{nil, errors.New("the time is up")} {
		ctx, stop := context.WithCancelCause(context.Background())
		n := 0
		result, err := Minimize(ctx, long, tester(t, f), Config{Events: Events{OnBest: func(*trace.Trace) {
			if n++; n == 2 {
				stop(cause)
			}
		}}})
		if err != nil || !errors.Is(result.Ended, context.Canceled) || len(result.Trace.Calls) >= len(long.Calls) {
			t.Errorf("interrupted, %v: %d calls, ended by %v, error %v", cause, len(result.Trace.Calls), result.Ended, err)
		}
	}
}

// TestOthers: OnOther gets each other failure that a candidate shows, with smaller and smaller traces.
func TestOthers(t *testing.T) {
	f := failures[0]
	other := failures[5]
	both := failure{"both", f.model, func(c *trace.Trace) bool { return f.fails(c) && other.fails(c) }, ""}
	met, improved := 0, 0
	for _, long := range longTraces(t, both, 4, 150) {
		last := len(long.Calls)
		test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			v := Verdict{Same: f.fails(c), Call: -1}
			if other.fails(c) {
				v.Others = []Failure{"other"}
			}
			return v, nil
		})
		_, err := Minimize(context.Background(), long, test,
			Config{Workers: 2, Events: Events{OnOther: func(c *trace.Trace, key Failure) {
				if key != "other" || !other.fails(c) {
					t.Errorf("key %v for\n%s", key, c)
				}
				if len(c.Calls) > last {
					t.Errorf("OnOther gets a trace of %d calls after one of %d", len(c.Calls), last)
				}
				if last < len(long.Calls) {
					improved++
				}
				met++
				last = len(c.Calls)
			}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if met < 4 || improved == 0 {
		t.Errorf("OnOther is called %d times, %d of them with a smaller trace", met, improved)
	}
}

// TestNoVerdict: an error of the test is not a verdict.
func TestNoVerdict(t *testing.T) {
	broken := errors.New("the machine is broken")
	n := 0
	_, err := Minimize(context.Background(), parse(t, sixCalls), TestFunc(func(context.Context, int,
		*trace.Trace) (Verdict, error) {
		if n++; n == 3 {
			return Verdict{}, broken
		}
		return Verdict{Same: n == 1}, nil
	}), Config{})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
