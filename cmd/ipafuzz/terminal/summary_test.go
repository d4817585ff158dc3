package terminal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestUnreduced checks that a summary says when faults may be one because the run ended too early to tell.
func TestUnreduced(t *testing.T) {
	const says = "finding not reduced to the end, so several of these faults may be one."
	minimal := testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n")
	config := campaign.Config{Cells: []source.Cell{{Target: &replay.Target{Name: "ref", Model: minimal.Model}}}}
	finding := func(class oracle.Class, why string) *store.Finding {
		f := &store.Finding{Finding: oracle.Finding{Class: class, Detail: string(class)}, Target: "ref", Original: minimal,
			Minimal: minimal, Dir: "findings/" + string(class), Facts: store.Facts{IsMinimal: why == "", NotMinimal: why}}
		f.Key = f.Finding.Key(f.Target)
		return f
	}
	for _, row := range []struct {
		found []*store.Finding
		want  bool
	}{
		{[]*store.Finding{finding("2.1", ""), finding("2.3", "")}, false},
		{[]*store.Finding{finding("2.1", ""), finding("2.3", store.RunEnded)}, true},
		{[]*store.Finding{finding("2.1", store.RunEnded)}, false},
	} {
		var out strings.Builder
		writeFaults(&out, campaign.Summary{Found: row.found, Faults: fault.Group(row.found)}, config)
		if strings.Contains(out.String(), says) != row.want {
			t.Errorf("with %d findings, want a hint: %v\n%s", len(row.found), row.want, &out)
		}
	}
}

// TestBriefly checks that a summary in two lines a fault says which faults are possibly the same.
func TestBriefly(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n")
	config := campaign.Config{Cells: []source.Cell{{Target: &replay.Target{Name: "ref", Model: minimal.Model}}}}
	var faults []fault.Fault
	for name, possibly := range map[string][]string{"a": {"b"}, "b": {"a"}, "c": nil} {
		f := &store.Finding{Finding: oracle.Finding{Class: "2.1", Detail: name}, Target: "ref", Minimal: minimal}
		faults = append(faults, fault.Fault{Name: name, Target: "ref", Findings: []*store.Finding{f}, Possibly: possibly})
	}
	slices.SortFunc(faults, func(a, b fault.Fault) int { return strings.Compare(a.Name, b.Name) })
	out := briefly(faults, config)
	if text := out.String(); strings.Count(text, "possibly") != 2 ||
		!strings.Contains(text, "possibly the same as fault 2") {
		t.Error(text)
	}
}

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

// TestSetAside checks that a summary says how long the traces that were set aside ran, if that matters.
func TestSetAside(t *testing.T) {
	const says = "18 traces took too long or too much memory: set aside after 9.1 s in all."
	for took, want := range map[time.Duration]bool{9100 * time.Millisecond: true, time.Second: false} {
		var s campaign.Summary
		s.Elapsed, s.SetAside, s.SetAsideTime = 20*time.Second, 18, took
		var out strings.Builder
		writeTimes(&out, s)
		if strings.Contains(out.String(), says) != want {
			t.Errorf("%v: %s", took, &out)
		}
	}
}
