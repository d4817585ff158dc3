// Package terminal prints what people read while ipafuzz runs and when it ends: the status
// line, announcements of findings, and the summary.
package terminal

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/live"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Status shows progress. A terminal has one line that is overwritten; a log file or CI gets a plain line
// now and then. Nothing goes to stdout.
type Status struct {
	out      *os.File
	terminal bool
	total    time.Duration

	mu    sync.Mutex
	drawn bool
}

const (
	redraw    = 200 * time.Millisecond
	plainLine = 10 * time.Second
	eraseLine = "\r\x1b[K"
)

// NewStatus returns a Status for a command that may take total; 0: no limit.
func NewStatus(out *os.File, total time.Duration) *Status {
	return &Status{out: out, terminal: term.IsTerminal(int(out.Fd())), total: total}
}

// show updates the status until stop is called.
func (s *Status) show(c *campaign.Campaign, grouped *live.Faults) (stop func()) {
	end := every(s.interval(), func() { s.draw(c, grouped) })
	return func() {
		end()
		s.Erase()
	}
}

func (s *Status) interval() time.Duration {
	if s.terminal {
		return redraw
	}
	return plainLine
}

// standing is how long no new trace must have run for the status to say why.
const standing = 5 * time.Second

func (s *Status) draw(c *campaign.Campaign, grouped *live.Faults) {
	counted := c.Stats()
	text := s.clock(counted.Elapsed) // a terminal cuts the line, so what matters most comes first
	if since, why := c.Standing(); since > standing && !c.Paused() {
		text += fmt.Sprintf("  no new trace for %s: %s", since.Truncate(time.Second), why)
	}
	text += fmt.Sprintf("  %s  %s/s  %s", printable.Things(counted.Traces, "trace"),
		printable.Count(counted.TracesPerSecond()), grouped.Count())
	text += reducing(c.Reducing()) + "  " + printable.Things(counted.Solves, "solve")
	if mean := counted.MeanSolve(); mean > 0 {
		text += fmt.Sprintf(", %.1f s each", mean.Seconds())
	}
	if deaths := counted.Deaths - counted.SetAside; deaths > 0 {
		text += "  " + printable.Things(deaths, "death")
	}
	if counted.SetAside > 0 {
		text += fmt.Sprintf("  %s set aside", printable.Count(counted.SetAside))
	}
	if f := &counted.FollowUps; f.InProgress > 0 {
		text += "  " + printable.Things(f.InProgress+f.Queued, "follow-up")
	}
	if stopped := counted.FollowUps.Standstill.Stopped; stopped > 0 {
		text += fmt.Sprintf("  stopped for %s", stopped.Round(time.Second))
	}
	s.set(text + "  " + live.Times(&counted))
}

// reducing describes the reduction with the most tests or, if all reductions that began are done, the
// finding whose cause is being determined.
func reducing(views []*store.Finding) string {
	if len(views) == 0 {
		return ""
	}
	v := slices.MaxFunc(views, func(a, b *store.Finding) int {
		return cmp.Or(cmp.Compare(phase(a), phase(b)), cmp.Compare(a.Tests, b.Tests))
	})
	switch {
	case v.Tests == 0:
		return "" // no reduction has begun
	case v.Status == store.Reduced:
		return fmt.Sprintf("  looking for what %s needs", v.Title())
	}
	return fmt.Sprintf("  reducing %s: test %d, %s left", v.Title(), v.Tests,
		printable.Things(v.Size, "call"))
}

// phase orders reductions by what the status shows first: reductions in progress have the highest phase,
// then those that determine a cause, then those that wait.
func phase(v *store.Finding) int {
	switch {
	case v.Tests == 0:
		return 0
	case v.Status == store.Reduced:
		return 1
	}
	return 2
}

func (s *Status) set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal {
		if width, _, err := term.GetSize(int(s.out.Fd())); err == nil && len(text) >= width && width > 0 {
			text = text[:width-1]
		}
		io.WriteString(s.out, eraseLine+text)
		s.drawn = true
		return
	}
	fmt.Fprintln(s.out, text)
}

func (s *Status) clock(elapsed time.Duration) string {
	text := elapsed.Truncate(time.Second).String()
	if s.total > 0 {
		text += fmt.Sprintf(" (%s left)", max(0, s.total-elapsed).Round(time.Second))
	}
	return text
}

// Line prints a line above the status.
func (s *Status) Line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintln(s.out, printable.Text(text))
}

// Erase removes the status.
func (s *Status) Erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *Status) erase() {
	if s.drawn {
		io.WriteString(s.out, eraseLine)
		s.drawn = false
	}
}

// every calls do at each interval until stop is called.
func every(interval time.Duration, do func()) (stop func()) {
	ticker, done, ended := time.NewTicker(interval), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				do()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-ended
	}
}
