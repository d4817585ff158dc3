package followup

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExplainedUpToFailure checks that calls after a failure do not hide its known cause.
func TestExplainedUpToFailure(t *testing.T) {
	one, err := trace.ParseString("ipafuzz 1 ipamir\nhard 1 0\nhard 3 0\nsolve\nmodel\nsoft 2 1\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	known := []*cause.Failure{{Cause: "variable-gap"}}
	if cause.Explain(known, one) {
		t.Fatal("the calls after the failure hide nothing")
	}
	for call, want := range map[int]bool{0: false, 3: true, len(one.Calls) - 1: false, len(one.Calls): false} {
		found := &store.Finding{Finding: oracle.Finding{Call: call}, Minimal: one}
		if got := explainedUpToFailure(known, found); got != want {
			t.Errorf("a failure in call %d: explained %t, want %t", call, got, want)
		}
	}
}

// TestExamineTakesCausesOut checks that a trace with the cause of a known finding is examined without that
// cause: it may fail for another one.
func TestExamineTakesCausesOut(t *testing.T) {
	t.Parallel()
	for calls, want := range map[string]cause.Cause{
		"hard 1 -1 0\nhard 2 2 0\nsolve\n": "tautology",
		"hard 3 1 0\nhard 2 2 0\nsolve\n":  "", // nothing else is wrong
	} {
		u := newFollowUps(t, "ref:defect=tautology-cancels,second=duplicates-cancel", "ipamir", testlineup.Limits)
		f := openFollower(t, u)
		one, err := trace.ParseString("ipafuzz 1 ipamir\n" + calls)
		if err != nil {
			t.Fatal(err)
		}
		found := &store.Finding{Finding: oracle.Finding{Class: oracle.ClaimsNoSolution, Detail: "claims no solution"},
			Target: u.All[0].Name, Original: one, Minimal: one}
		found.Key = found.Finding.Key(found.Target)
		first := *found
		first.Diagnosis = &cause.Diagnosis{Cause: "repeated-literal"}
		if err := u.Registry.Add(&first); err != nil {
			t.Fatal(err)
		}
		verdict, err := f.examine(t.Context(), found, []*cause.Failure{{Cause: "repeated-literal"}}, true)
		added := verdict == registry.AnotherFault
		if err != nil || added != (want != "") || found.Cause() != want || added && found.MetIn != found.Key {
			t.Errorf("%q: added %v with the cause %q, %v; want %q", calls, added, found.Cause(), err, want)
		}
	}
}

// TestExamineUproots checks that a trace in which the minimal trace of a finding that needs nothing special occurs is
// examined without it.
func TestExamineUproots(t *testing.T) {
	t.Parallel()
	const core, zero = "hard 3 4 0\nsoft 3 1\nsoft 4 1\n", "hard 1 0\nsoft 1 1\nsoft 1 0\n"
	for calls, want := range map[string]cause.Cause{core: "", core + zero: "repeated-soft + zero-weight"} {
		u := newFollowUps(t, "ref:defect=one-core-early,second=zero-weight-ignored", "ipamir", testlineup.Limits)
		f := openFollower(t, u)
		parse := func(calls string) *trace.Trace {
			one, err := trace.ParseString("ipafuzz 1 ipamir\n" + calls + "solve\nobj\n")
			if err != nil {
				t.Fatal(err)
			}
			return one
		}
		first := &store.Finding{Finding: oracle.Finding{Class: oracle.OneValueDiffers, Detail: oracle.ObjectiveNotOptimal},
			Target: u.All[0].Name, Original: parse(core), Minimal: parse(core),
			Diagnosis: &cause.Diagnosis{Cause: cause.Nothing}}
		first.Key = first.Finding.Key(first.Target)
		if err := u.Registry.Add(first); err != nil {
			t.Fatal(err)
		}
		found := *first
		found.Original, found.Minimal, found.Diagnosis = parse(calls), parse(calls), nil
		verdict, err := f.examine(t.Context(), &found, []*cause.Failure{{Cause: cause.Nothing, Minimal: first.Minimal}}, true)
		added := verdict == registry.AnotherFault
		if err != nil || added != (want != "") || found.Cause() != want {
			t.Errorf("%q: added %v with the cause %q, %v; want %q\n%s", calls, added, found.Cause(), err, want, found.Minimal)
		}
	}
}
