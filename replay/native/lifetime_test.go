package native

import (
	"slices"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestLifetimeOfWarmProcess: the longer the first trace takes, the longer its process lives.
func TestLifetimeOfWarmProcess(t *testing.T) {
	for took, least := range map[time.Duration]time.Duration{time.Millisecond: 0, time.Second: starts * time.Second} {
		var l lifetime
		l.begins(0)
		begun := l.ends
		l.warmed(took)
		if least == 0 && l.ends != begun || time.Until(l.ends) < least-shortest {
			t.Errorf("after a first trace of %v, the process ends in %v", took, time.Until(l.ends))
		}
	}
}

// TestLifetime checks that a process that has run for its lifetime is replaced between two
// batches, and that no answer is lost.
func TestLifetime(t *testing.T) {
	for _, row := range []struct {
		way      replay.Way
		expired  bool
		replaced bool
	}{
		{replay.Persistent, true, true},
		{replay.Persistent, false, false},
		{replay.Fork, true, false}, // its traces have processes of their own
	} {
		target := &replay.Target{Name: "ref"}
		if err := ResolveBuiltIn(target, apimodel.IPAMIR); err != nil {
			t.Fatal(err)
		}
		s, err := openStream(target, row.way, replay.DefaultLimits, replay.DefaultQueue)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		tr := &trace.Trace{Model: apimodel.IPAMIR}
		tr.Plain(0, apimodel.OpSolve)
		for range 2 {
			if _, err := s.Post(&replay.Batch{Traces: []*trace.Trace{tr, tr}}); err != nil {
				t.Fatal(err)
			}
		}
		before := s.process.PID
		if row.expired {
			s.age.ends = time.Now()
		}
		for n := range 2 {
			b, err := s.Collect()
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Runs {
				if run := &b.Runs[i]; run.End != trace.Finished || run.Answers.At(0).Num != 30 {
					t.Errorf("%s, batch %d, trace %d: it ended as %v", row.way, n, i, run.End)
				}
			}
		}
		if replaced := s.process.PID != before; replaced != row.replaced {
			t.Errorf("%s, expired %t: replaced %t, want %t", row.way, row.expired, replaced, row.replaced)
		}
	}
}

// TestLuby checks the order of short and long lifetimes.
func TestLuby(t *testing.T) {
	var got []uint
	for n := range uint(15) {
		got = append(got, luby(n+1))
	}
	if want := []uint{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("the sequence begins with %v, want %v", got, want)
	}
}
