package external

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestThePageHasTheReasons: docs/sources.md names all reasons of faults, the default limits and the placeholders.
func TestThePageHasTheReasons(t *testing.T) {
	page, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{
		fmt.Sprintf("`--generator-time` (%v)", DefaultLimits.Time),
		fmt.Sprintf("more than %d MiB", DefaultLimits.Output>>20),
		"`" + seedPlace + "`",
		"`" + widePlace + "`",
	}
	for _, reason := range []Reason{Failed, TooSlow, TooMuch, NotLegal, Unrepeatable} {
		wanted = append(wanted, "\n| `"+string(reason)+"` |")
	}
	for _, want := range wanted {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/sources.md lacks %q", want)
		}
	}
}
