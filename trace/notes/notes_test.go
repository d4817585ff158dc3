package notes_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		origin notes.Origin
		text   string
	}{
		{notes.Origin{Generator: "tiny/1", Profile: "tiny/1", Seed: 7, Options: []string{"max-vars=5", "max-calls=150"}},
			"gen=tiny/1 profile=tiny/1 seed=0x0000000000000007 max-vars=5 max-calls=150"},
		{notes.Origin{Generator: "knapsack/2", Profile: "x/1", Options: []string{"schedule=a+b", "plant=a b.cnf",
			"max-vars=5"},
			Features: []string{"a", "b"}},
			"gen=knapsack/2 profile=x/1 seed=0x0000000000000000 schedule=a+b plant=a b.cnf max-vars=5\nfeatures=a,b"},
		{notes.Origin{Generator: "mutation/3", Seed: 1, Parents: []string{"a b=c.trace", "d"}, Mutations: []string{"x", "y"},
			Features: []string{"f"}},
			"gen=mutation/3 seed=0x0000000000000001 of=a b=c.trace,d\nmutations=x,y\nfeatures=f"},
		{notes.Origin{Generator: "mutation/3", Parents: []string{"a"}, Mutations: []string{}},
			"gen=mutation/3 seed=0x0000000000000000 of=a\nmutations="},
		{notes.Origin{Generator: "external", Seed: 2, Options: []string{"format=wcnf"}, Command: "./gen: 2",
			Fitted: "that the generator printed"},
			"gen=external seed=0x0000000000000002 format=wcnf\ngenerator: ./gen: 2\n" +
				"fitted to the target: it is not all that the generator printed"},
		{notes.Origin{Corpus: "a/b c", Fitted: "of the trace in the corpus"},
			"corpus=a/b c\nfitted to the target: it is not all of the trace in the corpus"},
		{notes.Origin{}, ""},
	} {
		lines := c.origin.Notes()
		if got := strings.Join(lines, "\n"); got != c.text {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.origin, got, c.text)
		}
		if got := notes.OriginOf(lines); !reflect.DeepEqual(got, c.origin) {
			t.Errorf("%s\nis read as %+v, want %+v", c.text, got, c.origin)
		}
	}
}

var result = notes.Result{
	Reduced: notes.Reduction{From: "original.trace", Calls: 120, Tests: 8, How: "minimal"}.String(),
	Target:  "pipe:a: b", Finding: "pipe:a: b 2.1 S not optimal", Rate: notes.Rate{Failed: 3, Runs: 40},
	Observed: "optimum 4", Expected: "optimum 3", Slower: "2.0 times", Limits: "--cpu 5s",
}

func TestResults(t *testing.T) {
	const want = `minimized: from original.trace (120 calls), 8 tests, minimal
target: pipe:a: b
finding: pipe:a: b 2.1 S not optimal
confirmed: failed in 3 of 40 runs, each in a fresh process
observed: optimum 4
expected: optimum 3
slower: 2.0 times
limits: --cpu 5s`
	if got := strings.Join(result.Notes(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := notes.ResultOf(result.Notes()); got != result {
		t.Errorf("read as %+v, want %+v", got, result)
	}
	if got := (notes.Result{}).Notes(); len(got) > 0 {
		t.Errorf("the zero Result has the notes %q", got)
	}
	search := notes.Reduction{From: "x", Calls: 2, Tests: 3, Search: &notes.Search{Time: 1234567 * time.Microsecond,
		Seed: 5}}
	if got := search.String(); got != "from x (2 calls), 3 tests in 1.235s, seed 5" {
		t.Errorf("a reduction by hand: %q", got)
	}
}

// TestWithResult: WithResult drops an earlier result, the features of the trace before the reduction, and remarks, such
// as the comments of a formula file. Of two results in a header, the last one counts.
func TestWithResult(t *testing.T) {
	origin := notes.Origin{Generator: "tiny/1", Profile: "tiny/1", Features: []string{"f"}}
	older := result
	older.Finding, older.Rate = "older", notes.Rate{Failed: 1, Runs: 1}
	remarks := []string{"a remark", "variables : 16"}
	header := slices.Concat(origin.Notes(), remarks, []string{notes.Again("ipafuzz gen")}, older.Notes())
	got := notes.WithResult(header, result)
	origin.Features = nil
	if want := slices.Concat(origin.Notes(), []string{"again: ipafuzz gen"}, result.Notes()); !slices.Equal(
		got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := notes.ResultOf(append(older.Notes(), result.Notes()...)); got != result {
		t.Errorf("ResultOf returns %+v of two results, want the last", got)
	}
	if title := notes.TitleOf([]string{notes.Title("a\nb")}); title != "a b" {
		t.Errorf("title %q", title)
	}
}

// FuzzNotes: the text of a trace keeps the notes of any result, and reading and writing any header a second time
// changes nothing.
func FuzzNotes(f *testing.F) {
	f.Add("a", "b\nc", "gen=x seed=3 a=b c of=d,e\nfeatures=\nconfirmed: failed in 1 of 2 runs", 3, 40)
	f.Fuzz(func(t *testing.T, target, observed, header string, failed, runs int) {
		r := notes.Result{Target: target, Observed: observed, Rate: notes.Rate{Failed: failed, Runs: max(runs, 0)}}
		if r.Rate.Runs == 0 {
			r.Rate.Failed = 0
		}
		tr, err := trace.ParseString("ipafuzz 1 ipamir\nsolve\n")
		if err != nil {
			t.Fatal(err)
		}
		tr.Notes = r.Notes()
		again, err := trace.ParseString(tr.String())
		if err != nil || len(again.Notes) != len(tr.Notes) || notes.ResultOf(again.Notes).Rate != r.Rate {
			t.Errorf("%q is read as %q, %v", tr.Notes, again.Notes, err)
		}
		if !strings.ContainsAny(target+observed, "\n\r") && notes.ResultOf(tr.Notes) != r {
			t.Errorf("%+v is read as %+v", r, notes.ResultOf(tr.Notes))
		}
		lines := strings.Split(header, "\n")
		origin, result := notes.OriginOf(lines), notes.ResultOf(lines)
		if got := notes.ResultOf(result.Notes()); got.Rate != result.Rate && result.Rate.Runs > 0 {
			t.Errorf("%q: %+v, then %+v", lines, result, got)
		}
		once := notes.OriginOf(origin.Notes())
		if twice := notes.OriginOf(once.Notes()); fmt.Sprint(twice) != fmt.Sprint(once) {
			t.Errorf("%q: %+v, then %+v", lines, once, twice)
		}
	})
}
