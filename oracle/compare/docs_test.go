package compare

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestTheVotingPageHasTheNumbers compares docs/comparing.md with the constants.
func TestTheVotingPageHasTheNumbers(t *testing.T) {
	text, err := os.ReadFile("../../docs/comparing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{
		fmt.Sprintf("At least %d votes, and more than half of them", votersNeeded),
		fmt.Sprintf("With %d targets or more, a solve that took more than %d times", votersNeeded, defaultFactor),
		fmt.Sprintf("Below %v and %d MiB nothing is too much", leastTime, leastMemory>>20),
		fmt.Sprintf("| 20 | a checked model exists | %s |", oracle.ClaimsNoSolution),
		fmt.Sprintf("| 10 or 30 | it is proven that there is no solution | %s |", oracle.ClaimsSolution),
		fmt.Sprintf("| 30, o_solver = o_model | o_min is smaller | %s |", oracle.NotOptimal),
		fmt.Sprintf("or the optimum is proven | %s |", oracle.AllValuesDiffer),
		fmt.Sprintf("only one of o_solver and o_model is known | o_min is smaller | %s |", oracle.OneValueDiffers),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/comparing.md must say %q", want)
		}
	}
}
