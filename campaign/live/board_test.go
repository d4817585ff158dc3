package live

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// running is a campaign that makes no progress.
type running struct {
	samples  []Sample // returned in turn; the last one again and again
	findings []Finding
	asked    int
	paused   bool
	stopped  bool
}

func (r *running) Sample() Sample {
	s := r.samples[min(r.asked, len(r.samples)-1)]
	s.Paused = r.paused
	r.asked++
	return s
}
func (r *running) Findings() []Finding { return r.findings }
func (r *running) Pause(p bool)        { r.paused = p }
func (r *running) Stop()               { r.stopped = true }

func sampleAt(second int) Sample {
	n := uint64(second)
	return Sample{Elapsed: time.Duration(second) * time.Second, Found: "2 faults (3 findings)",
		Faults: 2, Findings: 3, Doubtful: 1,
		Process: Process{CPU: time.Duration(second) * 1900 * time.Millisecond, Own: 96 << 20, Children: 310 << 20, Count: 7},
		Targets: []Target{
			{Name: "ref:defect=redeclare-adds", Traces: 5000 * n, Solves: 21000 * n,
				Library: time.Duration(second) * 300 * time.Millisecond, Busy: time.Duration(second) * time.Second,
				Faults: 1, Findings: map[string]int{"2.1": 2, "2.3": 1}},
			{Name: "build/libz3.so", Traces: 60 * n, Solves: 250 * n, Deaths: n,
				Library: time.Duration(second) * 800 * time.Millisecond, Busy: time.Duration(second) * time.Second,
				Findings: map[string]int{"1.5": 12}},
		},
		Kinds: []Kind{
			{"tiny/1", stats.ProfileUse{Traces: 4000 * n, Sampled: 125 * n, WithHard: 120 * n, WithSoft: 110 * n, Unit: 20 * n,
				Small: 100 * n,
				Hard:  stats.Range{Max: 14, Sum: 700 * n}, Soft: stats.Range{Max: 9, Sum: 400 * n},
				Vars: stats.Range{Min: 1, Max: 12, Sum: 800 * n}}},
			{"encodings/1", stats.ProfileUse{Traces: 1060 * n, Sampled: 30 * n, WithHard: 30 * n, WithSoft: 30 * n, Unit: 3 * n,
				Small: 30 * n,
				Hard:  stats.Range{Min: 12, Max: 1204, Sum: 9000 * n}, Soft: stats.Range{Min: 2, Max: 60, Sum: 700 * n},
				Vars: stats.Range{Min: 10, Max: 480, Sum: 3000 * n}}},
		}}
}

var keyB = oracle.Key{Target: "ref:defect=redeclare-adds", Class: oracle.NotOptimal, Detail: "not optimal"}

func board(width, height int) (*Board, *running) {
	r := &running{samples: []Sample{sampleAt(10), sampleAt(14)}, findings: []Finding{
		{Key: oracle.Key{Target: "c"}, Target: "build/libz3.so", Title: "1.5 segmentation fault: in solve",
			Elapsed: 12 * time.Second, Original: 48, Calls: 48, Reducing: true},
		{Key: keyB, Target: "ref:defect=redeclare-adds",
			Title: "needs the same soft literal declared twice with different weights", Why: "2.1 not optimal", Findings: 2,
			Also: "2.3 one value differs: objective is not the optimum", Possibly: "nothing-12ab34",
			Elapsed: 3 * time.Second, Original: 120, Calls: 7, Tests: 812,
			Observed: "optimum 4 claimed", Expected: "the optimum 3; a solution of that cost: 1 -2",
			Known:  "exhaustive search over 2 variables",
			Dir:    "out/findings/2.1-not-optimal",
			Replay: "ipafuzz replay out/findings/2.1-not-optimal/minimal.trace --target ref:defect=redeclare-adds",
			Trace:  "ipafuzz 2 ipamir\nhard 1 2 0\nsoft 1 5\nsoft 1 3\nsoft 2 4\nsolve want 30\nobj = 4, want 3\n"},
		{Key: oracle.Key{Target: "a"}, Target: "ref:defect=redeclare-adds", Title: "2.3 one value differs \x1b[31mred",
			Elapsed: time.Second, Original: 31, Calls: 31, Again: true},
	}}
	b := NewBoard(Heading{Title: "ref:defect=redeclare-adds, build/libz3.so (ipamir)", Seed: 0x2a, Total: time.Minute,
		Out: "out"}, r, width, height)
	b.Init()
	b.Update(tick{})
	return b, r
}

func press(b *Board, keys ...rune) {
	for _, key := range keys {
		b.Update(tea.KeyPressMsg(tea.Key{Code: key, Text: string(key)}))
	}
}

// TestGolden compares the content with the files in testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		width, height int
		do            func(*Board)
	}{
		{"wide", 140, 30, func(*Board) {}},
		{"narrow", 80, 24, func(*Board) {}},
		{"low", 80, 12, func(*Board) {}},
		{"open-wide", 140, 30, func(b *Board) { press(b, 'j', 'o') }},
		{"open-narrow", 80, 24, func(b *Board) { press(b, 'j', 'o') }},
		{"paused", 80, 24, func(b *Board) { press(b, 'p') }},
		{"ending", 80, 24, func(b *Board) { press(b, 'q') }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := board(c.width, c.height)
			c.do(b)
			drawn := ansi.Strip(b.Content()) + "\n"
			lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
			if len(lines) != c.height {
				t.Errorf("%d lines, want the terminal's %d", len(lines), c.height)
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > c.width {
					t.Errorf("%d columns, the terminal has %d: %q", w, c.width, line)
				}
			}
			file := filepath.Join("testdata", fmt.Sprintf("%s.txt", c.name))
			if *update {
				if err := os.WriteFile(file, []byte(drawn), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || drawn != string(want) {
				t.Errorf("%v; drawn:\n%swant (-update rewrites it):\n%s", err, drawn, want)
			}
		})
	}
}

// TestPutOff checks that a high dashboard says which kind of traces was put off.
func TestPutOff(t *testing.T) {
	for height, want := range map[int]bool{low: true, low - 1: false} {
		b, r := board(narrow, height)
		r.samples[1].PutOff = "Put off 3 traces"
		b.Update(tick{})
		if got := strings.Contains(b.Content(), "Put off 3 traces"); got != want {
			t.Errorf("%d lines: shown %t", height, got)
		}
	}
}

// TestKeys checks that keys reach the campaign.
func TestKeys(t *testing.T) {
	t.Parallel()
	b, r := board(80, 24)
	if press(b, 'p'); !r.paused || !b.history.last().Paused {
		t.Error("p does not pause")
	}
	if press(b, 'p'); r.paused {
		t.Error("p again does not go on")
	}
	press(b, 'j', 'j', 'j', 'k')
	if b.findings[b.cursor()].Key != keyB {
		t.Errorf("the cursor is at %d", b.cursor())
	}
	r.findings = append([]Finding{{Key: oracle.Key{Target: "d"}, Title: "newer"}}, r.findings...)
	if b.Update(tick{}); b.findings[b.cursor()].Key != keyB {
		t.Error("a newer finding moves the cursor")
	}
	b.Update(tea.KeyPressMsg(tea.Key{Code: tea.KeyEnter}))
	if !b.open || !strings.Contains(b.Content(), "optimum 4 claimed") {
		t.Error("enter does not open the finding")
	}
	b.Update(tea.KeyPressMsg(tea.Key{Code: tea.KeyEscape}))
	if b.open {
		t.Error("esc does not close it")
	}
	if strings.Contains(b.Content(), "\x1b[31mred") {
		t.Error("text of a target steers the terminal")
	}
	press(b, 'p', 'q')
	if !r.stopped || r.paused {
		t.Error("q does not end the run, or leaves it paused")
	}
	if _, command := b.Update(Ended{}); command == nil || command() != tea.Quit() {
		t.Error("Ended does not end the dashboard")
	}
}

// TestNarrow checks that a narrow terminal still shows where the time goes and which library a row is about.
func TestNarrow(t *testing.T) {
	t.Parallel()
	sample := sampleAt(10)
	for i := range sample.Targets {
		sample.Targets[i].Name = fmt.Sprintf("/home/me/solvers/build/release/%s%d.so", strings.Repeat("long-", 8), i)
	}
	b := NewBoard(Heading{Title: "libs"}, &running{samples: []Sample{sample}}, 80, 24)
	b.Init()
	for _, want := range []string{"waiting 0.0s\n", "confirming 0.0s, reducing 0.0s\n", "long-1.so  "} {
		if got := ansi.Strip(b.Content()); !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}

// TestManyTargets checks that targets leave room for faults.
func TestManyTargets(t *testing.T) {
	t.Parallel()
	for _, height := range []int{12, 24} {
		b, r := board(80, height)
		for i := range r.samples {
			for len(r.samples[i].Targets) < 30 {
				r.samples[i].Targets = append(r.samples[i].Targets, r.samples[i].Targets[1])
			}
		}
		b.Update(tick{})
		for _, want := range []string{"1.5 segmentation fault", "120 → 7 calls", " more\n"} {
			if got := ansi.Strip(b.Content()); !strings.Contains(got, want) {
				t.Errorf("%d lines: %q is missing:\n%s", height, want, got)
			}
		}
	}
}

// TestContentFits checks that the content fits on a terminal of any size, except that it has at least two
// lines. The last line names the keys.
func TestContentFits(t *testing.T) {
	t.Parallel()
	fits := func(b *Board, width, height int, keys string) {
		t.Helper()
		lines := strings.Split(ansi.Strip(b.Content()), "\n")
		if want := max(height, 2); len(lines) != want {
			t.Errorf("%d×%d, %s: %d lines, want %d", width, height, keys, len(lines), want)
		}
		for _, line := range lines {
			if w := ansi.StringWidth(line); w > width {
				t.Errorf("%d×%d, %s: %d columns: %q", width, height, keys, w, line)
			}
		}
		foot := strings.TrimSuffix(lines[len(lines)-1], "…")
		if width >= 2 && (foot == "" || !strings.HasPrefix("↑↓ choose a fault", foot) &&
			!strings.HasPrefix("esc back   ↑↓ scroll", foot)) {
			t.Errorf("%d×%d, %s: the last line is %q", width, height, keys, foot)
		}
	}
	for width := range 12 {
		for height := range 12 {
			b, _ := board(width, height)
			fits(b, width, height, "")
			press(b, 'o', 'j')
			fits(b, width, height, "oj")
		}
	}
}

// TestEmptyBoard checks that a campaign without traces can be shown and accepts keys.
func TestEmptyBoard(t *testing.T) {
	t.Parallel()
	empty := NewBoard(Heading{}, &running{samples: []Sample{{}}}, 80, 24)
	empty.Init()
	press(empty, 'j', 'o', 'k')
	if drawn := ansi.Strip(empty.Content()); !strings.Contains(drawn, "0 findings") ||
		!strings.Contains(drawn, "0 traces, 0/s") {
		t.Errorf("drawn:\n%s", drawn)
	}
}

// TestObserve checks that the memory of this process is known.
func TestObserve(t *testing.T) {
	t.Parallel()
	p, err := Observe()
	if err != nil || p.Own == 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestFaults checks that findings are grouped, and that those being reduced are not.
func TestFaults(t *testing.T) {
	t.Parallel()
	small := &trace.Trace{Model: apimodel.IPAMIR}
	small.Plain(0, apimodel.OpSolve)
	seen := func(class oracle.Class, at string, elapsed time.Duration, status store.Status) *store.Finding {
		return &store.Finding{Status: status, Finding: oracle.Finding{Class: class}, Target: "a",
			Facts: store.Facts{Location: at}, Original: small, Minimal: small, Elapsed: elapsed, Dir: "out"}
	}
	all := []*store.Finding{seen("1.5", "f.c:1", 9, store.Confirmed), seen("1.5", "f.c:2", 1, store.Finished),
		seen("1.1", "f.c:1", 2, store.Finished), seen("1.5", "f.c:1", 5, store.Finished)}
	asked := 0
	faults := NewFaults(func() []*store.Finding { asked++; return all })
	groups, busy := faults.Now()
	if len(groups) != 2 || len(busy) != 1 {
		t.Fatalf("%d faults and %d reductions, want 2 and 1", len(groups), len(busy))
	}
	if newest := newestFirst(groups); newest[0].Location != "f.c:1" || newest[1].Location != "f.c:2" {
		t.Errorf("the newest is at %s", newest[0].Location)
	}
	if got := faults.Count(); got != "2 faults (3 findings)" {
		t.Errorf("a stored finding that is reduced again: %s", got)
	}
	all[0].Key.Detail, faults.at = "another", time.Time{}
	if got := faults.Count(); got != "2 faults (3 findings), 1 more being reduced" {
		t.Errorf("a finding that is being reduced: %s", got)
	}
	watch := &Watch{Grouped: faults, Config: campaign.Config{Cells: []source.Cell{{Target: &replay.Target{}}}}}
	if rows := watch.Findings(); len(rows) != 3 || rows[0].Reducing || !rows[2].Reducing {
		t.Errorf("the %d rows do not end with the reduction", len(rows))
	}
	asked, faults.took = 1, time.Hour
	if again, _ := faults.Now(); asked != 1 || len(again) != 2 {
		t.Errorf("an expensive grouping is repeated at once (%d times)", asked)
	}
	faults.took = 0
	all = all[:2]
	if again, _ := faults.Now(); asked != 2 || len(again) != 1 {
		t.Errorf("a cheap grouping is not repeated: %d faults", len(again))
	}
}
