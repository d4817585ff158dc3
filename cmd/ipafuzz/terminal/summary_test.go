package terminal

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestHardIsNoFailure checks that a summary distinguishes failures from traces whose problem may be hard.
func TestHardIsNoFailure(t *testing.T) {
	const failure, hard = "1 failure seen but not confirmed:", "1 trace met a time limit on a problem that may be hard;"
	slow := store.Unconfirmed{Key: oracle.Key{Target: "one", Class: oracle.TooSlow}, Hard: true}
	lost := store.Unconfirmed{Key: oracle.Key{Target: "one", Class: oracle.TooSlow}}
	for _, row := range []struct {
		name        string
		unconfirmed []store.Unconfirmed
		want, not   []string
	}{
		{"a hard problem", []store.Unconfirmed{slow}, []string{hard}, []string{failure}},
		{"a failure", []store.Unconfirmed{lost}, []string{failure}, []string{hard}},
		{"both", []store.Unconfirmed{slow, lost}, []string{failure, hard}, nil},
		{"neither", nil, nil, []string{failure, hard}},
	} {
		var out strings.Builder
		writeUnconfirmed(&out, campaign.Summary{Unconfirmed: row.unconfirmed}, campaign.Config{})
		for _, want := range row.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.name, want, &out)
			}
		}
		for _, not := range row.not {
			if strings.Contains(out.String(), not) {
				t.Errorf("%s: %q in\n%s", row.name, not, &out)
			}
		}
	}
}
