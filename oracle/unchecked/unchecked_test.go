package unchecked

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestThePageHasTheReasons: docs/judging.md has a row for each reason.
func TestThePageHasTheReasons(t *testing.T) {
	page, err := os.ReadFile("../../docs/judging.md")
	if err != nil {
		t.Fatal(err)
	}
	for r := range reasons {
		if !strings.Contains(string(page), "\n| `"+r.String()+"` |") {
			t.Errorf("docs/judging.md has no row for %s", r)
		}
	}
}

// TestJSON checks that counts survive JSON, and that an unknown reason is an error.
func TestJSON(t *testing.T) {
	t.Parallel()
	var counts, back Counts
	for r := range counts {
		counts[r] = uint64(r)
	}
	text, err := json.Marshal(counts)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &back); err != nil || back != counts {
		t.Errorf("%s became %v: %v", text, back, err)
	}
	if err := json.Unmarshal([]byte(`{"nonsense":1}`), &back); err == nil {
		t.Error("an unknown reason was accepted")
	}
}

// TestText checks that items of one reason are added up, and that those with a name are named.
func TestText(t *testing.T) {
	t.Parallel()
	items := []Item{{Reason: NoTrace, Name: "target b"}, {Reason: TooHard, Count: 1}, {Reason: ProofCut, Count: 1},
		{Reason: TooHard, Count: 2}}
	const want = "Unchecked: target b (none of its traces ran); 3 answers (no check decided it within its limits); " +
		"1 proof (larger than ipafuzz reads)."
	if got := Text(items); got != want {
		t.Errorf("%s", got)
	}
	if got := Text(nil); got != "" {
		t.Errorf("%q without items", got)
	}
}
