package terminal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestUnreduced checks that a summary says when the run ended before all findings were reduced, and that these may be
// of another fault.
func TestUnreduced(t *testing.T) {
	const says = "1 finding not reduced to the end. The same command with --resume and a longer --time continues, or\n" +
		"  ipafuzz minimize 'my night'\n"
	minimal := testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n")
	config := campaign.Config{Cells: []source.Cell{{Target: &replay.Target{Name: "ref", Model: minimal.Model}}},
		Program: "ipafuzz", Out: "my night", Time: time.Minute}
	finding := func(class oracle.Class, why string) *store.Finding {
		f := &store.Finding{Finding: oracle.Finding{Class: class, Detail: string(class)}, Target: "ref", Original: minimal,
			Minimal: minimal, Dir: "findings/" + string(class), Facts: store.Facts{IsMinimal: why == "", NotMinimal: why}}
		f.Key, f.Undecided = f.Finding.Key(f.Target), why != ""
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
		if doubts := strings.Contains(out.String(), "Fault 2 of 2, if it is none of the others: "); doubts != row.want {
			t.Errorf("with %d findings, want a doubt: %v\n%s", len(row.found), row.want, &out)
		}
	}
}

// TestDeclaration checks which faults a target can declare to be its limits: those that need what a policy or a key is
// about, in a target that does not answer.
func TestDeclaration(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 qbf\nsolve\n")
	config := campaign.Config{Program: "ipafuzz", Cells: []source.Cell{
		{Target: &replay.Target{Name: "program", Model: minimal.Model, Kind: replay.File}},
		{Target: &replay.Target{Name: "lib.so", Model: minimal.Model, Kind: replay.Library}}}}
	for _, row := range []struct {
		target string
		class  oracle.Class
		detail string
		cause  cause.Cause
		want   string
	}{
		{"program", oracle.OtherExit, "exit 1", "free-variable", `policies = { free-variable = "rejected" }`},
		{"lib.so", oracle.Abort, "SIGABRT", "repeated-literal + free-variable", `policies = { free-variable = "rejected" }`},
		{"lib.so", oracle.ClaimsNoSolution, "", "free-variable", ""},
		{"program", oracle.Segfault, "SIGSEGV", "empty-clause", `unreadable = ["empty-clause"]`},
		{"lib.so", oracle.Segfault, "SIGSEGV", "empty-clause", ""},
		{"lib.so", oracle.Abort, "SIGABRT", "unused-variable", ""}, // blocks may have variables that are in no clause
		{"program", oracle.ClaimsSolution, "", "empty-clause", `unreadable = ["empty-clause"]`},
		{"program", oracle.ClaimsSolution, "", "empty-clause + incremental", ""},
		{"lib.so", oracle.ClaimsSolution, "", "empty-clause", ""},
		{"program", oracle.GaveUp, oracle.NoReason, "assumption", `kind = "incomplete"`},
		{"lib.so", oracle.GaveUp, oracle.NoReason, "nothing", `policies = { give-up = "allowed" }`},
		{"lib.so", oracle.GaveUp, "answers ERROR", "nothing", ""},
		{"program", oracle.WrongStatus, "no status line", "nothing",
			"dialect or exit-codes; 'ipafuzz targets doctor' says more"},
		{"program", oracle.WrongStatus, "no status line", "incremental", ""},
		{"program", oracle.TooSlow, "in solve", "free-variable", ""},
	} {
		f := &store.Finding{Finding: oracle.Finding{Class: row.class, Detail: row.detail}, Target: row.target,
			Minimal: minimal, Original: minimal}
		of := fault.Fault{Target: row.target, Cause: row.cause, Findings: []*store.Finding{f}}
		if got := declaration(&of, config); got != row.want {
			t.Errorf("%s, %s, %s: %q, want %q", row.target, row.class, row.cause, got, row.want)
		}
		var out strings.Builder
		writeFault(&out, &of, []fault.Fault{of}, config)
		brief := briefly([]fault.Fault{of}, config)
		if shown := strings.Contains(out.String(), "if meant"); shown != (row.want != "") ||
			shown != strings.Contains(brief.String(), "if meant") {
			t.Errorf("%s, %s, %s: the page says %s\nand in short %s", row.target, row.class, row.cause, &out, &brief)
		}
	}
}

// TestTrespassIsAllowed: the page says how a target may do what it was ended for.
func TestTrespassIsAllowed(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\n")
	config := campaign.Config{Program: "ipafuzz", Cells: []source.Cell{
		{Target: &replay.Target{Name: "program", Model: minimal.Model, Kind: replay.File}}}}
	f := &store.Finding{Finding: oracle.Finding{Class: oracle.Trespass, Detail: "socket in solve"}, Target: "program",
		Minimal: minimal, Original: minimal}
	of := fault.Fault{Target: f.Target, Cause: cause.Nothing, Findings: []*store.Finding{f}}
	var out strings.Builder
	writeFault(&out, &of, []fault.Fault{of}, config)
	if !strings.Contains(out.String(), "  if meant  pass --no-containment;") {
		t.Errorf("the page does not say how to allow it:\n%s", &out)
	}
}

// TestWrongCallsAreDeclared: a library that dies of a wrong call can say that it does not survive these; one that
// returns the wrong code cannot.
func TestWrongCallsAreDeclared(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 2 ipasir2\nmisuse 0\n")
	config := campaign.Config{Cells: []source.Cell{{Target: &replay.Target{Name: "lib.so", Model: minimal.Model}}}}
	for _, row := range []struct {
		class     oracle.Class
		isMinimal bool
		want      string
	}{
		{oracle.Abort, true, `lacks = ["misuse"]`}, {oracle.Segfault, true, `lacks = ["misuse"]`},
		{oracle.Abort, false, ""}, {oracle.WrongState, true, ""},
	} {
		f := &store.Finding{Finding: oracle.Finding{Class: row.class}, Minimal: minimal}
		f.IsMinimal = row.isMinimal
		of := fault.Fault{Target: "lib.so", Cause: cause.Nothing, Findings: []*store.Finding{f}}
		if got := declaration(&of, config); got != row.want {
			t.Errorf("%+v: %q", row, got)
		}
	}
}

// TestTakenAwayIsDeclared: a library may keep its terminate callback when it gets NULL, where the header is silent.
func TestTakenAwayIsDeclared(t *testing.T) {
	const any = `policies = { terminate-null = "any" }`
	for text, want := range map[string]string{
		"ipafuzz 1 ipasir\nterminate 0\nterminate off\nsolve\n":  any,
		"ipafuzz 1 ipamir\nterminate 0\nterminate off\nsolve\n":  any,
		"ipafuzz 1 ipasir2\nterminate 0\nterminate off\nsolve\n": "",
		"ipafuzz 1 qbf\nterminate 0\nterminate off\nsolve\n":     "",
		"ipafuzz 1 ipasir\nlearn 3\nlearn off\nsolve\n":          "",
	} {
		minimal := testtrace.Parse(t, text)
		config := campaign.Config{Cells: []source.Cell{{Target: &replay.Target{Name: "lib.so", Model: minimal.Model}}}}
		f := &store.Finding{Finding: oracle.Finding{Class: oracle.WrongTermination, Detail: oracle.TakenAway},
			Minimal: minimal}
		of := fault.Fault{Target: "lib.so", Cause: "terminate", Findings: []*store.Finding{f}}
		if got := declaration(&of, config); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestEmptyFormulaIsDeclared: a program that dies of a file without clauses can say that it cannot read one.
func TestEmptyFormulaIsDeclared(t *testing.T) {
	for text, want := range map[string]string{
		"ipafuzz 1 ipasir\nsolve\n":           `unreadable = ["empty-formula"]`,
		"ipafuzz 1 ipasir\nassume 1\nsolve\n": "", // the file has a unit clause
		"ipafuzz 1 qbf\nsolve\n":              "",
	} {
		minimal := testtrace.Parse(t, text)
		config := campaign.Config{Cells: []source.Cell{
			{Target: &replay.Target{Name: "program", Model: minimal.Model, Kind: replay.File}}}}
		f := &store.Finding{Finding: oracle.Finding{Class: oracle.Segfault}, Minimal: minimal}
		of := fault.Fault{Target: "program", Cause: cause.Nothing, Findings: []*store.Finding{f}}
		if got := declaration(&of, config); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestPanicIsNoAnswer: a program that exits with a panic gets the advice for a death, and one that only exits the
// advice for exit codes.
func TestPanicIsNoAnswer(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\n")
	config := campaign.Config{Program: "ipafuzz", Cells: []source.Cell{
		{Target: &replay.Target{Name: "program", Model: minimal.Model, Kind: replay.File}}}}
	for stderr, want := range map[string]string{
		"thread 'main' panicked at src/core/formula.rs:313:21:\nunreachable\n": `unreadable = ["empty-formula"]`,
		"no clauses\n": "dialect or exit-codes; 'ipafuzz targets doctor' says more",
	} {
		death := trace.Death{ExitCode: 1, Stderr: stderr}
		f := &store.Finding{Finding: oracle.Finding{Class: oracle.OtherExit,
			Detail: message.Death(&death, "exit 1", "in solve")}, Minimal: minimal}
		of := fault.Fault{Target: "program", Cause: cause.Nothing, Findings: []*store.Finding{f}}
		if got := declaration(&of, config); got != want {
			t.Errorf("%s: %q, want %q", f.Detail, got, want)
		}
	}
}

// TestBrieflyQuotes checks that the command for the report can be copied.
func TestBrieflyQuotes(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\n")
	f := &store.Finding{Finding: oracle.Finding{Class: oracle.Abort}, Target: "t", Minimal: minimal, Original: minimal,
		Dir: "my runs/one/findings/f"}
	config := campaign.Config{Program: "ipafuzz", Cells: []source.Cell{
		{Target: &replay.Target{Name: "t", Model: minimal.Model, Kind: replay.Library}}}}
	out := briefly([]fault.Fault{{Target: "t", Findings: []*store.Finding{f}}}, config)
	if want := "  report    ipafuzz report 'my runs/one'\n"; !strings.Contains(out.String(), want) {
		t.Errorf("want %q in\n%s", want, &out)
	}
}

// TestNumbered checks how faults are named by their numbers.
func TestNumbered(t *testing.T) {
	for _, row := range []struct {
		labels []string
		want   string
	}{{[]string{"2"}, "fault 2"}, {[]string{"1", "5"}, "faults 1 and 5"},
		{[]string{"1", "3a", "4"}, "faults 1, 3a and 4"}} {
		if got := numbered(row.labels); got != row.want {
			t.Errorf("%v: %q, want %q", row.labels, got, row.want)
		}
	}
	var out strings.Builder
	faults := []fault.Fault{{Name: "a"}, {Name: "b", Under: "a"}, {Name: "c"}}
	WriteNew(&out, []int{1, 2}, faults)
	WriteNew(&out, nil, faults)
	if want := "New: faults 1a and 2 of 2.\nNo fault is new.\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

// TestBriefly checks that a summary in two lines a fault names each, and says which are possibly the same.
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
		!strings.Contains(text, "possibly the same as fault 2") || !strings.Contains(text, "\n  1  a: 2.1 not optimal: a\n") {
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

// TestFewLinesAboveFaults: whatever a campaign has to tell, at most five lines stand above the faults. Where the time
// went is only in the report.
func TestFewLinesAboveFaults(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n")
	config := campaign.Config{Program: "ipafuzz", Out: "out", Workers: 1,
		Cells: []source.Cell{{Target: &replay.Target{Name: "ref", Model: minimal.Model}}}}
	var found []*store.Finding
	for _, class := range []oracle.Class{oracle.NotOptimal, oracle.Abort} {
		f := &store.Finding{Finding: oracle.Finding{Class: class, Detail: string(class)}, Target: "ref", Original: minimal,
			Minimal: minimal, Dir: "out/findings/" + string(class), Hits: 1}
		f.Key = f.Finding.Key(f.Target)
		found = append(found, f)
	}
	s := campaign.Summary{Found: found, Faults: fault.Group(found),
		Tally:         oracle.Tally{Solves: 9, Unchecked: unchecked.Counts{unchecked.TooHard: 1}},
		Unconfirmed:   []store.Unconfirmed{{Key: found[0].Key}, {Key: found[1].Key, Hard: true}},
		Disagreements: []store.Disagreement{{About: "objective", Says: []string{"one says 1"}}}, Disputed: 1, Beyond: 3,
		Known: map[oracle.Key]uint64{found[0].Key: 7}, Tables: map[string]float64{"ref": 24},
		Reserved: map[string]float64{"ref": 400}, EndedBy: "its child", Disturbed: "it took all processes",
		Measures: &stats.Measures{Kinds: []stats.KindUse{{Traces: 90, Library: time.Second},
			{By: "profile", Kind: "tiny/1", Why: "they find little for their time", PutOff: 600, TimeShare: 0.5}}}}
	s.AddCell(stats.CellStats{Target: "ref", Learned: [][]string{{"redeclare"}}, Counts: stats.Counts{Traces: 1000,
		Solves: 10, SetAside: 900, SolveTime: time.Minute, Filtered: 8, Failed: 400, Avoiding: 500, AvoidingAll: 500,
		Compared: 10, SearchTimes: stats.SearchTimes{SetAsideTime: time.Second}}})
	s.Elapsed, s.FollowUps.Confirming, s.FollowUps.Standstill.Total = 2*time.Second, time.Minute, time.Second
	var out strings.Builder
	WriteSummary(&out, s, config, false)
	above, faults, _ := strings.Cut(out.String(), "\nFault 1 of 2:")
	if faults == "" {
		t.Fatalf("the summary does not begin with fault 1:\n%s", &out)
	}
	if lines := len(strings.Fields(strings.ReplaceAll(strings.ReplaceAll(above, " ", ""), "\n\n", "\n"))); lines > 5 {
		t.Errorf("%d lines stand above the faults:\n%s", lines, above)
	}
	for _, says := range []string{"Put off", "Beside the search", "No new trace ran", "set aside"} {
		if strings.Contains(out.String(), says) {
			t.Errorf("the summary says %q:\n%s", says, &out)
		}
	}
	for _, says := range []string{"1 failure seen but not confirmed:", "The targets disagree about 1 answer", "seen again",
		"The tables of ref grow", "ref reserves", "A target ended the run", "No success",
		"Not run, because of features to avoid: 8 traces."} {
		if !strings.Contains(faults, says) {
			t.Errorf("below the faults, the summary lacks %q:\n%s", says, faults)
		}
	}
}

// TestMostTracesDidNotEnd checks that a summary does not call a target right whose traces did not end.
func TestMostTracesDidNotEnd(t *testing.T) {
	config := campaign.Config{Cells: []source.Cell{{Target: &replay.Target{Name: "one"}}}}
	for setAside, want := range map[uint64]string{
		9: "\nNo fault was found in one. Unchecked: 9 traces (met a limit on a problem that may be hard).\n",
		1: "\nNothing wrong was found in one.\n",
	} {
		var s campaign.Summary
		s.AddCell(stats.CellStats{Target: "one", Counts: stats.Counts{Traces: 10, SetAside: setAside, Solves: 10,
			SolveTime: 20 * time.Second}})
		var out strings.Builder
		WriteSummary(&out, s, config, false)
		if !strings.HasSuffix(out.String(), want) {
			t.Errorf("%d of 10 traces did not end: no %q in\n%s", setAside, want, &out)
		}
	}
}

// TestKnownSentence checks that a known fault has the sentence of its normal form, as in the campaign that found it.
func TestKnownSentence(t *testing.T) {
	key := oracle.Key{Target: "ref", Class: "2.1"}
	known := &store.Finding{Key: key, Facts: store.Facts{Fault: "repeated-soft-1"},
		Diagnosis: &cause.Diagnosis{Cause: "repeated-soft"},
		Minimal:   testtrace.Parse(t, "ipafuzz 1 ipamir\nsoft 1 3\nsoft 1 1\nsolve\n"),
		Normal:    testtrace.Parse(t, "ipafuzz 1 ipamir\nsoft 1 1\nsoft 1 1\nsolve\n")}
	var out strings.Builder
	writeKnown(&out, campaign.Summary{Known: map[oracle.Key]uint64{key: 2}},
		campaign.Config{Known: map[oracle.Key][]*store.Finding{key: {known}}})
	says := "2 times: repeated-soft-1: needs the same soft literal declared twice\n"
	if !strings.Contains(out.String(), says) {
		t.Errorf("got %s\nwant %s", &out, says)
	}
}

// TestSeenFirst checks that a fault counts as seen when the first of its findings was.
func TestSeenFirst(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n")
	config := campaign.Config{Cells: []source.Cell{{Target: &replay.Target{Name: "ref", Model: minimal.Model}}}}
	of := fault.Fault{Target: "ref"}
	for _, after := range []uint64{60, 3} {
		of.Findings = append(of.Findings, &store.Finding{Original: minimal, Minimal: minimal, Hits: 2,
			Elapsed: time.Duration(after) * time.Second, Facts: store.Facts{After: after}})
	}
	var out strings.Builder
	writeFault(&out, &of, []fault.Fault{of}, config)
	if says := "  seen      4 times, first after 3 traces (3.0 s); "; !strings.Contains(out.String(), says) {
		t.Errorf("got %s\nwant %s", &out, says)
	}
}

// TestUnder: faults that are possibly the same as another stand under it, in a line each, in full summaries and in
// short ones. The numbers count those that stand alone.
func TestUnder(t *testing.T) {
	minimal := testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n")
	config := campaign.Config{Program: "ipafuzz", Cells: []source.Cell{
		{Target: &replay.Target{Name: "ref", Model: minimal.Model}}}}
	one := func(name, under string) fault.Fault {
		f := &store.Finding{Finding: oracle.Finding{Class: oracle.Segfault, Detail: name}, Target: "ref", Minimal: minimal,
			Original: minimal, Hits: 3}
		possibly := []string{under}
		if under == "" {
			possibly = []string{"crash-b", "crash-c"}
		}
		return fault.Fault{Name: name, Target: "ref", Cause: "late-soft",
			Sentence: "needs a soft literal declared after a solve",
			Findings: []*store.Finding{f}, Possibly: possibly, Under: under}
	}
	faults := []fault.Fault{one("crash-a", ""), one("crash-b", "crash-a"), one("crash-c", "crash-a"), one("crash-d", "")}
	faults[3].Possibly = []string{"crash-c"}
	const under = "  possibly the same:\n" +
		"   1a  crash-b: 1.5 segmentation fault: crash-b; 1 call, 3 hits\n" +
		"   1b  crash-c: 1.5 segmentation fault: crash-c; 1 call, 3 hits\n"
	var full strings.Builder
	writeFaults(&full, campaign.Summary{Faults: faults, Found: fault.Findings(faults)}, config)
	brief := briefly(faults, config)
	for _, says := range []string{under, "\n2 to 4 faults (4 findings).", "\nFault 1 of 2: ", "\nFault 2 of 2: ",
		"  possibly  the same as fault 1b\n"} {
		if !strings.Contains(full.String(), says) {
			t.Errorf("no %q in\n%s", says, &full)
		}
	}
	for _, says := range []string{under, "\n  1  crash-a: ", "\n  2  crash-d: ", ", possibly the same as fault 1b\n"} {
		if !strings.Contains(brief.String(), says) {
			t.Errorf("no %q in\n%s", says, &brief)
		}
	}
	for range 2 * shownUnder {
		faults = append(faults, one("crash-e", "crash-d"))
	}
	brief = briefly(faults, config)
	if says := "\n       6 more are in the report\n"; !strings.Contains(brief.String(), says) {
		t.Errorf("no %q in\n%s", says, &brief)
	}
}
