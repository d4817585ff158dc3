package replay

import (
	"errors"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/trace"
)

func panics() { panic("a bug") }

// TestBugOfOurs: when what watches a process panics, that is said, the process is
// ended, and its end is no fault of the target.
func TestBugOfOurs(t *testing.T) {
	isSaid := func(t *testing.T, err error) {
		t.Helper()
		if bug := new(caught.Panic); !errors.As(err, &bug) || bug.Value != "a bug" {
			t.Errorf("the error is %v", err)
		}
	}
	for _, way := range []Way{Persistent, Fork} {
		t.Run(string(way), func(t *testing.T) {
			s := openStream(t, resolve(t, "ref", "ipamir"), way, DefaultLimits, 2, 2)
			s.process.guard(panics)
			<-s.process.exited
			_, err := s.Post(&Batch{Traces: []*trace.Trace{calm(t)}})
			if err == nil {
				_, err = s.Collect()
			}
			isSaid(t, err)
		})
	}
	t.Run("pipe", func(t *testing.T) {
		for _, what := range []string{"exits", "hangs"} {
			queue, err := OpenQueue(resolve(t, runnerSpec(what), "ipamir"), Persistent, DefaultLimits, oneTrace)
			if err != nil {
				t.Fatal(err)
			}
			p := queue.(*pipeQueue).p
			p.guard(panics)
			<-p.exited
			_, err = queue.Post(&Batch{Traces: []*trace.Trace{provoked(t)}})
			if err == nil {
				_, err = queue.Collect()
			}
			isSaid(t, err)
			queue.Close()
		}
	})
}
