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

// TestSilentRunner: a runner that answers nothing does not cost the patience of every check.
func TestSilentRunner(t *testing.T) {
	usual := sessionPatience
	sessionPatience = 100 * time.Millisecond
	t.Cleanup(func() { sessionPatience = usual })
	checked, err := CheckRunner(shell("echo ipafuzz-runner 1; echo model ipamir; echo ready; sleep 1000"),
		replay.DefaultLimits)
	if err != nil || len(checked) != len(checks) {
		t.Fatalf("%v, %d of %d checks", err, len(checked), len(checks))
	}
	for i, c := range checked {
		if silent := i < mostSilent; silent != (c.Wrong != "") || silent != (c.Absent == "") {
			t.Errorf("check %d, %s: wrong %q, absent %q", i, c.Name, c.Wrong, c.Absent)
		}
	}
}

// TestLateGreeting: a runner that does not finish its greeting is ended.
func TestLateGreeting(t *testing.T) {
	defer func(before time.Duration) { greetingTime = before }(greetingTime)
	greetingTime = 2 * time.Second
	for _, said := range []string{"", `ipafuzz-runner 1\nmodel ipamir\n`} {
		err := Resolve(t.Context(), shell("printf '"+said+"'; sleep 1000"), nil)
		var unusable *replay.TargetError
		want := `it did not say "ready" within 2s`
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

// FuzzGreeting: what a runner says first is an error with a text, or a description that has a model.
func FuzzGreeting(f *testing.F) {
	for _, text := range []string{
		"ipafuzz-runner 1\nmodel ipamir\n", "ipafuzz-runner 2\n", "hello", "ipafuzz-runner 1\nmodel x",
		"ipafuzz-runner 1\r\nsignature a b\nrepeatable\nmodel ipasir\noption phase bool false\nmax-vars 10\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var g greeting
		d, err := g.parse([]byte(text))
		if (err == nil) != (d != nil) || err == nil && len(d.Models) == 0 || err != nil && err.Error() == "" {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	})
}
