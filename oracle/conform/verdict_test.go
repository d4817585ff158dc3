package conform

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A puppet is a target that gives the answers of a log.
type puppet struct {
	description string
	log         string // the calls of the case, without its head
	end         trace.End
	call        int
	stderr      string
	err         error
}

func (p *puppet) Run(_ context.Context, t *trace.Trace, run *trace.Run) error {
	log, err := trace.ParseSyntax(strings.NewReader("ipafuzz 1 "+t.Model.Name+"\n"+p.log), "log")
	if err != nil {
		return err
	}
	*run = trace.Run{Answers: log.Want, End: p.end, Call: p.call, Death: trace.Death{Signal: 6, Stderr: p.stderr}}
	return p.err
}

func (p *puppet) Description() (*apimodel.Description, error) {
	return apimodel.ParseDescription(p.description)
}

func (p *puppet) Close() {}

// These are the heads of a case that checks something and of one case of each other kind.
const (
	satCase = "ipafuzz 1 ipasir\n# title: t\n# checks 20: ipasir_solve: Solves the clauses under the assumptions.\n"
	maxCase = "ipafuzz 1 ipamir\n# title: t\n# checks 27: ipamir_solve: Solves the hard clauses and the soft " +
		"literals under the assumptions.\n"
	unitCase   = satCase + "add 1 0\nsolve = 10\nval 1 = 1\n"
	optimum    = maxCase + "hard 1 0\nsoft 1 3\nsolve = 30\nobj = 3\n"
	afterOne   = maxCase + "solve = 30\nhard 1 0\nsolve = 30\nval 1 = 1\n"
	policyCase = maxCase + "# policy: soft-zero=allowed\nhard 1 0\nsoft 1 0\nsolve = 30\nobj = 0\n"
	anyCase    = satCase + "# policy: failed-non-assumption=any\nadd -1 0\nassume 1\nsolve = 20\nfailed 2\nfailed 1 = 1\n"
	openCase   = satCase + "# open: this\nadd 1 0\nsolve = 10\nval 2\nval -2\n"
	stopCase   = satCase + "terminate 1\nadd 1 0\nsolve\n"
	twoCase    = satCase + "solve = 10\n@1 solve = 10\n"
	largeCase  = satCase + "# large: this\nadd 2147483647 0\nsolve = 10\n"
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, file string
		puppet     puppet
		want       Outcome
		reason     string
	}{
		{"right", unitCase, puppet{log: "add 1 0\nsolve = 10\nval 1 = 1\n"}, Pass, ""},
		{"wrong status", unitCase, puppet{log: "add 1 0\nsolve = 20\nval 1 = -\n"}, Fail,
			"call 2 (solve): status 20, expected"},
		{"wrong value", unitCase, puppet{log: "add 1 0\nsolve = 10\nval 1 = -1\n"}, Fail, "call 3 (val 1): "},
		{"no value", unitCase, puppet{log: "add 1 0\nsolve = 10\nval 1 = 0\n"}, Fail, "call 3 (val 1): 0, expected 1"},
		{"unknown status", unitCase, puppet{log: "add 1 0\nsolve = 77\nval 1 = -\n"}, Fail, "call 2 (solve): status 77"},
		{"died", unitCase, puppet{log: "add 1 0\nsolve\nval 1\n", end: trace.Killed, call: 1}, Fail,
			"call 2 (solve): signal 6 (SIGABRT) in solve"},
		{"died after a wrong answer", unitCase, puppet{log: "add 1 0\nsolve = 20\nval 1\n", end: trace.Killed, call: 2},
			Fail, "call 2 (solve): status 20"},
		{"died in the end", unitCase, puppet{log: "add 1 0\nsolve = 10\nval 1 = 1\n", end: trace.Exited, call: 3}, Fail,
			"final release: exit code 0"},
		{"hangs", unitCase, puppet{log: "add 1 0\nsolve\nval 1\n", end: trace.OutOfTime, call: 1}, Fail,
			"call 2 (solve): wall time limit"},
		{"memory", unitCase, puppet{log: "add 1 0\nsolve\nval 1\n", end: trace.OutOfMemory, call: 1}, Fail, "memory limit"},
		{"memory for the largest variables", largeCase, puppet{log: "add 2147483647 0\nsolve\n", end: trace.OutOfMemory,
			call: 0}, Unsupported, "ran out of memory in call 1"},
		{"exception for want of memory", largeCase, puppet{log: "add 2147483647 0\nsolve\n", end: trace.Killed, call: 0,
			stderr: "what():  std::bad_alloc"}, Unsupported, "ran out of memory"},
		{"length that no table can have", largeCase, puppet{log: "add 2147483647 0\nsolve\n", end: trace.Killed, call: 0,
			stderr: "after throwing an instance of 'std::length_error'"}, Unsupported, "ran out of memory"},
		{"the same with a small variable", unitCase, puppet{log: "add 1 0\nsolve\n", end: trace.Killed, call: 0,
			stderr: "after throwing an instance of 'std::length_error'"}, Fail, "call 1 (add 1 0): signal 6"},
		{"crash with the largest variables", largeCase, puppet{log: "add 2147483647 0\nsolve\n", end: trace.Killed, call: 0},
			Fail, "call 1 (add 2147483647 0): signal 6"},
		{"gave up", unitCase, puppet{log: "add 1 0\nsolve = 0\nval 1 = -\n"}, Fail,
			"call 2 (solve): status 0, expected a complete answer"},
		{"may give up", unitCase, puppet{log: "add 1 0\nsolve = 0\nval 1 = -\n", description: "policy give-up=allowed\n"},
			Unchecked, "call 2 (solve) gave up"},
		{"may give up, and lies", unitCase, puppet{log: "add 1 0\nsolve = 20\nval 1 = -\n",
			description: "policy give-up=allowed\n"}, Fail, "call 2 (solve): status 20"},
		{"refused", optimum, puppet{log: "hard 1 0\nsoft 1 3\nsolve = 40\nobj = -\n"}, Unsupported,
			"call 3 (solve) answered 40"},
		{"refused and died", optimum, puppet{log: "hard 1 0\nsoft 1 3\nsolve = 40\nobj = -\n", end: trace.Killed, call: 4},
			Fail, "final release: signal 6"},
		{"refused too late", afterOne, puppet{log: "solve = 20\nhard 1 0\nsolve = 40\nval 1 = -\n"}, Fail,
			"call 1 (solve): status 20"},
		{"40 of a SAT library", unitCase, puppet{log: "add 1 0\nsolve = 40\nval 1 = -\n"}, Fail, "call 2 (solve): status 40"},
		{"wrong objective", optimum, puppet{log: "hard 1 0\nsoft 1 3\nsolve = 30\nobj = 0\n"}, Fail, "call 4 (obj)"},
		{"policy kept", policyCase, puppet{log: "hard 1 0\nsoft 1 0\nsolve = 30\nobj = 0\n"}, Pass, ""},
		{"policy broken", policyCase, puppet{log: "hard 1 0\nsoft 1 0\nsolve = 30\nobj = 1\n"}, Fail, "call 4 (obj)"},
		{"other policy", policyCase, puppet{description: "policy soft-zero=rejected\n", err: errors.New("was run")},
			Unspecified, "rests on soft-zero=allowed; the target says rejected"},
		{"any answer", anyCase, puppet{log: "add -1 0\nassume 1\nsolve = 20\nfailed 2 = 1\nfailed 1 = 1\n"}, Pass, ""},
		{"any answer, promised 0", anyCase, puppet{log: "add -1 0\nassume 1\nsolve = 20\nfailed 2 = 1\nfailed 1 = 1\n",
			description: "policy failed-non-assumption=zero\n"}, Fail, "call 4 (failed 2)"},
		{"open", openCase, puppet{log: "add 1 0\nsolve = 10\nval 2 = 9\nval -2 = 0\n"}, Unspecified, "val 2 = 9, val -2 = 0"},
		{"open, died", openCase, puppet{log: "add 1 0\nsolve = 10\nval 2\nval -2\n", end: trace.Killed, call: 2},
			Unspecified, "killed by signal 6 in call 3 (val 2)"},
		{"lacks a function", stopCase, puppet{description: "lacks terminate\n", err: errors.New("was run")}, Unsupported,
			"the target lacks: terminate"},
		{"turns out to lack it", stopCase, puppet{log: "terminate 1 = ?\nadd 1 0\nsolve = 10\n"}, Unsupported,
			"call 1 (terminate 1): the target lacks the function"},
		{"one solver a process", twoCase, puppet{description: "lacks instances\n", err: errors.New("was run")}, Unsupported,
			"the target lacks: instances"},
		{"two solvers", twoCase, puppet{log: "solve = 10\n@1 solve = 10\n"}, Pass, ""},
		{"no name", satCase + "signature\n", puppet{log: "signature = \"\"\n"}, Fail, "call 1 (signature): an empty text"},
		{"name", satCase + "signature\n", puppet{log: "signature = \"a 1\"\n"}, Pass, ""},
	} {
		result := judged(t, c.name, c.file, &c.puppet)
		if result.Outcome != c.want || !strings.Contains(result.Reason, c.reason) ||
			(c.reason == "") != (result.Reason == "") {
			t.Errorf("%s: %s: %q, want %s: %q", c.name, result.Outcome, result.Reason, c.want, c.reason)
		}
		if (result.Outcome == Fail) != (result.Call > 0) {
			t.Errorf("%s: call %d of outcome %s", c.name, result.Call, result.Outcome)
		}
	}
}

func judged(t *testing.T, name, file string, p *puppet) *Result {
	t.Helper()
	model := strings.Fields(file)[2]
	c, err := parseCase(model+"/g/case.trace", file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	suite := Suite{Runner: p}
	results, err := suite.Run(context.Background(), []*Case{c})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return &results[0]
}

// TestWrongCaseIsNoFailure: if the oracle disproves an expectation, or a runner fails, the suite reports a
// mistake of ours and not a failure of the target.
func TestWrongCaseIsNoFailure(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		puppet puppet
	}{
		"wrong expectation": {satCase + "add 1 0\nsolve = 20\n", puppet{log: "add 1 0\nsolve = 10\n"}},
		"runner":            {unitCase, puppet{log: "add 1 0\nsolve = 10\nval 1 = 1\n", err: errors.New("no memory")}},
	} {
		parsed, err := parseCase("ipasir/g/case.trace", c.file)
		if err != nil {
			t.Fatal(err)
		}
		suite := Suite{Runner: &c.puppet}
		if _, err := suite.Run(context.Background(), []*Case{parsed}); err == nil ||
			!strings.Contains(err.Error(), "ipasir/g/case") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestBadCases(t *testing.T) {
	for want, file := range map[string]string{
		"there is no such key":     satCase + "# note: x\nsolve = 10\n",
		"want KEY: TEXT":           satCase + "# x\nsolve = 10\n",
		"needs a title":            "ipafuzz 1 ipasir\n# title: t\nsolve = 10\n",
		"has no sentence 99":       satCase + "# checks 99: x\nsolve = 10\n",
		"the sentence reads":       satCase + "# checks 1: x\nsolve = 10\n",
		"policy soft-zero can not": satCase + "# policy: soft-zero=perhaps\nsolve = 10\n",
		"call that is legal":       satCase + "solve = 20\nval 1\n",
		"belongs in ipamir/GROUP":  maxCase + "solve = 30\n",
	} {
		if _, err := parseCase("ipasir/g/case.trace", file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// reports holds results of every outcome, with texts as a hostile target could write them.
func report(t *testing.T) *Report {
	r := &Report{Target: "a <b> & \"c\" | x", Model: "ipasir"}
	evil := "]]> <b>&amp; | \x00 \x1b[31m \xff end"
	for _, p := range []puppet{
		{log: "add 1 0\nsolve = 10\nval 1 = 1\n"},
		{log: "add 1 0\nsolve = 10\nval 1\n", end: trace.Killed, call: 2, stderr: evil},
		{log: "add 1 0 = ?\nsolve = 10\nval 1 = 1\n"},
		{log: "add 1 0\nsolve = 0\nval 1 = -\n", description: "policy give-up=allowed\n"},
	} {
		r.Results = append(r.Results, *judged(t, "report", unitCase, &p))
	}
	r.Results[1].Observed += evil
	r.Results[1].Reason += evil
	return r
}

func TestJUnit(t *testing.T) {
	var out strings.Builder
	if err := report(t).Write(&out, "junit"); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(strings.NewReader(out.String())); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
	}
	type result struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	var suites struct {
		result
		Suites []struct {
			result
			Cases []struct {
				Class   string    `xml:"classname,attr"`
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(out.String()), &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Tests != 4 || suites.Failures != 1 || suites.Skipped != 2 || len(suites.Suites) != 1 {
		t.Errorf("%+v", suites)
	}
	suite := suites.Suites[0]
	if suite.Tests != 4 || suite.Failures != 1 || suite.Skipped != 2 || len(suite.Cases) != 4 {
		t.Errorf("%+v", suite)
	}
	for i, c := range suite.Cases {
		if c.Class != "ipasir.g" || c.Name != "g/case" || (c.Failure != nil) != (i == 1) || (c.Skipped != nil) != (i > 1) {
			t.Errorf("case %d: %+v", i, c)
		}
	}
	if lint, err := exec.LookPath("xmllint"); err == nil {
		cmd := exec.Command(lint, "--noout", "-")
		cmd.Stdin = strings.NewReader(out.String())
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("xmllint: %v\n%s", err, said)
		}
	}
}

func TestTables(t *testing.T) {
	var text, markdown strings.Builder
	r := report(t)
	if r.Write(&text, "text") != nil || r.Write(&markdown, "markdown") != nil {
		t.Fatal("cannot write")
	}
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if n := len([]rune(line)); n > columns {
			t.Errorf("%d columns: %q", n, line)
		}
		if strings.ContainsAny(line, "\x00\x1b") {
			t.Errorf("control characters reach the terminal: %q", line)
		}
	}
	for line := range strings.Lines(markdown.String()) {
		if bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") && bars != 6 {
			t.Errorf("%d bars: %s", bars, line)
		}
	}
	if r.Write(io.Discard, "html") == nil {
		t.Error("there is a format html")
	}
}

// TestPolicyOfAFailure: a failure names the policy by which it was judged, and whose word that is.
func TestPolicyOfAFailure(t *testing.T) {
	answers := "hard 1 0\nsoft 1 0\nsolve = 30\nobj = 1\n"
	for _, c := range []struct {
		file, want string
		puppet     puppet
	}{
		{policyCase, "policy    soft-zero=allowed; a target that means otherwise", puppet{log: answers}},
		{policyCase, "policy    soft-zero=allowed, as the target says",
			puppet{log: answers, description: "policy soft-zero=allowed\n"}},
		{anyCase, "policy    failed-non-assumption=zero, as the target says",
			puppet{log: "add -1 0\nassume 1\nsolve = 20\nfailed 2 = 1\nfailed 1 = 1\n",
				description: "policy failed-non-assumption=zero\n"}},
	} {
		r := Report{Results: []Result{*judged(t, c.want, c.file, &c.puppet)}}
		var text strings.Builder
		if err := r.Write(&text, "text"); err != nil || !strings.Contains(text.String(), c.want) {
			t.Errorf("%v, want %q in:\n%s", err, c.want, &text)
		}
	}
}

// TestAdviceOnInstances: the advice for a solver that answers with the model of another is about what they share.
func TestAdviceOnInstances(t *testing.T) {
	for _, c := range Smoke(apimodel.IPASIR) {
		r := Result{Case: c, Class: string(oracle.ModelFalsifies)}
		if got := r.Advice(); (got == c.Advice) != (c.Group() == "instances") {
			t.Errorf("%s: the advice is %q", c.Short(), got)
		}
	}
}

// TestAdviceOnTermination: a search that does not stop when the callback says so is no puzzle about loops and locks.
func TestAdviceOnTermination(t *testing.T) {
	for _, c := range Smoke(apimodel.IPASIR) {
		r := Result{Case: c, Class: string(oracle.TooSlow)}
		if got := r.Advice(); (got == c.Advice) != (c.Group() == "terminate") {
			t.Errorf("%s: the advice is %q", c.Short(), got)
		}
	}
}

// TestExcuse: a target learns the policy by which it can refuse what the case is about, if it did not answer or, with
// quantifiers, answered wrongly.
func TestExcuse(t *testing.T) {
	for _, row := range []struct {
		model       *apimodel.Model
		name        string
		class       oracle.Class
		want, other string
	}{
		{apimodel.QBF, "add/free", oracle.OtherExit, "free-variable", "tautology"},
		{apimodel.QBF, "add/tautology", oracle.ClaimsNoSolution, "tautology", "free-variable"},
		{apimodel.QBF, "init/nothing-is-true", oracle.OtherExit, "", "policies"},
		{apimodel.IPASIR, "assume/cleared-by-unsat", oracle.Segfault, "soft-unused", "weight-sum"},
		{apimodel.IPASIR, "assume/cleared-by-unsat", oracle.ClaimsNoSolution, "", "policies"},
	} {
		at := slices.IndexFunc(For(row.model), func(c *Case) bool { return c.Short() == row.name })
		if at < 0 {
			t.Fatalf("there is no case %s", row.name)
		}
		r := Result{Case: For(row.model)[at], Class: string(row.class)}
		got := r.Excuse()
		if row.want == "" && got != "" || strings.Contains(got, row.other) ||
			row.want != "" && !strings.Contains(got, "policies = { "+row.want+` = "rejected" }`) {
			t.Errorf("%s, class %s: %q, want %q", row.name, row.class, got, row.want)
		}
	}
}
