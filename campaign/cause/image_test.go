package cause

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

func randomTrace(t *testing.T, r *rand.Rand) *trace.Trace {
	t.Helper()
	var text strings.Builder
	lit := func() int { return (1 + r.IntN(5)) * (1 - 2*r.IntN(2)) }
	for range 3 + r.IntN(8) {
		switch r.IntN(6) {
		case 0:
			fmt.Fprintf(&text, "soft %d %d\n", lit(), 1+r.IntN(3))
		case 1:
			fmt.Fprintf(&text, "assume %d\n", lit())
		case 2:
			fmt.Fprintln(&text, "solve")
		case 3:
			fmt.Fprintf(&text, "hard %d\nhard %d 0\n", lit(), lit()) // one clause in two calls
		default:
			fmt.Fprintf(&text, "hard %d %d 0\n", lit(), lit())
		}
	}
	return parse(t, text.String()+"solve\n")
}

// TestImages checks that images pose the same problems: they have the same right answers.
func TestImages(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 7))
	images := 0
	for range 300 {
		one := randomTrace(t, r)
		answers := rightOf(one)
		for _, image := range Images(one) {
			images++
			if image.String() == one.String() {
				t.Fatalf("an image is the trace itself:\n%s", one)
			}
			if its := rightOf(image); !reflect.DeepEqual(its, answers) {
				t.Fatalf("%v and %v:\n%s\n%s", answers, its, one, image)
			}
		}
	}
	if images < 900 {
		t.Errorf("only %d images", images)
	}
}

// TestOptionIsNeeded checks that a failure needs an option only if no image fails without it.
func TestOptionIsNeeded(t *testing.T) {
	one := parse(t, "option phase true\nhard 1 2 0\nsolve\n")
	versions := Named("option").Versions(one)
	if len(versions) < 2 {
		t.Fatalf("%d versions", len(versions))
	}
	for _, n := range versions {
		if strings.Contains(n.Trace.String(), "option") || len(n.Shared) != 1 || n.Shared[0].Version != 1 {
			t.Errorf("%+v\n%s", n.Shared, n.Trace)
		}
	}
	if turned := versions[1].Trace.String(); !strings.Contains(turned, "hard -1 -2 0") {
		t.Errorf("the first image does not turn all polarities:\n%s", turned)
	}
}

// TestShape checks that the shape of a trace is that of its images.
func TestShape(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 3))
	differ := 0
	for range 200 {
		one, another := randomTrace(t, r), randomTrace(t, r)
		if Shape(one) != Shape(another) {
			differ++
		}
		for _, image := range Images(one) {
			if Shape(image) != Shape(one) {
				t.Fatalf("the shape changes:\n%s\n%s\n%s\n%s", one, image, Shape(one), Shape(image))
			}
		}
	}
	if differ < 150 {
		t.Errorf("of 200 pairs of traces %d have one shape", 200-differ)
	}
}
