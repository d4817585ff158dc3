package followup

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
)

// Take begins to follow up on a suspect. It never blocks.
func (u *FollowUps) Take(s *suspect.Suspect) {
	if s.Kind == suspect.Failed {
		u.add(u.confirmation(s.Target, failureOf(s)))
		return
	}
	t := &task{Job: pace.Job{Stage: pace.Confirming}, target: s.Target, from: s.From}
	if s.Found != nil {
		t.Cost = costOf(s.Found)
	}
	var stage func(*follower, context.Context, *suspect.Suspect) (*task, error)
	switch s.Kind {
	case suspect.Wrote:
		stage, t.seen = (*follower).confirmMessage, s.Found
	case suspect.Leaked:
		stage = (*follower).confirmLeak
	case suspect.Exits:
		stage = (*follower).confirmExit
	case suspect.Grew:
		stage, t.Cost = (*follower).confirmGrowth, time.Second
	case suspect.Mixed:
		stage, t.Cost = (*follower).confirmMixed, time.Millisecond
	case suspect.Differs:
		stage, t.Cost = (*follower).settle, time.Millisecond
	case suspect.Hung:
		stage, t.Slow, t.AtLimit, t.kind = (*follower).sampleHang, true, true, s.Found.Made
	case suspect.Known:
		stage, t.Stage, t.limit = (*follower).examineSuspect, pace.Reducing, reduceTime
		if s.Explained {
			t.limit = min(t.limit, s.Limit)
		}
	}
	t.do = func(ctx context.Context, f *follower) (*task, error) { return stage(f, ctx, s) }
	u.add(t)
}

// costOf estimates the cost of following up on a finding: one trial for each call.
func costOf(found *store.Finding) time.Duration {
	return time.Duration(len(found.Minimal.Calls)) * time.Millisecond
}

// longTrial is the least time of trials that must not hold up the others, and longFold the least multiple
// of the usual time of a trace.
const (
	longTrial = 100 * time.Millisecond
	longFold  = 16
)

// takesLong reports whether a run of a trace took far longer than traces of the target usually do.
func (u *FollowUps) takesLong(target int, took time.Duration) bool {
	return took >= longTrial && took >= longFold*u.All[target].Costs.Usual()
}
