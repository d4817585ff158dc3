package native

import (
	"errors"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestBugOfIpafuzz: when the watchdog panics, its worker is ended, the queue returns
// the panic, and no trace gets the blame.
func TestBugOfIpafuzz(t *testing.T) {
	for _, way := range []replay.Way{replay.Persistent, replay.Fork} {
		target := &replay.Target{Name: "ref"}
		if err := ResolveBuiltIn(target, apimodel.IPAMIR); err != nil {
			t.Fatal(err)
		}
		s, err := openStream(target, way, replay.DefaultLimits, replay.DefaultQueue)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.process.Guard(func() { panic("a bug") })
		<-s.process.Exited
		tr := &trace.Trace{Model: apimodel.IPAMIR}
		tr.Plain(0, apimodel.OpSolve)
		if _, err = s.Post(&replay.Batch{Traces: []*trace.Trace{tr}}); err == nil {
			_, err = s.Collect()
		}
		if bug := new(caught.Panic); !errors.As(err, &bug) || bug.Value != "a bug" {
			t.Errorf("%s: the error is %v", way, err)
		}
	}
}
