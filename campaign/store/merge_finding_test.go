package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestVarieties checks which findings of one key Merge keeps apart.
func TestVarieties(t *testing.T) {
	t.Parallel()
	stored := func(name string, why cause.Cause, at string) *StoredFinding {
		s := &StoredFinding{Dir: filepath.Join(t.TempDir(), name), FindingRecord: FindingRecord{
			Record: trial.Record{Key: oracle.Key{Target: "t", Class: "2.1", Detail: "d"}, Class: "2.1", Detail: "d"},
			Cause:  why, Facts: Facts{Location: at}}}
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
	varieties, err := varietiesOf([]*StoredFinding{
		stored("a", "tautology", ""), stored("b", cause.Nothing, ""), stored("c", "incremental", ""), stored("d", "", ""),
		stored("e", "tautology + incremental", ""), stored("f", cause.Nothing, "f.c:1"), stored("g", "", "f.c:1"),
	})
	if err != nil {
		t.Fatal(err)
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
