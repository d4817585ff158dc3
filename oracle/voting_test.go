package oracle

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheVotingPageHasTheNumbers compares docs/comparing.md with the constants.
func TestTheVotingPageHasTheNumbers(t *testing.T) {
	text, err := os.ReadFile("../docs/comparing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{
		fmt.Sprintf("At least %d votes, and more than half of them", votersNeeded),
		fmt.Sprintf("With %d targets or more, a solve that took more than %d times", votersNeeded, defaultFactor),
		fmt.Sprintf("Below %v and %d MiB nothing is too much", leastTime, leastMemory>>20),
		fmt.Sprintf("| 20 | a checked model exists | %s |", ClaimsNoSolution),
		fmt.Sprintf("| 10 or 30 | it is proven that there is no solution | %s |", ClaimsSolution),
		fmt.Sprintf("| 30, o_solver = o_model | o_min is smaller | %s |", NotOptimal),
		fmt.Sprintf("or the optimum is proven | %s |", AllValuesDiffer),
		fmt.Sprintf("only one of o_solver and o_model is known | o_min is smaller | %s |", OneValueDiffers),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/comparing.md must say %q", want)
		}
	}
}
