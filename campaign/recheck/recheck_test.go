package recheck

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestConclude checks what the outcomes of findings mean for their fault.
func TestConclude(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		findings []Outcome
		want     Outcome
		says     string
	}{
		{[]Outcome{Gone}, Gone, ""},
		{[]Outcome{Gone, Gone, Gone}, Gone, ""},
		{[]Outcome{Remains}, Remains, ""},
		{[]Outcome{Remains, Changed}, Remains, ""},
		{[]Outcome{Changed}, Remains, ""},
		{[]Outcome{Gone, Remains}, Partly, "the fix is incomplete, or these are several faults"},
		{[]Outcome{Gone, Changed}, Partly, "1 of its findings disappeared and 1 did not"},
		{[]Outcome{Gone, Changed, Gone, Unknown}, Partly, "2 of its findings disappeared together and 1 did not"},
		{[]Outcome{Unknown}, Unknown, "nothing proves"},
		{[]Outcome{Gone, Unknown}, Unknown, "nothing proves"},
		{[]Outcome{Remains, Unknown}, Remains, ""},
	} {
		f := Fault{}
		for _, outcome := range row.findings {
			f.Findings = append(f.Findings, Finding{Outcome: outcome})
		}
		f.conclude()
		if f.Outcome != row.want || !strings.Contains(f.Says, row.says) || row.says == "" && f.Says != "" {
			t.Errorf("%v: %s (%s), want %s (%s)", row.findings, f.Outcome, f.Says, row.want, row.says)
		}
	}
}

// TestUnsupported checks that a build lacks a call if it answers no call of that kind.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	of := testtrace.Parse(t, "ipafuzz 1 ipasir\noption a 1\noption b 1\nsolve\nproof\nproof\n")
	for _, row := range []struct {
		lacks []int // calls that the target does not support
		want  string
	}{
		{nil, ""},
		{[]int{3}, ""},
		{[]int{3, 4}, "does not support the call proof"},
		{[]int{1, 3}, "does not support the call option b 1"},
	} {
		run := &trace.Run{Answers: trace.Answers{Of: make([]trace.Answer, len(of.Calls))}}
		for _, i := range row.lacks {
			run.Answers.Of[i].Kind = trace.Unsupported
		}
		if got := unsupported(of, run); got != row.want {
			t.Errorf("calls %v not supported: %q, want %q", row.lacks, got, row.want)
		}
	}
}

// TestConfirm checks that findings that disappear together confirm their group, unless nothing is left.
func TestConfirm(t *testing.T) {
	t.Parallel()
	const together, confirms = "its 2 findings disappeared together", ", which confirms that they have one fault"
	for _, row := range []struct {
		others []Outcome
		says   string
	}{
		{nil, together},
		{[]Outcome{Remains}, together + confirms},
		{[]Outcome{Gone, Unknown}, together + confirms},
		{[]Outcome{Gone}, together},
	} {
		r := &Report{Faults: []Fault{{Findings: make([]Finding, 2), Outcome: Gone}}}
		for _, outcome := range row.others {
			r.Faults = append(r.Faults, Fault{Findings: make([]Finding, 1), Outcome: outcome})
		}
		if r.confirm(); r.Faults[0].Says != row.says {
			t.Errorf("beside %v: %q, want %q", row.others, r.Faults[0].Says, row.says)
		}
	}
}

// TestCompare checks what follows for faults that may be the same.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		one, other Outcome
		says       string
	}{
		{Gone, Gone, "fault 2a, possibly the same, is gone, too"},
		{Gone, Remains, "fault 2a, possibly the same, remains: they are different"},
		{Remains, Gone, "fault 2a, possibly the same, is gone: they are different"},
		{Remains, Remains, ""},
		{Partly, Gone, ""},
		{Gone, Unknown, ""},
	} {
		all := []Fault{{Name: "a", Target: "t", Outcome: row.one},
			{Number: "2a", Name: "b", Target: "t", Outcome: row.other},
			{Name: "b", Target: "u", Outcome: Gone}}
		if all[0].compare([]string{"b"}, all); all[0].Says != row.says {
			t.Errorf("%s and %s: %q, want %q", row.one, row.other, all[0].Says, row.says)
		}
	}
}

// TestSplit checks that the findings of a group that splits are listed by what became of them.
func TestSplit(t *testing.T) {
	t.Parallel()
	f := Fault{Headline: "h"}
	for i, outcome := range []Outcome{Remains, Gone, Unknown, Remains, Gone, Changed} {
		f.Findings = append(f.Findings, Finding{Title: string(rune('a' + i)), Outcome: outcome})
	}
	f.conclude()
	var out strings.Builder
	if err := (&Report{Faults: []Fault{f}}).WriteText(&out, false); err != nil {
		t.Fatal(err)
	}
	order := ""
	for _, line := range regexp.MustCompile(`(?m)^ {9}[a-z]+ +([a-f]): `).FindAllStringSubmatch(out.String(), -1) {
		order += line[1]
	}
	if order != "befadc" {
		t.Errorf("the findings come as %s in\n%s", order, &out)
	}
}
