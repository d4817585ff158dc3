package main

import (
	"errors"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/bugs"
)

func runs(log string, details ...string) *results {
	r := new(results)
	for _, detail := range details {
		one := run{Log: log}
		if detail != "" {
			one.Findings = []finding{{Class: "1.6", Detail: detail}}
		}
		r.runs = append(r.runs, one)
	}
	return r
}

// TestJudge: a version has the fault if each run shows the same failure, whatever line it is in; it lacks the fault
// only if runs that could show it were clean.
func TestJudge(t *testing.T) {
	const log = "ipafuzz 2 ipasir\noption order PureOrder = 0\nsolve\n"
	base := runs(log, "null pointer PureOrder.java:80", "null pointer PureOrder.java:80")
	row := &bugs.Row{Class: "1.6", Versions: "2, not 1"}
	for _, test := range []struct {
		name    string
		results *results
		want    string
	}{
		{"in another line", runs(log, "null pointer PureOrder.java:82"), "1"},
		{"clean", runs(log, "", ""), "not 1"},
		{"by chance", runs(log, "null pointer PureOrder.java:82", "", "", ""), "1 (1 of 4 runs)"},
		{"without the option", runs("option order PureOrder = 1\n", ""), "1 lacks `order`"},
		{"another failure", runs(log, "no such class"), "1 unclear (1.6 no such class)"},
		{"nothing was checked", &results{runs: []run{{Unchecked: []struct{ Reason string }{{"no-values"}}}}},
			"1 unclear (unchecked: no-values)"},
		{"none", &results{why: "no headers"}, "not 1 (not rerun: no headers)"},
	} {
		if claim := judge(row, bugs.Place{Version: "1"}, base, test.results); claim.String() != test.want {
			t.Errorf("%s: %q, want %q", test.name, claim, test.want)
		}
	}
	without := &results{why: "it is not built here"}
	if claim := judge(row, bugs.Place{Version: "1"}, without, runs(log, "null pointer")); claim.String() != "1" {
		t.Errorf("the row's own command cannot run: %q", claim)
	}
	if claim := unchanged(row, "3", "no headers"); claim.String() != "3 unknown (not rerun: no headers)" {
		t.Errorf("never rerun: %q", claim)
	}
	unknown := &bugs.Row{Versions: "1 unknown (not rerun: no headers)"}
	if claim := unchanged(unknown, "1", "offline"); claim.String() != "1 unknown (not rerun: offline)" {
		t.Errorf("unknown twice: %q", claim)
	}
	again := &bugs.Row{Versions: "not 1 (not rerun: no headers)"}
	if claim := unchanged(again, "1", "offline"); claim.String() != "not 1 (not rerun: offline)" {
		t.Errorf("not rerun twice: %q", claim)
	}
}

// TestExplain: why a replay failed fits into a cell.
func TestExplain(t *testing.T) {
	for want, printed := range map[string]string{
		`its option data does not take "X"`: `ipafuzz: a.trace:3:13: want a value that the target has got "X" ` +
			`(option data does not take "X": it takes one of Y)`,
		"its runner does not start": "ipafuzz: target t: it ended before it said \"ready\"; it wrote:\nTraceback",
		"it is not built here":      "ipafuzz: open build/x.so: no such file",
	} {
		if got := explain(errors.New("exit status 2"), printed).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
