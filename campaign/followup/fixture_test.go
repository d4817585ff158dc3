package followup

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// newFollowUps returns the follow-ups of a campaign that fuzzes one target.
func newFollowUps(t *testing.T, target, model string, limits replay.Limits) *FollowUps {
	t.Helper()
	p := testlineup.Load(t, target, model, limits, gen.Config{Profile: "tiny"})
	u := New(Config{Lineup: p.Lineup, Book: p.Book, Registry: p.Registry, Pacer: p.Pacer, Budgets: p.Budgets,
		Others: true, Reduction: Reduction, Stop: func(err error) { t.Error(err) }})
	u.Begin(t.Context())
	return u
}

// openFollower returns a follower that does a task until the test ends.
func openFollower(t *testing.T, u *FollowUps) *follower {
	t.Helper()
	f := u.newFollower(0)
	f.doing = new(task)
	t.Cleanup(f.group.Close)
	return f
}

// first returns the origin of the first trace.
func first(u *FollowUps) source.Origin { return source.Origin{Stream: u.Book.Cells[0].Stream} }

// hangingTrace returns a trace that the search has seen hang in the given call.
func hangingTrace(t *testing.T, u *FollowUps, model, calls string, call int, detail string) *failure {
	t.Helper()
	found := &store.Finding{Target: u.All[0].Name, Minimal: testtrace.Parse(t, "ipafuzz 1 "+model+"\n"+calls)}
	found.Finding = oracle.Finding{Class: oracle.TooSlow, Check: "end", Detail: detail, Weight: oracle.SmallWeights,
		Call: call}
	found.Original, found.Key = found.Minimal, found.Finding.Key(found.Target)
	return &failure{found: found}
}

// unconfirmed returns why failures are not findings.
func unconfirmed(u *FollowUps) (why []string) {
	for _, x := range u.Registry.Outcome().Unconfirmed {
		why = append(why, x.Why)
	}
	return why
}
