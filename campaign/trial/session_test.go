package trial

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

const redeclareAdds = "ref:defect=redeclare-adds"

// declaredTwice has the optimum 2. With the defect redeclare-adds, literal 1 costs 4, and
// the optimum is 3.
const declaredTwice = "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 2\nsoft 1 2\nsoft 2 3\nsolve\nobj\nval 1\nval 2\n"

func targetOf(t *testing.T, spec string) *replay.Target {
	t.Helper()
	target, err := targets.Resolve(spec, "ipamir", nil)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// TestWanted checks which findings Wanted accepts.
func TestWanted(t *testing.T) {
	wanted := oracle.Key{Target: "a", Class: oracle.NotOptimal, Detail: "objective"}
	finding := func(change func(*oracle.Finding)) oracle.Finding {
		f := oracle.Finding{Class: wanted.Class, Weight: oracle.BigWeights, Detail: wanted.Detail}
		change(&f)
		return f
	}
	for _, row := range []struct {
		name       string
		target     string
		finding    oracle.Finding
		same, kept bool // with the key alone, and with the weight class
	}{
		{"the same", "a", finding(func(*oracle.Finding) {}), true, true},
		{"lighter", "a", finding(func(f *oracle.Finding) { f.Weight = oracle.SmallWeights }), true, false},
		{"heavier", "a", finding(func(f *oracle.Finding) { f.Weight = oracle.HugeWeights }), true, false},
		{"without weights", "a", finding(func(f *oracle.Finding) { f.Weight = oracle.NoWeights }), true, false},
		{"another target", "b", finding(func(*oracle.Finding) {}), false, false},
		{"lighter, another detail", "a", finding(func(f *oracle.Finding) {
			f.Weight, f.Detail = oracle.SmallWeights, "status"
		}), false, false},
		{"lighter, another class", "a", finding(func(f *oracle.Finding) {
			f.Weight, f.Class = oracle.SmallWeights, oracle.Leak
		}), false, false},
	} {
		if got := (&Wanted{Key: wanted}).matches(&row.finding, row.target); got != row.same {
			t.Errorf("%s: matches is %v, want %v", row.name, got, row.same)
		}
		if got := (&Wanted{Key: wanted, Weight: oracle.BigWeights}).matches(&row.finding, row.target); got != row.kept {
			t.Errorf("%s: with a weight class, matches is %v, want %v", row.name, got, row.kept)
		}
	}
	leak := oracle.Key{Target: "a", Class: oracle.Leak}
	for _, row := range []struct {
		wanted Wanted
		class  oracle.Class
		target string
		want   bool
	}{
		{Wanted{Key: leak}, oracle.Leak, "a", true},
		{Wanted{Key: leak}, oracle.Leak, "b", false},
		{Wanted{Key: leak}, oracle.NotOptimal, "a", false},
		{Wanted{Key: leak, Any: true}, oracle.Leak, "a", false},
	} {
		if got := row.wanted.ofClass(row.class, row.target); got != row.want {
			t.Errorf("%+v: ofClass(%s, %s) is %v, want %v", row.wanted, row.class, row.target, got, row.want)
		}
	}
}

// TestSessionShows checks that a session tells the wanted finding from others.
func TestSessionShows(t *testing.T) {
	limits := replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	target := targetOf(t, redeclareAdds)
	session := NewExamination(target, new(apimodel.Description), limits, true)
	defer session.Close()
	faulty := testtrace.Parse(t, declaredTwice)
	key := oracle.Key{Target: target.Name, Class: oracle.NotOptimal, Detail: "not optimal"}
	other := key
	other.Detail = "cost is negative"
	for _, row := range []struct {
		name   string
		wanted Wanted
		same   bool
		others int
	}{
		{"the key", Wanted{Key: key}, true, 0},
		{"any", Wanted{Any: true}, true, 0},
		{"the weight class", Wanted{Key: key, Weight: oracle.SmallWeights}, true, 0},
		{"another weight class", Wanted{Key: key, Weight: oracle.HugeWeights}, false, 1},
		{"another detail", Wanted{Key: other}, false, 1},
	} {
		var run trace.Run
		same, others, err := session.Shows(t.Context(), faulty, row.wanted, &run)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if (same != nil) != row.same || len(others) != row.others {
			t.Errorf("%s: wanted finding %+v, %d others", row.name, same, len(others))
		}
		if same != nil && (same.Key(target.Name) != key || same.Call != 7) {
			t.Errorf("%s: found %s in call %d, want %s in call 7", row.name, same.Key(target.Name), same.Call, key)
		}
	}
	var run trace.Run
	same, others, err := session.Shows(t.Context(),
		testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 2\nsolve\nobj\n"),
		Wanted{Any: true}, &run)
	if same != nil || len(others) > 0 || err != nil || run.End != trace.Finished {
		t.Errorf("a trace that does not fail: %+v, %+v, %v, ended by %v", same, others, err, run.End)
	}
}

// TestGroupFindings checks that a group runs the rivals only if the target's own judge
// does not find the key, and blames the target that is wrong.
func TestGroupFindings(t *testing.T) {
	limits := replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	const healthy = "ref"
	group := func(unsearched bool, specs ...string) *Group {
		g := new(Group)
		for _, spec := range specs {
			config := oracle.Config{Compared: len(specs) > 1}
			if unsearched { // without a search, only a comparison can prove that an optimum is wrong
				config.MaxVars = -1
			}
			g.Sessions = append(g.Sessions, NewSession(targetOf(t, spec), limits, NewJudge(config, 0)))
		}
		t.Cleanup(g.Close)
		return g
	}
	key := oracle.Key{Target: redeclareAdds, Class: oracle.NotOptimal, Detail: "not optimal"}
	for _, row := range []struct {
		name     string
		group    *Group
		target   string
		found    bool
		compared bool // the rivals ran
		check    string
	}{
		{"searched", group(false, redeclareAdds, healthy), redeclareAdds, true, false, ""},
		{"unsearched, alone", group(true, redeclareAdds), redeclareAdds, false, false, ""},
		{"unsearched", group(true, redeclareAdds, healthy), redeclareAdds, true, true, "targets"},
		{"unsearched, the rival", group(true, redeclareAdds, healthy), healthy, false, true, ""},
	} {
		var run trace.Run
		findings, err := row.group.Findings(t.Context(), row.target, testtrace.Parse(t, declaredTwice), key.On(row.target),
			&run, true)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		at := WithKey(findings, row.target, key.On(row.target))
		if (at >= 0) != row.found || !row.found && len(findings) > 0 {
			t.Errorf("%s: %+v", row.name, findings)
		}
		if row.check != "" && at >= 0 && findings[at].Check != row.check {
			t.Errorf("%s: the check is %s, want %s", row.name, findings[at].Check, row.check)
		}
		if (row.group.runs != nil) != row.compared {
			t.Errorf("%s: %d runs were compared", row.name, len(row.group.runs))
		}
		want := uint64(2)
		if row.target == redeclareAdds {
			want = 3
		}
		if got := run.Answers.At(5).Num; got != want {
			t.Errorf("%s: the run's objective is %d, want that of %s, %d", row.name, got, row.target, want)
		}
		same, err := row.group.Shows(t.Context(), row.target, testtrace.Parse(t, declaredTwice), key.On(row.target), &run)
		if (same != nil) != row.found || err != nil {
			t.Errorf("%s: shows %+v, %v", row.name, same, err)
		}
	}
}

// wantNoBlame checks that the only failure of a trace keeps its class.
func wantNoBlame(t *testing.T, session *Session, two *trace.Trace) {
	t.Helper()
	var run trace.Run
	findings, err := session.Run(t.Context(), two, &run)
	if err != nil || len(findings) != 1 {
		t.Fatalf("findings %+v, %v; want one", findings, err)
	}
	seen := findings[0]
	blamed, err := session.BlameInstances(t.Context(), two, seen)
	if err != nil || blamed.Class != seen.Class {
		t.Errorf("class %s, %v; want %s: %+v", blamed.Class, err, seen.Class, blamed)
	}
}

// TestBlameInstances checks that the instances are not blamed unless the judge knows that an instance is
// right alone, where it has no expectations.
func TestBlameInstances(t *testing.T) {
	limits := replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	session := NewSession(targetOf(t, redeclareAdds), limits, NewJudge(oracle.Config{MaxVars: -1}, 0))
	defer session.Close()
	two := testtrace.Parse(t, "ipafuzz 2 ipamir\nhard 1 2 0\nsoft 1 2\nsoft 1 2\nsoft 2 3\n@1 hard 1 0\n"+
		"solve want 30\nobj want 2\nval 1\nval 2\n@1 solve\n")
	wantNoBlame(t, session, two)
}

// wrongByChance returns a session of a library that is wrong in one of so many processes, the first one included.
func wrongByChance(t *testing.T, every int) *Session {
	t.Helper()
	library := filepath.Join(t.TempDir(), "thirds.so")
	build := exec.Command("cc", "-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", fmt.Sprintf("-DEVERY=%d", every),
		"-o", library, "testdata/thirds.c")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	target, err := targets.Resolve(library, "ipasir", nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	session := NewSession(target, limits, NewJudge(oracle.Config{}, 0))
	t.Cleanup(session.Close)
	return session
}

// TestRecursByChance checks that threads are not blamed for a failure that depends on chance, however rare it is.
func TestRecursByChance(t *testing.T) {
	two := testtrace.Parse(t, "ipafuzz 2 ipasir\noption ipafuzz.threads 1\nadd 1 0\n@1 add 2 0\nsolve\n")
	for _, row := range []struct{ every, passed int }{{60, 0}, {100, 0}, {100, 40}, {200, 140}} {
		session, wanted := wrongByChance(t, row.every), oracle.Key{}
		var run trace.Run
		for n := range 1 + row.passed {
			findings, err := session.runs(t.Context(), two, &run, 1)
			if err != nil || (n == 0) != (len(findings) == 1) {
				t.Fatalf("run %d: findings %+v, %v", n, findings, err)
			}
			if n == 0 {
				wanted = findings[0].Key(session.Target.Name)
			}
		}
		same, err := session.Recurs(t.Context(), two, wanted, &run)
		if err != nil || same != nil && same.Class == oracle.InstancesMix {
			t.Errorf("one of %d processes, after %d: %+v, %v", row.every, row.passed, same, err)
		}
	}
}

// TestBlameInstancesByChance checks that the instances are not blamed for a failure that depends on chance.
// Here it occurs in every third run, whatever the run contains.
func TestBlameInstancesByChance(t *testing.T) {
	session := wrongByChance(t, 3)
	two := testtrace.Parse(t, "ipafuzz 2 ipasir\nadd 1 0\n@1 add 2 0\nsolve\n")
	wantNoBlame(t, session, two)
	var run trace.Run
	for range 4 { // begin with each of three runs in turn
		if err := session.Answers(t.Context(), two, &run); err != nil {
			t.Fatal(err)
		}
		if differs, err := session.DiffersAlone(t.Context(), two, &run); differs != nil || err != nil {
			t.Errorf("differs alone: %+v, %v", differs, err)
		}
	}
}

// TestFailedAllocationsOfInstances checks that the instances are not blamed for a failed allocation: alone, an
// instance makes fewer allocations, so that another one fails, or none.
func TestFailedAllocationsOfInstances(t *testing.T) {
	limits := replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	session := NewSession(targetOf(t, "ref:defect=unchecked-allocation"), limits, NewJudge(oracle.Config{}, 0))
	defer session.Close()
	const option, add = "option ipafuzz.fail-allocation %d\n", "add 1 2 0\nadd 3 4 0\n@1 add 1 2 0\n@1 add 3 4 0\n"
	seen := 0
	for _, from := range []string{"ipafuzz 2 ipamir\n@2 ", "ipafuzz 2 ipamir\n@2 option ipafuzz.threads 1\n@2 "} {
		for n := range 12 {
			text := fmt.Sprintf(from+option, n+1) + strings.ReplaceAll(add, "add", "hard") + "solve\n@1 solve\n@2 solve\n"
			mixed := testtrace.Parse(t, text)
			var run trace.Run
			findings, err := session.Run(t.Context(), mixed, &run)
			if err != nil {
				t.Fatal(err)
			}
			if len(findings) == 0 || findings[0].Class != oracle.FailedAllocation {
				continue
			}
			seen++
			if blamed, err := session.BlameInstances(t.Context(), mixed, findings[0]); err != nil ||
				blamed.Class != oracle.FailedAllocation {
				t.Errorf("%s: class %s, %v: %+v", text, blamed.Class, err, blamed)
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d traces fail", seen)
	}
}

// TestBlameAllocation checks that a failure keeps its class if the trace fails in the same way when no allocation
// fails, and that an allocation is blamed for what only follows its failure.
func TestBlameAllocation(t *testing.T) {
	limits := replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	const option, solves = "ipafuzz 2 ipamir\noption ipafuzz.fail-allocation 1\n", "hard 1 1 0\nhard -2 3 0\nsolve\n"
	for _, row := range []struct{ target, text, want string }{
		{"ref:defect=unchecked-allocation", option + solves, "5.8 then: 1.5 "},
		{"ref:defect=duplicates-cancel", option + solves, "2.5 "},
		{"ref:defect=duplicates-cancel", "ipafuzz 2 ipamir\n" + solves, "2.5 "},
		{"ref", option + solves, ""},
	} {
		session := NewSession(targetOf(t, row.target), limits, NewJudge(oracle.Config{}, 0))
		var run trace.Run
		findings, err := session.Run(t.Context(), testtrace.Parse(t, row.text), &run)
		session.Close()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(findings) > 0 {
			f := findings[0]
			got = string(f.Class) + " " + f.Detail
			blamed := strings.Contains(f.Observed, "an allocation had failed")
			if blamed != (f.Class == oracle.FailedAllocation) {
				t.Errorf("%s: %s observed %q", row.target, got, f.Observed)
			}
		}
		if !strings.HasPrefix(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: got %q, want %q", row.target, got, row.want)
		}
	}
}
