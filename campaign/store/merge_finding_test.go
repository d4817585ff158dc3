package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestVarieties checks which findings of one key Merge keeps apart.
func TestVarieties(t *testing.T) {
	t.Parallel()
	stored := func(name string, why cause.Cause, at string) *FindingRecord {
		s := &FindingRecord{Dir: filepath.Join(t.TempDir(), name),
			Record: trial.Record{Key: oracle.Key{Target: "t", Class: "2.1", Detail: "d"}, Class: "2.1", Detail: "d"},
			Cause:  why, Facts: Facts{Location: at}}
		if err := os.Mkdir(s.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"original.trace", "minimal.trace"} {
			if err := os.WriteFile(filepath.Join(s.Dir, file), []byte("ipafuzz 1 ipamir\nsolve\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	varieties, err := varietiesOf([]*FindingRecord{
		stored("a", "tautology", ""), stored("b", cause.Nothing, ""), stored("c", "incremental", ""), stored("d", "", ""),
		stored("e", "tautology + incremental", ""), stored("f", cause.Nothing, "f.c:1"), stored("g", "", "f.c:1"),
	})
	if err != nil {
		t.Fatal(err)
	}
	undecided := stored("i", "", "")
	undecided.Undecided = true
	same, err := varietiesOf([]*FindingRecord{undecided, stored("h", "tautology", "")})
	if err != nil || len(same) != 1 || len(same[0]) != 2 {
		t.Errorf("an undecided finding is another variety: %v, %v", same, err)
	}
	got := ""
	for _, of := range varieties {
		for _, s := range of {
			got += filepath.Base(s.Dir)
		}
		got += " "
	}
	if got != "bcd fg ae " {
		t.Errorf("varieties %s", fmt.Sprint(got))
	}
}

// TestMergedCommands checks that the commands of a merged finding name the merged directory, even if its name has
// to be quoted.
func TestMergedCommands(t *testing.T) {
	t.Parallel()
	shard := filepath.Join(t.TempDir(), "findings", "t_2.1_d")
	of := &FindingRecord{Dir: shard,
		Record:   trial.Record{Key: oracle.Key{Target: "t", Class: "2.1", Detail: "d"}, Class: "2.1", Detail: "d"},
		Replay:   repro.ReplayCommand("ipafuzz", "", replay.Limits{}, filepath.Join("a b", "t_2.1_d", "minimal.trace"), "t"),
		Continue: repro.MinimizeCommand("ipafuzz", "t.toml", replay.Limits{}, filepath.Join("a b", "t_2.1_d"))}
	if err := os.MkdirAll(shard, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"original.trace", "minimal.trace"} {
		if err := os.WriteFile(filepath.Join(shard, file), []byte("ipafuzz 1 ipamir\nsolve\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := &merger{out: t.TempDir(), program: "ipafuzz", final: "all of it"}
	name, err := m.writeFinding([]*FindingRecord{of}, true)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.TrimPrefix(of.Replay, "ipafuzz replay ")
	if want := "'all of it/findings/" + name + "/minimal.trace' "; !strings.HasPrefix(was, want) {
		t.Errorf("the command to replay is %s, want %s", of.Replay, want)
	}
	want := "ipafuzz minimize 'all of it/findings/" + name + "' --targets-file t.toml"
	if !strings.HasPrefix(of.Continue, want) {
		t.Errorf("the command to go on is %s, want %s", of.Continue, want)
	}
}
