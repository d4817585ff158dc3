package main

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle/compare"
)

// TestDisputesStayApart checks that the record has one text for each target's answer.
func TestDisputesStayApart(t *testing.T) {
	t.Parallel()
	r := &replayCommand{Target: []string{"pipe:a; b", "ref", "c"}}
	records := r.disputes([]compare.Dispute{{About: "answer", Says: []string{"1", "", "2; 3"}}})
	if want := []string{"pipe:a; b: 1", "c: 2; 3"}; len(records) != 1 || !slices.Equal(records[0].Says, want) {
		t.Errorf("the records are %+v, want one that says %q", records, want)
	}
}
