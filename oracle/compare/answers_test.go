package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A compared is one comparison. It has a log of the same calls for each target, the expected findings as
// "target: class check call detail", and the expected disputes as "call about", with a "!" if a majority
// turned the dispute into findings.
type compared struct {
	name     string
	config   oracle.Config
	logs     []string
	want     []string
	disputes []string
	known    string // a part of KnownBy of the first finding
}

func parseLog(t testing.TB, model, log string) *trace.Trace {
	t.Helper()
	var lines []string
	for line := range strings.Lines(log) {
		for part := range strings.SplitSeq(line, ";") {
			lines = append(lines, strings.TrimSpace(part))
		}
	}
	tr, err := trace.ParseSyntax(strings.NewReader("ipafuzz 1 "+model+"\n"+strings.Join(lines, "\n")+"\n"), "test")
	if err != nil {
		t.Fatalf("%s: %v", log, err)
	}
	return tr
}

func line(f oracle.Finding) string {
	return fmt.Sprintf("%s %s %d %s", f.Class, f.Check, f.Call, f.Detail)
}

// large is a configuration without exhaustive search, which stands for a large formula.
var large = oracle.Config{MaxVars: -1}

func ballotsOf(t *testing.T, model string, config oracle.Config, logs []string) (*trace.Trace, []Ballot) {
	t.Helper()
	config.Compared = true
	var tr *trace.Trace
	var ballots []Ballot
	for i, log := range logs {
		parsed := parseLog(t, model, log)
		run := &trace.Run{Answers: parsed.Want.Clone()}
		parsed.Want.Reset()
		if tr == nil {
			tr = parsed
		} else if tr.String() != parsed.String() {
			t.Fatalf("log %d makes other calls", i)
		}
		j := oracle.New(config)
		findings := slices.Clone(j.Judge(tr, run))
		ballots = append(ballots, Ballot{Target: string(rune('A' + i)), Run: run, Findings: findings,
			Solves: slices.Clone(j.Solves())})
	}
	return tr, ballots
}

func linesOf(ballots []Ballot, findings [][]oracle.Finding) (lines []string, first *oracle.Finding) {
	for i := range findings {
		for k := range findings[i] {
			if f := &findings[i][k]; first == nil {
				first = f
			}
			lines = append(lines, ballots[i].Target+": "+line(findings[i][k]))
		}
	}
	return lines, first
}

func runCompared(t *testing.T, model string, rows []compared) {
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			// The order of the targets must not change the verdict.
			for _, reversed := range []bool{false, true} {
				logs, want := slices.Clone(row.logs), slices.Clone(row.want)
				if reversed {
					slices.Reverse(logs)
					for i, w := range want {
						want[i] = string(rune('A'+len(logs)-1-int(w[0]-'A'))) + w[1:]
					}
				}
				tr, ballots := ballotsOf(t, model, row.config, logs)
				c := Answers(tr, ballots)
				got, first := linesOf(ballots, c.Findings)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("reversed %v\ngot  %q\nwant %q", reversed, got, want)
				}
				var disputes []string
				for _, d := range c.Disputes {
					text := fmt.Sprintf("%d %s", d.Call, d.About)
					if d.Outvoted {
						text += "!"
					}
					disputes = append(disputes, text)
				}
				if !slices.Equal(disputes, row.disputes) {
					t.Errorf("reversed %v: disputes %q, want %q", reversed, disputes, row.disputes)
				}
				if row.known != "" && (first == nil || !strings.Contains(first.Known, row.known)) {
					t.Errorf("reversed %v: known by %+v, want %q", reversed, first, row.known)
				}
			}
		})
	}
}

func TestCompareStatus(t *testing.T) {
	const sat, unsat, silent = "add 1 2 0; solve = 10; model = 1 -2", "add 1 2 0; solve = 20; model = -",
		"add 1 2 0; solve = 10; model"
	runCompared(t, "ipasir", []compared{
		{name: "agree", config: large, logs: []string{sat, sat}},
		{name: "one against one with a model", config: large, logs: []string{sat, unsat},
			want:  []string{"B: 2.5 targets 2 claims no solution"},
			known: "checked against every hard clause"},
		{name: "one with a model against three", config: large, logs: []string{unsat, unsat, sat, unsat},
			want: []string{"A: 2.5 targets 2 claims no solution", "B: 2.5 targets 2 claims no solution",
				"D: 2.5 targets 2 claims no solution"}},
		{name: "the oracle knew", logs: []string{sat, unsat}, want: []string{"B: 2.5 exhaustive 1 claims no solution"}},
		{name: "one against one without a proof", config: large, logs: []string{silent, unsat},
			disputes: []string{"1 status"}},
		{name: "two against two", config: large, logs: []string{silent, unsat, unsat, silent},
			disputes: []string{"1 status"}},
		{name: "two against one", config: large, logs: []string{silent, unsat, unsat},
			want:     []string{"A: 2.4 targets 1 claims a solution"},
			disputes: []string{"1 status!"}, known: "2 of 3 targets; not proven"},
		{name: "one against two", config: large, logs: []string{silent, unsat, silent},
			want:     []string{"B: 2.5 targets 1 claims no solution"},
			disputes: []string{"1 status!"}, known: "2 of 3 targets; not proven"},
		{name: "an interrupted search has no vote", config: large, logs: []string{
			"terminate 1; add 1 2 0; solve = 10", "terminate 1; add 1 2 0; solve = 20", "terminate 1; add 1 2 0; solve = 0"},
			disputes: []string{"2 status"}},
		{name: "a false model has no vote", config: large, logs: []string{
			"add 1 2 0; solve = 10; model = -1 -2", "add 1 2 0; solve = 20; model = -"},
			want: []string{"A: 2.6 model 2 hard clause"}},
		{name: "another formula", config: large, logs: []string{
			"terminate 1; add 1 2 0; solve = 10; add -1 0; solve = 10; model = -1 2",
			"terminate 1; add 1 2 0; solve = 0; add -1 0 = -; solve = 20; model = -"}},
	})
}

// TestCompareQuantified checks votes about formulas that this oracle cannot decide.
func TestCompareQuantified(t *testing.T) {
	const head = "forall 1 2 0; exists 3 4 0; forall 5 0; exists 6 0; clause 1 3 6 0; clause -1 -3 4 0; " +
		"clause 2 -4 5 -6 0; clause -2 4 -5 6 0; solve = "
	runCompared(t, "qbf", []compared{
		{name: "agree", config: large, logs: []string{head + "20", head + "20", head + "20"}},
		{name: "one against one", config: large, logs: []string{head + "10", head + "20"}, disputes: []string{"8 status"}},
		{name: "two against one", config: large, logs: []string{head + "10", head + "20", head + "20"},
			want:     []string{"A: 2.4 targets 8 claims a solution"},
			disputes: []string{"8 status!"}, known: "2 of 3 targets; not proven"},
		{name: "one against two", config: large, logs: []string{head + "10", head + "20", head + "10"},
			want:     []string{"B: 2.5 targets 8 claims no solution"},
			disputes: []string{"8 status!"}, known: "2 of 3 targets; not proven"},
		{name: "an interrupted search has no vote", config: large, logs: []string{
			"terminate 1; " + head + "10", "terminate 1; " + head + "20", "terminate 1; " + head + "0"},
			disputes: []string{"9 status"}},
		{name: "the oracle knows", logs: []string{head + "10", head + "20"},
			want: []string{"B: 2.5 quantified 8 claims no solution"}},
	})
}

// TestFailedAllocations: after a failed allocation a target has no vote, and its wrong answers are of class
// 5.8.
func TestFailedAllocations(t *testing.T) {
	const sat, quantified = "add 1 2 0; solve = ", "forall 1 2 0; exists 3 4 0; forall 5 0; exists 6 0; " +
		"clause 1 3 6 0; clause -1 -3 4 0; clause 2 -4 5 -6 0; clause -2 4 -5 6 0; solve = "
	const soft = "hard 1 2 0; soft 1 5; soft 2 3; solve = 30; "
	for _, row := range []struct {
		name, model string
		logs        []string
		failed      []int // by target, 1 + the call
		want        []string
		disputes    int
	}{
		{"status", "ipasir", []string{sat + "10; model = 1 2", sat + "20; model = -"}, []int{0, 1},
			[]string{"B: 5.8 targets 2 then: 2.5 claims no solution"}, 0},
		{"a later call failed", "ipasir", []string{sat + "10; model = 1 2", sat + "20; model = -"}, []int{0, 4},
			[]string{"B: 2.5 targets 2 claims no solution"}, 0},
		{"optimum", "ipamir", []string{soft + "obj = 3; model = -1 2", soft + "obj = 5; model = 1 -2"}, []int{0, 2},
			[]string{"B: 5.8 targets 5 then: 2.1 not optimal"}, 0},
		{"a vote", "qbf", []string{quantified + "10", quantified + "20", quantified + "20"}, []int{0, 1, 1}, nil, 0},
		{"a vote of the others", "qbf", []string{quantified + "10", quantified + "20", quantified + "10"}, []int{0, 1, 0},
			nil, 0},
		{"a vote on the optimum", "ipamir", []string{soft + "obj = 3; model", soft + "obj = 2; model",
			soft + "obj = 2; model"}, []int{0, 1, 1}, nil, 0},
	} {
		tr, ballots := ballotsOf(t, row.model, large, row.logs)
		for i := range ballots {
			ballots[i].Run.FailedAllocation = row.failed[i]
		}
		c := Answers(tr, ballots)
		if got, _ := linesOf(ballots, c.Findings); !slices.Equal(got, row.want) || len(c.Disputes) != row.disputes {
			t.Errorf("%s: got %q, want %q; %d disputes, want %d", row.name, got, row.want, len(c.Disputes), row.disputes)
		}
	}
}

// TestAgreed: only solves that all targets answered are compared.
func TestAgreed(t *testing.T) {
	const head = "terminate 1; add 1 2 0; solve = "
	for _, row := range []struct {
		name             string
		logs             []string
		compared, agreed uint64
	}{
		{"one answer", []string{head + "10", head + "10", head + "10"}, 1, 1},
		{"two answers", []string{head + "10", head + "20", head + "10"}, 1, 0},
		{"one was interrupted", []string{head + "10", head + "0", head + "10"}, 0, 0},
		{"one was not asked", []string{head + "10", head + "10", head + "-"}, 0, 0},
		{"the second of two", []string{head + "10; add 1 0; solve = 10", head + "0; add 1 0; solve = 10"}, 1, 1},
	} {
		tr, ballots := ballotsOf(t, "ipasir", large, row.logs)
		if c := Answers(tr, ballots); c.Compared != row.compared || c.Agreed != row.agreed {
			t.Errorf("%s: %d of %d agree, want %d of %d", row.name, c.Agreed, c.Compared, row.agreed, row.compared)
		}
	}
}

func TestCompareOptimum(t *testing.T) {
	const head = "hard 1 2 0; soft 1 5; soft 2 3; solve = 30; "
	const above = "hard 1 0; hard 2 0; soft 1 18446744073709551615; soft 2 18446744073709551615; solve = 30; "
	best := head + "obj = 3; model = -1 2"
	runCompared(t, "ipamir", []compared{
		{name: "agree", config: large, logs: []string{best, best, best}},
		{name: "2.1: consistent and not optimal", config: large, logs: []string{best, head + "obj = 5; model = 1 -2"},
			want: []string{"B: 2.1 targets 5 not optimal"}, known: "the model of "},
		{name: "2.1: though all others agree with each other", config: large,
			logs: []string{head + "obj = 5; model = 1 -2", best, head + "obj = 5; model = 1 -2", head + "obj = 5; model = 1 -2"},
			want: []string{"A: 2.1 targets 5 not optimal", "C: 2.1 targets 5 not optimal", "D: 2.1 targets 5 not optimal"}},
		{name: "2.2: three numbers, where its own judge saw two", config: large, logs: []string{best,
			head + "obj = 7; model = 1 -2"},
			want: []string{"B: 2.2 targets 5 objective is not the cost of the model"}},
		{name: "2.3: only the model is the best", config: large, logs: []string{best, head + "obj = 7; model = -1 2"},
			want: []string{"B: 2.3 objective 5 objective is not the cost of the model"}},
		{name: "2.3: the objective alone", config: large, logs: []string{best, head + "obj = 4; model"},
			want: []string{"B: 2.3 targets 5 objective is not the optimum"}},
		{name: "2.3: the model alone", config: large, logs: []string{best, head + "obj; model = 1 -2"},
			want: []string{"B: 2.3 targets 5 model is not optimal"}},
		{name: "the optimum is known anyway", logs: []string{best, head + "obj = 5; model = 1 -2"},
			want: []string{"B: 2.1 objective 5 not optimal"}},
		{name: "no proof below the best model", config: large, logs: []string{
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 2; model = 1 2 -3",
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 1; model"},
			disputes: []string{"6 optimum"}},
		{name: "outvoted below the best model", config: large, logs: []string{
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 2; model = 1 2 -3",
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 1; model",
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 2; model"},
			want: []string{"B: 2.3 targets 7 objective is not the optimum"}, disputes: []string{"6 optimum!"},
			known: "2 of 3 targets; not proven"},
		{name: "a majority below the best model convicts nobody", config: large, logs: []string{
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 1; model",
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 1; model",
			"hard 1 2 0; hard 1 3 0; hard 2 3 0; soft 1 1; soft 2 1; soft 3 1; solve = 30; obj = 2; model = 1 2 -3"},
			disputes: []string{"6 optimum"}},
		{name: "no model at all", config: large, logs: []string{head + "obj = 4; model", head + "obj = 4; model",
			head + "obj = 6; model"},
			want: []string{"C: 2.3 targets 4 objective is not the optimum"}, disputes: []string{"3 optimum!"}},
		{name: "the model of an interrupted search bounds the optimum", config: large, logs: []string{
			"hard 1 2 0; terminate 1; soft 1 5; soft 2 3; solve = 10; obj = 3; model = -1 2",
			"hard 1 2 0; terminate 1; soft 1 5; soft 2 3; solve = 30; obj = 5; model = 1 -2"},
			want: []string{"B: 2.1 targets 6 not optimal"}},
		{name: "and contradicts nobody who has less", config: large, logs: []string{
			"hard 1 2 3 0; terminate 1; soft 1 5; soft 2 3; solve = 10; obj = 8; model = 1 2 3",
			"hard 1 2 3 0; terminate 1; soft 1 5; soft 2 3; solve = 30; obj = 0; model"}},
		{name: "a cost that no objective can say", config: large, logs: []string{
			above + "obj = 18446744073709551614; model", above + "obj = 18446744073709551614; model",
			above + "obj = 18446744073709551615; model"}},
		{name: "a sum that no objective can say, and a cost that it can", config: large, logs: []string{
			above[len("hard 1 0; "):] + "obj = 18446744073709551615; model = -1 2",
			above[len("hard 1 0; "):] + "obj = 3; model"},
			disputes: []string{"3 optimum"}},
		{name: "weights that mean something else", config: oracle.Config{MaxVars: -1,
			Policies: map[string]string{"redeclare": "undefined"}}, logs: []string{
			"soft 1 5; soft 1 3; solve = 30; obj = 5", "soft 1 5; soft 1 3; solve = 30; obj = 3"}},
	})
}

// TestAsk: the questions that settle a dispute stand behind the solve in dispute.
func TestAsk(t *testing.T) {
	tr, ballots := ballotsOf(t, "ipamir", large, []string{"hard 1 0; solve = 30; hard 2 0; solve = 30",
		"hard 1 0; solve = 20; hard 2 0; solve = 20"})
	c := Answers(tr, ballots)
	if len(c.Disputes) != 2 {
		t.Fatalf("%d disputes, want 2", len(c.Disputes))
	}
	longer := Ask(tr, c.Disputes[:1])
	if got := longer.String(); !strings.HasSuffix(got, "hard 1 0\nsolve\nobj\nmodel\nhard 2 0\nsolve\n") {
		t.Errorf("asked:\n%s", got)
	}
	if err := trace.Check(longer); err != nil {
		t.Error(err)
	}
	expecting := parseLog(t, "ipamir", "hard 1 0; solve = 30; hard 2 0; solve = 20")
	if got := Ask(expecting, c.Disputes[1:]).String(); !strings.HasSuffix(got,
		"hard 1 0\nsolve want 30\nhard 2 0\nsolve want 20\nobj\nmodel\n") {
		t.Errorf("asked with expectations:\n%s", got)
	}
}

func TestResources(t *testing.T) {
	const ms = uint64(time.Millisecond)
	for _, row := range []struct {
		name   string
		nanos  []uint64
		peakKB []uint64
		factor float64
		dead   int // the number of the target that met the time limit of 5 s, from 1
		want   []string
	}{
		{name: "two targets", nanos: []uint64{1, 5000 * ms}},
		{name: "slow", nanos: []uint64{ms, 1500 * ms, ms}, want: []string{"B: 3.1 resources 1 in solve"}},
		{name: "below the least", nanos: []uint64{1, 999 * ms, 1}},
		{name: "within the factor", nanos: []uint64{20 * ms, 1500 * ms, 20 * ms}},
		{name: "another factor", factor: 10, nanos: []uint64{20 * ms, 1500 * ms, 20 * ms},
			want: []string{"B: 3.1 resources 1 in solve"}},
		{name: "one of the others is slow too", nanos: []uint64{1 * ms, 1500 * ms, 1500 * ms}},
		{name: "not measured", nanos: []uint64{0, 1500 * ms, ms}},
		{name: "met the limit", nanos: []uint64{ms, ms, ms}, dead: 3, want: []string{"C: 3.1 resources 1 in solve"}},
		{name: "met the limit, others are slow", nanos: []uint64{100 * ms, 100 * ms, ms}, dead: 3,
			want: []string{"C: 3.1 end 1 in solve"}},
		{name: "memory", nanos: []uint64{1, 1, 1}, peakKB: []uint64{1 << 10, 1 << 10, 200 << 10},
			want: []string{"C: 3.2 resources 2 peak of the run"}},
		{name: "memory within the factor", nanos: []uint64{1, 1, 1}, peakKB: []uint64{3 << 10, 3 << 10, 200 << 10}},
		{name: "little memory", nanos: []uint64{1, 1, 1}, peakKB: []uint64{1, 1, 60 << 10}},
	} {
		t.Run(row.name, func(t *testing.T) {
			logs := make([]string, len(row.nanos))
			for i := range logs {
				logs[i] = "hard 1 0; solve = 30"
			}
			tr, ballots := ballotsOf(t, "ipamir", oracle.Config{}, logs)
			for i := range ballots {
				run := ballots[i].Run
				if row.dead == i+1 {
					run.End, run.Call = trace.OutOfCPU, 1
					run.Answers.Of[1] = trace.Answer{}
					j := oracle.New(oracle.Config{Compared: true})
					ballots[i].Findings, ballots[i].Solves = j.Judge(tr, run), j.Solves()
				} else if row.nanos[i] > 0 {
					run.Answers.SetEffort(&run.Answers.Of[1], trace.Effort{Nanos: row.nanos[i]})
				}
				if row.peakKB != nil {
					run.Usage.PeakKB = row.peakKB[i]
				}
			}
			found := Resources{Factor: row.factor, Limit: 5 * time.Second}.Compare(tr, ballots)
			if row.dead > 0 && len(found[row.dead-1]) == 0 {
				found[row.dead-1] = ballots[row.dead-1].Findings
			}
			if got, _ := linesOf(ballots, found); !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// TestCompareConstraints: a target without constrain solves another problem, so its model does not disprove
// the answer of a target that has it.
func TestCompareConstraints(t *testing.T) {
	const formula = "add 1 2 0; add -1 2 0; add 1 -2 0; constrain -1 -2 0"
	runCompared(t, "ipasir+cadical", []compared{
		{name: "one cannot constrain", config: large, logs: []string{
			formula + " = ?; solve = 10; model = 1 2", formula + "; solve = 20; model = -"}},
		{name: "one cannot simplify", config: large, logs: []string{
			formula + "; simplify = 0; solve = 10; model = 1 2", formula + "; simplify = ?; solve = 20; model = -"}},
	})
}

func TestCompareAloneConstraint(t *testing.T) {
	tr := parseLog(t, "ipasir+cadical", "@1 add 1 0; add 1 0; @1 constrain -1 0 = ?; @1 solve = 10")
	single := parseLog(t, "ipasir+cadical", "add 1 0; constrain -1 0; solve = 20")
	run, alone := &trace.Run{Answers: tr.Want.Clone()}, &trace.Run{Answers: single.Want.Clone()}
	if f := Alone(tr, run, 1, alone); f != nil {
		t.Errorf("the instance was given another problem, and yet: %s", line(*f))
	}
}

func TestAlone(t *testing.T) {
	for _, row := range []struct{ name, log, alone, want string }{
		{"the same", "@1 hard 1 0; hard -1 0; @1 solve = 30; @1 obj = 0; solve = 30", "hard 1 0; solve = 30; obj = 0", ""},
		{"status", "@1 hard 1 0; hard -1 0; @1 solve = 20; @1 obj = -", "hard 1 0; solve = 30; obj = 0",
			"5.5 alone 2 with other instances only: status"},
		{"objective", "@1 soft 1 2; soft 1 3; @1 solve = 30; @1 obj = 3", "soft 1 2; solve = 30; obj = 2",
			"5.5 alone 3 with other instances only: objective"},
		{"interrupted", "@1 hard 1 0; hard -1 0; @1 solve = 0; @1 obj = -", "hard 1 0; solve = 30; obj = 0", ""},
		{"not an optimum", "@1 soft 1 2; hard 1 0; @1 solve = 10; @1 obj = 2", "soft 1 2; solve = 30; obj = 0", ""},
		{"another formula", "@1 hard 1 0; hard 1 0; @1 solve = 30; @1 hard 2 0; @1 solve = 20",
			"hard 1 0; solve = 30; hard 2 0 = -; solve = 30", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr, single := parseLog(t, "ipamir", row.log), parseLog(t, "ipamir", row.alone)
			run, alone := &trace.Run{Answers: tr.Want.Clone()}, &trace.Run{Answers: single.Want.Clone()}
			tr.Want.Reset()
			single.Want.Reset()
			if got, want := tr.Project(1).String(), single.String(); got != want {
				t.Fatalf("the instance alone is\n%s\nnot\n%s", got, want)
			}
			got := ""
			if f := Alone(tr, run, 1, alone); f != nil {
				got = line(*f)
				run.FailedAllocation = 1
				if f := Alone(tr, run, 1, alone); f != nil {
					t.Errorf("an allocation failed, and yet: %s", line(*f))
				}
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
