package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// On a terminal the status is one line that is written over; elsewhere (a log
// file, CI) it is a plain line now and then. Nothing of it goes to stdout.
type status struct {
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

func newStatus(out *os.File, total time.Duration) *status {
	return &status{out: out, terminal: term.IsTerminal(int(out.Fd())), total: total}
}

// show keeps the status up to date until the function that it returns is called.
func (s *status) show(c *campaign.Campaign) (stop func()) {
	interval := plainLine
	if s.terminal {
		interval = redraw
	}
	end := every(interval, func() { s.draw(c.Stats()) })
	return func() {
		end()
		s.erase()
	}
}

func (s *status) draw(stats stats.Stats) {
	text := fmt.Sprintf("%s  %s traces  %s/s  %s solves  %d findings",
		s.clock(stats.Elapsed), count(stats.Traces), count(uint64(stats.TracesPerSecond())), count(stats.Solves), stats.Findings)
	if stats.Deaths > 0 {
		text += fmt.Sprintf("  %s deaths", count(stats.Deaths))
	}
	s.text(text)
}

// text puts a text in the place of the status.
func (s *status) text(text string) {
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

func (s *status) clock(elapsed time.Duration) string {
	text := elapsed.Truncate(time.Second).String()
	if s.total > 0 {
		text += fmt.Sprintf(" (%s left)", max(0, s.total-elapsed).Round(time.Second))
	}
	return text
}

// line writes a line above the status.
func (s *status) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		io.WriteString(s.out, eraseLine)
		s.drawn = false
	}
	fmt.Fprintln(s.out, text)
}

func (s *status) erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		io.WriteString(s.out, eraseLine)
		s.drawn = false
	}
}

// things counts what has a regular plural.
func things(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return count(uint64(n)) + " " + one
}

// count prints a number with separators: 1,234,567.
func count(n uint64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
