package format

import (
	"bytes"
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
			calls, from, err := Calls(read)
			if err != nil || calls.String() != "ipafuzz 1 ipamir\n"+c.calls+tail || len(from) != len(calls.Calls) {
				t.Errorf("its calls: %v, %d\n%s", err, from, calls)
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
