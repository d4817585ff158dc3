package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestLong: of the traces of the profile long, nearly all have a clause of more than 64 literals, many have one of more
// than 255, more than 64 assumptions for a solve or a callback that takes clauses of more than 64 literals, and some
// name a literal three times in a clause.
func TestLong(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Propositional() {
		g := newGenerator(t, Config{Model: m, Profile: "long", Description: described(t, "options")})
		traces, long, over255, assumed, learned, thrice, calls := 0, 0, 0, 0, 0, 0, 0
		forEach(t, g, 500, func(tr *trace.Trace) error {
			longest, most, learn, times := 0, 0, uint32(0), 0
			open := make(map[uint16]int)
			for i := range tr.Calls {
				c := &tr.Calls[i]
				switch c.Op {
				case apimodel.OpClause:
					longest = max(longest, int(c.Len))
					count := make(map[int32]int)
					for _, l := range tr.Args(c) {
						count[l]++
						times = max(times, count[l])
					}
				case apimodel.OpAssume:
					open[c.Instance]++
					most = max(most, open[c.Instance])
				case apimodel.OpSolve, apimodel.OpRelease:
					open[c.Instance] = 0
				case apimodel.OpLearn:
					learn = max(learn, uint32(c.Num))
				}
			}
			traces++
			calls += len(tr.Calls)
			for _, row := range []struct {
				count *int
				holds bool
			}{
				{&long, longest > 64},
				{&over255, longest > 255},
				{&assumed, most > 64},
				{&learned, learn > 64},
				{&thrice, times > 2},
			} {
				if row.holds {
					*row.count++
				}
			}
			return trace.Check(tr)
		})
		if long < traces*9/10 || over255 < traces/8 || assumed < traces/5 || thrice < traces/100 ||
			m.Call(apimodel.OpLearn) != nil && learned < traces/20 || calls > 800*traces {
			t.Errorf("%s: of %d traces, %d have a long clause, %d one of more than 255, %d many assumptions, "+
				"%d learn long clauses, %d repeat a literal, %d calls",
				m.Name, traces, long, over255, assumed, learned, thrice, calls)
		}
	}
}

// TestLongWithin: the family long keeps the bounds and features with every profile.
func TestLongWithin(t *testing.T) {
	t.Parallel()
	for _, b := range []Bounds{
		{MaxCalls: 8, MaxVars: 1}, {MaxCalls: 60, MaxVars: 9}, {MaxCalls: 300, MaxVars: 70}, {MaxCalls: 20_000, MaxVars: 900},
	} {
		for _, without := range [][]string{nil, {feature.DuplicateLiterals.String(), feature.AssumeSoft.String()}} {
			for _, profile := range []string{"long", "wide", "published"} {
				g := newGenerator(t, Config{Model: apimodel.IPAMIR, Family: "long", Profile: profile, Bounds: b, Without: without})
				forEach(t, g, 100, func(tr *trace.Trace) error {
					return withinBounds(tr, measure.Inspect(tr), g.config.Bounds)
				})
			}
		}
	}
}
