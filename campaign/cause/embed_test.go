package cause

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

func TestOccurs(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"soft 1 1\nsolve\n", "soft 1 1\nsolve\nobj\n", true},
		{"soft 1 1\nsolve\nobj\n", "soft -7 900\nsolve\nmodel\n", true}, // names, polarity, weights, queries
		{"soft 1 1\nsolve\n", "soft 1 0\nsolve\n", false},               // a weight of 0 is special
		{"soft 1 1\nsoft 1 2\nsolve\n", "soft 1 1\nsoft 2 2\nsolve\n", false},
		{"soft 1 1\nsoft 2 2\nsolve\n", "soft 1 1\nsoft 1 2\nsolve\n", true},
		{"soft 1 1\nsoft -1 2\nsolve\n", "soft 4 1\nhard 1 0\nsoft -4 2\nsolve\n", true},
		{"soft 1 1\nsoft -1 2\nsolve\n", "soft 4 1\nsoft 4 2\nsolve\n", false},
		{"hard 1 2 0\nsoft 1 1\nsolve\n", "soft 2 1\nhard -3 -2 0\nsolve\n", false}, // of the wrong polarity
		{"hard 1 2 0\nsoft 1 1\nsolve\n", "soft -2 1\nhard -3 -2 0\nsolve\n", true},
		{"hard 1 0\nsolve\n", "hard 1 2 0\nsolve\n", false},
		{"hard 1 2 1 0\nsolve\n", "hard 1 1 2 0\nsolve\n", true},
		{"solve\nhard 1 0\nsolve\n", "hard 1 0\nsolve\nsolve\n", false}, // order
		{"solve\nhard 1 0\nsolve\n", "solve\nsolve\nassume 2\nhard 1 0\nsolve\n", true},
		{"hard 1 0\nhard 2 0\nsolve\n", "hard 1 0\nsolve\nhard 2 0\nsolve\n", true},
		{"solve\n", "solve\nhard 1 0\n", true},
		{"hard 1 0\n@1 solve\n", "@3 hard 1 0\n@2 solve\n", true},
		{"hard 1 0\n@1 solve\n", "hard 1 0\nsolve\n", false},
		{"terminate 1\nsolve\n", "terminate 3\nsolve\n", true},
		{"terminate 1\nsolve\n", "terminate off\nsolve\n", false},
		{"option a 1\nsolve\n", "option a 2\nsolve\n", false},
		{"ipafuzz 1 ipasir\nadd 1 0\nsolve\n", "hard 1 0\nsolve\n", false},
		{"ipafuzz 1 ipasir\nadd 1 0\nsolve\n", "ipafuzz 1 ipasir+cadical\nadd 1 0\nsolve\n", true},
	} {
		if got := occurs(parse(t, row.a), parse(t, row.b)); got != row.want {
			t.Errorf("%q in %q: %v, want %v", row.a, row.b, got, row.want)
		}
	}
}

// TestOccursIsBounded checks that traces with many ways to embed take no time. In doubt, a trace occurs.
func TestOccursIsBounded(t *testing.T) {
	a, b := &strings.Builder{}, &strings.Builder{}
	for i := range 60 {
		fmt.Fprintf(a, "hard %d %d %d 0\n", 1+i, 1+(7*i)%60, -1-(i+1)%60)
		fmt.Fprintf(b, "hard %d %d %d 0\n", 1+i, 1+(11*i)%60, -1-(i+2)%60)
	}
	begun := time.Now()
	if !occurs(parse(t, a.String()+"solve\n"), parse(t, b.String()+"solve\n")) {
		t.Error("the search has ended")
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestCopiesOccur checks that a trace occurs in copies of it with other names and more
// calls.
func TestCopiesOccur(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 1))
	for range 200 {
		a, b := &strings.Builder{}, &strings.Builder{}
		name := r.Perm(9)
		lit := func() (int, int) {
			v := r.IntN(4)
			sign := 1 - 2*r.IntN(2)
			return sign * (v + 1), sign * (1 - 2*(name[v]%2)) * (name[v] + 1)
		}
		for range 1 + r.IntN(6) {
			x, to := lit()
			switch r.IntN(4) {
			case 0:
				fmt.Fprintf(a, "hard %d 0\n", x)
				fmt.Fprintf(b, "hard %d 0\nhard 40 0\n", to)
			case 1:
				fmt.Fprintf(a, "soft %d %d\n", x, 1+r.IntN(3))
				fmt.Fprintf(b, "soft %d %d\nassume 3\n", to, 5+r.IntN(3))
			case 2:
				fmt.Fprintf(a, "assume %d\n", x)
				fmt.Fprintf(b, "assume %d\n", to)
			case 3:
				fmt.Fprintf(a, "solve\n")
				fmt.Fprintf(b, "solve\nobj\nsoft 20 1\n")
			}
		}
		one, other := parse(t, a.String()+"solve\n"), parse(t, b.String()+"solve\n")
		if !occurs(one, other) {
			t.Fatalf("does not occur:\n%s\n%s", one, other)
		}
	}
}
