package instances

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

const redeclared = "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 5\nsoft 1 3\nsoft 2 4\nsolve\nobj\nsolve\nobj\n"

func instances(t *testing.T, n int, last error) iter.Seq2[sources.Item, error] {
	t.Helper()
	return func(yield func(sources.Item, error) bool) {
		for i := range n {
			text := redeclared
			if i%3 == 1 {
				text = "ipafuzz 1 ipasir\nadd 1 0\nsolve\nmodel\n"
			}
			parsed, err := trace.Parse(strings.NewReader(text), "t")
			if err != nil {
				t.Fatal(err)
			}
			if !yield(sources.Item{Name: fmt.Sprint("i", i), Trace: parsed}, nil) {
				return
			}
		}
		if last != nil {
			yield(sources.Item{}, last)
		}
	}
}

func config(t *testing.T, workers int, specs ...string) Config {
	t.Helper()
	c := Config{Workers: workers, How: trial.Replaying{Way: replay.Fork, Limits: replay.DefaultLimits,
		Conflicts: trial.Thorough, Factor: 100}}
	for _, spec := range specs {
		target, err := targets.Resolve(spec, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Targets = append(c.Targets, Named{Target: target})
	}
	return c
}

// TestTheOrderIsThatOfTheInstances checks the order of results for several numbers of workers.
func TestTheOrderIsThatOfTheInstances(t *testing.T) {
	t.Parallel()
	const n = 7
	for _, workers := range []int{1, 4} {
		var rows bytes.Buffer
		w, err := NewWriter(&rows)
		if err != nil {
			t.Fatal(err)
		}
		var sums Summaries
		err = config(t, workers, "ref", "ref:defect=redeclare-adds").Run(t.Context(), instances(t, n, nil),
			func(r *Result) error {
				sums.Add(r)
				return w.Write(r)
			})
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(&rows).ReadAll()
		if err != nil || len(records) != 1+2*n || !slices.Equal(records[0], Columns) {
			t.Fatalf("%d workers: %d records: %v", workers, len(records), err)
		}
		for i := range n {
			healthy, planted := records[1+2*i], records[2+2*i]
			wantSecond := Wrong
			if i%3 == 1 {
				wantSecond = NotRun // the defect is of IPAMIR
			}
			if name := fmt.Sprint("i", i); healthy[0] != name || healthy[6] != string(OK) || planted[0] != name ||
				planted[6] != string(wantSecond) {
				t.Errorf("%d workers, instance %d: %q, %q", workers, i, healthy, planted)
			}
			if i%3 != 1 && (healthy[4] != "30 30" || healthy[5] != "3 3") {
				t.Errorf("instance %d: answers %q, %q", i, healthy[4], healthy[5])
			}
		}
		if sums.Of[0].Solved != n || sums.Of[1].Solved != 0 || sums.Of[1].Runs != 5 || len(sums.Of[1].Findings) != 1 {
			t.Errorf("%d workers: %+v, %+v", workers, sums.Of[0], sums.Of[1])
		}
		for key, e := range sums.Of[1].Findings {
			if e.Count != 5 || e.Instance != "i0" {
				t.Errorf("%s: %+v", key, e)
			}
		}
	}
}

// TestErrorsEndTheRun checks that errors of instances, of the callback and of the context end the run.
func TestErrorsEndTheRun(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	seen := 0
	err := config(t, 2, "ref").Run(t.Context(), instances(t, 3, broken), func(*Result) error { seen++; return nil })
	if !errors.Is(err, broken) || seen != 3 {
		t.Errorf("an instance that cannot be read: %v after %d results, want all 3 before it", err, seen)
	}
	seen = 0
	if err := config(t, 2, "ref").Run(t.Context(), instances(t, 20, nil), func(*Result) error {
		seen++
		return broken
	}); !errors.Is(err, broken) || seen != 1 {
		t.Errorf("an error of the callback: %v after %d calls", err, seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = config(t, 2, "ref").Run(ctx, instances(t, 200, nil), func(*Result) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
}
