package live

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestThePageHasTheMetrics: docs/live.md lists all metrics.
func TestThePageHasTheMetrics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	s := sampleAt(1)
	names := regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(string(AppendMetrics(nil, &s)), -1)
	if len(names) < 10 {
		t.Fatalf("only %d metrics", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name[1]+"`") {
			t.Errorf("docs/live.md says nothing of %s", name[1])
		}
	}
}
