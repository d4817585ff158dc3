package pipe

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

func shell(script string) *replay.Target {
	return &replay.Target{Name: "shell", Command: []string{"sh", "-c", script}, Model: apimodel.IPAMIR}
}

// TestLateGreeting: a runner that does not finish its greeting is ended.
func TestLateGreeting(t *testing.T) {
	defer func(before time.Duration) { greetingTime = before }(greetingTime)
	greetingTime = 2 * time.Second
	for _, said := range []string{"", `ipafuzz-runner 1\nmodel ipamir\n`} {
		err := Resolve(shell("printf '"+said+"'; sleep 1000"), nil)
		var unusable *replay.TargetError
		want := `it exceeded the wall time limit before it said "ready"`
		if !errors.As(err, &unusable) || !strings.Contains(unusable.Reason, want) {
			t.Errorf("after %q: %v, want %q", said, err, want)
		}
	}
}

// TestBugOfIpafuzz: when the watchdog panics, its runner is ended, the queue returns
// the panic, and no trace gets the blame.
func TestBugOfIpafuzz(t *testing.T) {
	target := shell(`printf 'ipafuzz-runner 1\nmodel ipamir\nready\n'; sleep 1000`)
	q, err := driver{}.OpenQueue(target, replay.Persistent, replay.DefaultLimits, replay.DefaultQueue)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	first := q.(*queue).first
	first.Guard(func() { panic("a bug") })
	<-first.Exited
	tr := &trace.Trace{Model: apimodel.IPAMIR}
	tr.Plain(0, apimodel.OpSolve)
	if _, err = q.Post(&replay.Batch{Traces: []*trace.Trace{tr}}); err == nil {
		_, err = q.Collect()
	}
	if bug := new(caught.Panic); !errors.As(err, &bug) || bug.Value != "a bug" {
		t.Errorf("the error is %v", err)
	}
}

// TestStartEnds: the end of a context ends a runner that takes long to start.
func TestStartEnds(t *testing.T) {
	target, options := shell("printf 'ipafuzz-runner 1\\n'; sleep 1000"), replay.DefaultQueue
	ctx, end := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer end()
	options.Starting = ctx
	if _, err := (driver{}).OpenQueue(target, replay.Fork, replay.DefaultLimits, options); !errors.Is(err, ctx.Err()) {
		t.Errorf("error %v", err)
	}
}
