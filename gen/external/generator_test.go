package external

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace"
)

func generator(t *testing.T, command string, traces gen.Config) *Generator {
	t.Helper()
	if traces.Model == nil {
		traces.Model = apimodel.IPAMIR
	}
	g, err := New(Config{Command: command, Limits: Limits{Time: 30 * time.Second, Output: 1000}, Traces: traces})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func made(t *testing.T, g *Generator, seed uint64) string {
	t.Helper()
	var made trace.Trace
	if err := g.Make(t.Context(), seed, &made); err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(&made); err != nil {
		t.Fatal(err)
	}
	return string(made.AppendText(nil))
}

// TestFormats: Make turns CNF, and WCNF of both kinds, into traces of the target's model.
func TestFormats(t *testing.T) {
	const seed = 3 << 33 // {seed} is 3
	for _, c := range []struct {
		name, command string
		model         *apimodel.Model
		want          string
		fitted        bool
	}{
		{"new wcnf", `echo 'h 1 -2 0'; echo '{seed} 1 0'`, apimodel.IPAMIR,
			"ipafuzz 1 ipamir\nhard 1 -2 0\nsoft -1 3\nsolve\nobj\nmodel\n", false},
		{"old wcnf", `echo 'p wcnf 2 2 9'; echo '9 1 -2 0'; echo '{seed} 1 0'`, apimodel.IPAMIR,
			"ipafuzz 1 ipamir\nhard 1 -2 0\nsoft -1 3\nsolve\nobj\nmodel\n", false},
		{"cnf", `printf 'p cnf {seed} 1\n1 -{seed} 0\n'`, apimodel.IPASIR,
			"ipafuzz 1 ipasir\nadd 1 -3 0\nsolve\nmodel\n", false},
		{"cnf for ipamir", `printf 'p cnf {seed} 1\n1 -{seed} 0\n'`, apimodel.IPAMIR,
			"ipafuzz 1 ipamir\nhard 1 -3 0\nsolve\nmodel\n", false},
		{"all of the seed", `echo '{seed64} 1 0'`, apimodel.IPAMIR,
			"ipafuzz 1 ipamir\nsoft -1 25769803776\nsolve\nobj\nmodel\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := generator(t, c.command, gen.Config{Model: c.model})
			text := made(t, g, seed)
			if text != c.want || g.Fitted() != c.fitted {
				t.Errorf("made, fitted: %v\n%swant\n%s", g.Fitted(), text, c.want)
			}
			notes := strings.Join(g.Notes(seed), "\n")
			if !strings.HasPrefix(notes, "gen=external seed=0x0000000600000000 format=") ||
				!strings.Contains(notes, "generator: "+commandFor(c.command, seed)) {
				t.Errorf("header:\n%s", notes)
			}
		})
	}
}

// TestFiles: for a model of formula files, Make keeps soft clauses as they are and the text that the generator printed,
// unless it had to cut something.
func TestFiles(t *testing.T) {
	const printed = `echo 'c 1'; echo 'h  1 -2 0'; echo '3 0'; echo '{seed} 1 -1 2 0'; echo '5 1 0'`
	for _, c := range []struct {
		command string
		bounds  gen.Bounds
		want    string
		given   string // "": none
	}{
		{printed, gen.Bounds{}, "hard 1 -2 0\nsoft 3 0\nsoft 7 1 -1 2 0\nsoft 5 1 0\n",
			"c 1\nh  1 -2 0\n3 0\n7 1 -1 2 0\n5 1 0\n"},
		{printed, gen.Bounds{MaxWeight: 4}, "hard 1 -2 0\nsoft 3 0\nsoft 4 1 -1 2 0\nsoft 4 1 0\n", ""},
		{`echo 'p wcnf 2 2 9'; echo '9 1 -2 0'; echo '{seed} 1 2 0'`, gen.Bounds{}, "hard 1 -2 0\nsoft 7 1 2 0\n",
			"p wcnf 2 2 9\n9 1 -2 0\n7 1 2 0\n"},
		{`for i in 1 2 3 4 5 6 {seed}; do echo "$i $i 0"; done`, gen.Bounds{MaxCalls: 9},
			"soft 1 1 0\nsoft 2 2 0\nsoft 3 3 0\nsoft 4 4 0\nsoft 5 5 0\nsoft 6 6 0\n", ""},
		{`for i in 1 2 3 4 5 {seed}; do echo "$i $i 0"; done`, gen.Bounds{MaxCalls: 10},
			"soft 1 1 0\nsoft 2 2 0\nsoft 3 3 0\nsoft 4 4 0\nsoft 5 5 0\nsoft 7 7 0\n",
			"1 1 0\n2 2 0\n3 3 0\n4 4 0\n5 5 0\n7 7 0\n"},
		{`echo 'soft: 9 ;'; echo '[{seed}] +1 x1 >= 1 ;'`, gen.Bounds{}, "soft 7 1 0\n", ""},
	} {
		g := generator(t, c.command, gen.Config{Model: apimodel.WCNF, Bounds: c.bounds})
		var made trace.Trace
		if err := g.Make(t.Context(), 7<<33, &made); err != nil {
			t.Fatal(err)
		}
		want := "ipafuzz 1 wcnf\n" + c.want + "solve\nobj\nmodel\n"
		if text := string(made.AppendText(nil)); text != want || trace.Check(&made) != nil {
			t.Errorf("made\n%swant\n%s", text, want)
		}
		if file := made.Given(string(g.format)); string(file) != c.given || g.Fitted() != (c.given == "") {
			t.Errorf("the trace has the file %q, want %q; fitted: %v", file, c.given, g.Fitted())
		}
	}
}

// TestFitted: Make cuts a trace to the bounds, and the header says so.
func TestFitted(t *testing.T) {
	g := generator(t, `echo '{seed} 1 0'; echo '20 2 0'`, gen.Config{Bounds: gen.Bounds{MaxWeight: 7}})
	want := "ipafuzz 1 ipamir\nsoft -1 1\nsoft -2 7\nsolve\nobj\nmodel\n"
	if text := made(t, g, 1<<33); text != want || !g.Fitted() ||
		!strings.Contains(strings.Join(g.Notes(0), "\n"), "fitted to the target") {
		t.Errorf("made, fitted: %v\n%s", g.Fitted(), text)
	}
}

// TestFaults: a mistake of the generator is a Fault with its reason and the command.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		command string
		reason  Reason
		says    string
	}{
		{"echo broken {seed} >&2; exit 3", Failed, "ended with exit code 3: broken 7"},
		{"kill -SEGV $$; : {seed}", Failed, "was ended by signal 11"},
		{"/nonexistent/generator {seed}", Failed, "ended with exit code 127: "},
		{"yes 'h 1 0 {seed}'", TooMuch, "prints more than 1000 bytes"},
		{"echo 'p cnf 2 1'; echo '1 x{seed} 0'", NotLegal, "printed an illegal file: 2:3: want "},
		{"echo 'p cnf 2 2'; echo '1 0'; : {seed}", NotLegal, "want 2 clauses"},
		{": {seed}", NotLegal, "printed an illegal file"},
		{"echo 1 $(date +%N) 0; : {seed}", Unrepeatable, "prints something else"},
		{"sleep 100 & echo 1 1 0; : {seed}", Failed, "keeps its output open"},
	} {
		g := generator(t, c.command, gen.Config{})
		var made trace.Trace
		err := g.Make(t.Context(), 7<<33, &made)
		var fault *Fault
		if !errors.As(err, &fault) || fault.Reason != c.reason || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s: %s", c.command, err, c.reason, c.says)
		}
		if fault != nil && fault.Command != commandFor(c.command, 7<<33) {
			t.Errorf("%s: the fault names the command %q", c.command, fault.Command)
		}
	}
}

// TestSlow: when its time is over, or on an interrupt, a generator and its children end. Only the first is a fault.
func TestSlow(t *testing.T) {
	g := generator(t, "sleep 600 | sleep 600; : {seed}", gen.Config{})
	for _, limit := range []time.Duration{50 * time.Millisecond, 1} { // 1 ns is over before the program starts
		g.config.Limits.Time = limit
		var fault *Fault
		if err := g.Make(t.Context(), 0, new(trace.Trace)); !errors.As(err, &fault) || fault.Reason != TooSlow {
			t.Errorf("%v, want a time-out after %v", err, limit)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	g.config.Limits.Time = 0
	if err := g.Make(ctx, 0, new(trace.Trace)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the interrupt and no fault", err)
	}
}

func TestNoSeed(t *testing.T) {
	_, err := New(Config{Command: "echo 1 1 0", Traces: gen.Config{Model: apimodel.IPAMIR}})
	if err == nil || !strings.Contains(err.Error(), "neither {seed} nor {seed64}") {
		t.Errorf("%v", err)
	}
}
