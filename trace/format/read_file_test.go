package format

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestReadFile: a file keeps its clauses as they are, in its trace and in what is written again.
func TestReadFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, trace, again, calls string }{
		{"soft clauses of all kinds",
			"c figure\nh 1 -2 0\n3 1 -2 0\n\nh  -1   0\n5 0\n2 3 -3 0\n3 1 -2 0\n4 2 0\n1 2 0\n",
			"# figure\nhard 1 -2 0\nsoft 3 1 -2 0\nhard -1 0\nsoft 5 0\nsoft 2 3 -3 0\nsoft 3 1 -2 0\nsoft 4 2 0\nsoft 1 2 0\n",
			"c figure\nh 1 -2 0\n3 1 -2 0\nh -1 0\n5 0\n2 3 -3 0\n3 1 -2 0\n4 2 0\n1 2 0\n",
			"# figure\nhard 1 -2 0\nhard 1 -2 4 0\nsoft 4 3\nhard -1 0\nhard 5 0\nsoft 5 5\nhard 3 -3 6 0\nsoft 6 2\n" +
				"hard 1 -2 7 0\nsoft 7 3\nsoft -2 5\n"},
		{"no clauses", "c nothing\n", "# nothing\n", "c nothing\nc no clauses\n", "# nothing\n"},
		{"the older format", "p wcnf 9 3 10\n10 1 2 0\n3 -1\n -2 0 9 0\n", "hard 1 2 0\nsoft 3 -1 -2 0\nsoft 9 0\n",
			"p wcnf 2 3 13\n13 1 2 0\n3 -1 -2 0\n9 0\n", "hard 1 2 0\nhard -1 -2 3 0\nsoft 3 3\nhard 4 0\nsoft 4 9\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			read, err := ReadFile(strings.NewReader(c.file), "x.wcnf", "", trace.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			const head, tail = "ipafuzz 1 wcnf\n", "solve\nobj\nmodel\n"
			if got := read.String(); got != head+c.trace+tail {
				t.Errorf("the trace is\n%s", got)
			}
			form := WCNF
			if strings.HasPrefix(c.file, "p") {
				form = WCNFOld
			}
			if got := string(read.Given(string(form))); got != c.file {
				t.Errorf("it gives %q", got)
			}
			var again bytes.Buffer
			if err := Write(&again, form, read); err != nil || again.String() != c.again {
				t.Errorf("written again: %v\n%s", err, again.String())
			}
			calls, from := Calls(read)
			if calls.String() != "ipafuzz 1 ipamir\n"+c.calls+tail || len(from) != len(calls.Calls) {
				t.Errorf("its calls: %d\n%s", from, calls)
			}
			if err := trace.Check(calls); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGivenEndsWithTheCalls: a file is given only as long as the calls are those that were read.
func TestGivenEndsWithTheCalls(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *trace.Trace){
		"literal": func(t *trace.Trace) { t.Lits[0] = -t.Lits[0] },
		"weight":  func(t *trace.Trace) { t.Calls[1].Num++ },
		"call":    func(t *trace.Trace) { t.Calls = t.Calls[1:] },
		"order":   func(t *trace.Trace) { t.Calls[0], t.Calls[1] = t.Calls[1], t.Calls[0] },
		"reset":   func(t *trace.Trace) { t.Reset(t.Model) },
	} {
		read, err := ReadFile(strings.NewReader("h 1 0\n1 1 2 0\n"), "x.wcnf", "", trace.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		same := read.Clone()
		same.Notes = append(same.Notes, "a note")
		if same.Given("wcnf") == nil || same.Given("wcnf-old") != nil {
			t.Errorf("%s: a copy does not give the file, or in another format", name)
		}
		change(read)
		if read.Given("wcnf") != nil {
			t.Errorf("%s: the file is given although a call changed", name)
		}
	}
}

// TestFilesInOtherFormats: what is written for programs of other formats holds what its header says, whatever the
// soft clauses and the variables are.
func TestFilesInOtherFormats(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"7 0\n", "3 0\n4 0\nh 1 0\n2 1 -1 0\n", "9223372036854775807 0\n",
		"h 2147483647 1 0\n3 -2147483647 -1 0\n4 2147483646 2 0\n",
	} {
		read, err := ReadFile(strings.NewReader(file), "x.wcnf", WCNF, trace.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []Format{WBO, OPB, MPS, LP, WCNFOld} {
			var out bytes.Buffer
			if err := Write(&out, f, read); err != nil {
				t.Errorf("%q as %s: %v", file, f, err)
				continue
			}
			if strings.Contains(out.String(), "x-") || strings.Contains(out.String(), "x18446") {
				t.Errorf("%q as %s has a variable below 1:\n%s", file, f, out.String())
			}
			if f == LP || strings.Contains(file, "2147483647 ") {
				continue // it is only written, or leaves no fresh variable
			}
			if _, err := Read(strings.NewReader(out.String()), "x", f, trace.Limits{}); err != nil {
				t.Errorf("%q as %s: %v\n%s", file, f, err, out.String())
			}
			if lines := strings.Count(out.String(), ";"); f == WBO &&
				!strings.Contains(out.String(), fmt.Sprintf("#constraint= %d ", lines-1)) {
				t.Errorf("%q: the header of WBO has another number of constraints than %d:\n%s", file, lines-1, out.String())
			}
		}
		calls, _ := Calls(read)
		if err := trace.Check(calls); err != nil {
			t.Errorf("%q: its calls: %v", file, err)
		}
	}
}
