package campaign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestProvenReplacesVoted checks that a proven finding replaces a voted one of the same
// key, in memory and in the directory, and never the other way round.
func TestProvenReplacesVoted(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipasir")
	config.Out = t.TempDir()
	finding := func(c *Campaign, voted bool, known string) *store.Finding {
		tr, err := trace.ParseString("ipafuzz 1 ipasir\nsolve\n")
		if err != nil {
			t.Fatal(err)
		}
		f := &store.Finding{Finding: oracle.Finding{Class: oracle.ClaimsSolution, Weight: oracle.NoWeights,
			Detail: "claims a solution", Voted: voted, Known: known},
			Target: "ref", Original: tr, Minimal: tr}
		f.Key = f.Finding.Key(f.Target)
		return f
	}
	stored := func(dir string) (record store.FindingRecord) {
		text, err := os.ReadFile(filepath.Join(dir, "finding.json"))
		if err == nil {
			err = json.Unmarshal(text, &record)
		}
		if err != nil {
			t.Fatal(err)
		}
		return record
	}
	for _, row := range []struct {
		known string
		voted bool
		want  string
	}{
		{"2 of 3", true, "2 of 3"}, {"3 of 4", true, "2 of 3"}, {"a proof", false, "a proof"},
		{"another proof", false, "a proof"}, {"3 of 3", true, "a proof"},
	} {
		for _, fresh := range []bool{true, false} { // the directory is of an earlier run, or of the same run
			c, err := New(config)
			if err != nil {
				t.Fatal(err)
			}
			first := finding(c, true, "2 of 3")
			if fresh {
				first = finding(c, row.voted, row.known)
			}
			err = c.registry.Add(first)
			if err == nil && !fresh {
				if wanted := c.registry.Wants(first.Key, !row.voted); wanted == row.voted && !c.registry.Found()[0].Again {
					t.Errorf("%s: wanted %v", row.known, wanted)
				}
				err = c.registry.Add(finding(c, row.voted, row.known))
			}
			if err != nil {
				t.Fatal(err)
			}
			found := c.registry.Found()
			if len(found) != 1 || found[0].Key != first.Key {
				t.Errorf("%s: %d findings", row.known, len(found))
			}
			if got := stored(found[0].Dir); got.Known != row.want || got.Voted != (row.want == "2 of 3") {
				t.Errorf("%s: stored %q, voted %v, want %q", row.known, got.Known, got.Voted, row.want)
			}
			if left, _ := filepath.Glob(filepath.Join(config.Out, ".finding-*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if err := c.store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
