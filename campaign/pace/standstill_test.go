package pace

import (
	"testing"
	"time"
)

// TestStopped checks that time in which the process was stopped is not a standstill, and that time in which
// it ran with nothing to do is one.
func TestStopped(t *testing.T) {
	for _, c := range []struct {
		name    string
		passes  time.Duration
		uses    time.Duration
		waits   time.Duration
		stopped time.Duration
		total   time.Duration
	}{
		{"stopped", 12 * time.Second, 10 * time.Millisecond, time.Second, 12 * time.Second, 0},
		{"busy", 12 * time.Second, 11 * time.Second, 0, 0, 12 * time.Second},
		{"starved", 12 * time.Second, 10 * time.Millisecond, 4 * time.Second, 0, 12 * time.Second},
		{"late", time.Second, 0, 0, 0, time.Second},
	} {
		now, used, waited := time.Now(), time.Duration(0), time.Hour
		s := &Search{clock: func() time.Time { return now }, cpu: func() time.Duration { return used },
			now: func() threadTurns { return threadTurns{"1": {Waited: time.Hour}, "2": {Waited: waited}} }, looked: now}
		s.turns = s.now()
		s.Begin()
		now, used, waited = now.Add(c.passes), used+c.uses, waited+c.waits
		s.Done(0)
		s.End()
		if stood, _ := s.Stood(); stood.Stopped != c.stopped || stood.Total != c.total {
			t.Errorf("%s: stopped for %v, stood still for %v; want %v and %v", c.name, stood.Stopped, stood.Total, c.stopped,
				c.total)
		}
	}
}

// TestFinished checks that a finished search no longer stands still and says how long ago it finished.
func TestFinished(t *testing.T) {
	now := time.Now()
	s := &Search{clock: func() time.Time { return now }, cpu: func() time.Duration { return 0 }, looked: now}
	s.Begin()
	if since := s.Finished(); since != 0 {
		t.Errorf("a search that runs ended %v ago", since)
	}
	s.Finish()
	now = now.Add(time.Second)
	if stood, since := s.Stood(); s.Finished() != time.Second || stood.Total != 0 || since != 0 {
		t.Errorf("ended %v ago, stood still for %v, no trace for %v", s.Finished(), stood.Total, since)
	}
}

// TestDoneBeside checks that the time before a trace that ran beside others is a standstill, except while it ran
// itself, and unless the others end normally.
func TestDoneBeside(t *testing.T) {
	for _, c := range []struct {
		name   string
		ran    time.Duration // how long others ran, which are done 50 ms later
		beside time.Duration // how long the trace ran
		total  time.Duration
	}{
		{"they end well", 350 * time.Millisecond, 0, 0},
		{"one of them does", 150 * time.Millisecond, 0, 200 * time.Millisecond},
		{"they are set aside", 0, 0, 300 * time.Millisecond},
		{"set aside beside a slow trace", 0, 80 * time.Millisecond, 220 * time.Millisecond},
		{"set aside beside a slower one", 0, 250 * time.Millisecond, 0},
		{"one of them ends well beside a slow trace", 150 * time.Millisecond, 80 * time.Millisecond, 120 * time.Millisecond},
	} {
		now := time.Now()
		s := &Search{clock: func() time.Time { return now }, cpu: func() time.Duration { return 0 }, looked: now}
		s.Begin()
		now = now.Add(300 * time.Millisecond)
		s.DoneBeside(c.beside)
		now = now.Add(50 * time.Millisecond)
		s.Done(c.ran)
		if stood, _ := s.Stood(); stood.Total != c.total {
			t.Errorf("%s: stood still for %v, want %v", c.name, stood.Total, c.total)
		}
	}
}
