package campaign

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExpectingOfExtensions checks that right answers take the calls of extensions into
// account.
func TestExpectingOfExtensions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ calls, want string }{
		{"ipafuzz 1 ipasir+cadical\nadd 1 0\nconstrain -1 0\nsolve\nsolve\n",
			"ipafuzz 2 ipasir+cadical\nadd 1 0\nconstrain -1 0\nsolve want 20\nsolve want 10\n"},
		{"ipafuzz 1 ipasir+cadical\nadd 1 0\nassume -1\nsimplify\nsolve\n",
			"ipafuzz 2 ipasir+cadical\nadd 1 0\nassume -1\nsimplify\nsolve want 10\n"},
		{"ipafuzz 1 ipasir+cadical\nadd 1 0\nlimit-conflicts 0\nsolve\nsolve\n",
			"ipafuzz 2 ipasir+cadical\nadd 1 0\nlimit-conflicts 0\nsolve\nsolve want 10\n"},
		{"ipafuzz 1 ipasir+enumerate\nadd 1 0\nassume -1\nenumerate 5\nsolve\n",
			"ipafuzz 2 ipasir+enumerate\nadd 1 0\nassume -1\nenumerate 5\nsolve want 10\n"},
	} {
		tr, err := trace.ParseString(c.calls)
		if err != nil {
			t.Fatal(err)
		}
		expecting, _, err := trial.Expecting(t.Context(), tr)
		if err != nil {
			t.Fatal(err)
		}
		if got := expecting.String(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
