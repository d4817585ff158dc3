package stats

import (
	"testing"
	"time"
)

// TestJoinKinds checks that counts add up, and that shares are those of the target's whole time.
func TestJoinKinds(t *testing.T) {
	part := []KindUse{
		{Target: "a", Traces: 1000, Library: 6 * time.Second, FollowUps: 4 * time.Second},
		{Target: "a", By: "feature", Kind: "gaps", Traces: 2, PutOff: 3, Library: time.Second, Why: "they are expensive"},
		{Target: "b", By: "feature", Kind: "gaps", Traces: 1},
	}
	sum := JoinKinds(part, part[:1], JoinKinds(part))
	if len(sum) != 3 || sum[0].Traces != 3000 || sum[0].TimeShare != 1 || sum[1].Traces != 4 || sum[1].PutOff != 6 ||
		sum[1].TimeShare != 2.0/30 || sum[2].Traces != 2 || sum[2].TimeShare != 0 {
		t.Errorf("%+v", sum)
	}
	if part[0].Traces != 1000 {
		t.Error("the parts changed")
	}
}

// TestPutOff checks the line about the most expensive kind that was put off.
func TestPutOff(t *testing.T) {
	all := []KindUse{
		{Target: "a", Traces: 1000, PutOff: 100},
		{Target: "a", By: "profile", Kind: "tiny/1", Traces: 900, TimeShare: 0.9},
		{Target: "a", By: "feature", Kind: "gaps", Traces: 20, TimeShare: 0.05, PutOff: 50, Why: "they are expensive"},
		{Target: "a", By: "feature", Kind: "options", Traces: 20, TimeShare: 0.01, PutOff: 50, Why: "they are expensive"},
	}
	if got := PutOff(all[:2]); got != "" {
		t.Errorf("nothing was put off: %s", got)
	}
	all = append(all, KindUse{Target: "a", By: "largest variable", Kind: "2^27 or more", Traces: 2, TimeShare: 0.09,
		PutOff: 1, Why: "they are expensive, and wait until cheaper ones find nothing new"})
	const want = "Put off 1 trace with largest variable 2^27 or more: they are expensive, and wait until cheaper ones " +
		"find nothing new. Those that ran were 0.2 % of all and took 9 % of the time, for 0 findings; " +
		"1 other kind was put off, too."
	if got := PutOff(all); got != want {
		t.Errorf("%s", got)
	}
}
