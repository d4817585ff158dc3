package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/live"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
)

// liveFlags choose how a run is watched.
type liveFlags struct {
	TUI     bool   `name:"tui" help:"Show a dashboard while it runs (docs/live.md)."`
	Metrics string `help:"Serve metrics for Prometheus at http://ADDR/metrics while it runs." placeholder:"ADDR"`
	Events  string `help:"Append what happens to this file, a JSON object a line; - is stdout, and the summary goes to stderr then." placeholder:"FILE"`
}

// A show is all that watches one run.
type show struct {
	flags  *liveFlags
	watch  *live.Watch
	head   live.Heading
	status *status
	events *live.Events
	file   *os.File
	scrape net.Listener // where metrics are asked for
	ends   []func()
}

// check says what cannot be shown before anything is started.
func (f *liveFlags) check() error {
	if f.TUI && (!term.IsTerminal(int(os.Stderr.Fd())) || !term.IsTerminal(int(os.Stdin.Fd()))) {
		return exit.Misusef("--tui needs a terminal at stdin and stderr; without it there is a line now and then")
	}
	return nil
}

// open prepares what is written; the campaign may find something from now on.
func (f *liveFlags) open(status *status) (*show, error) {
	s := &show{flags: f, status: status}
	if f.Metrics != "" {
		var err error
		if s.scrape, err = net.Listen("tcp", f.Metrics); err != nil {
			return nil, exit.Misuse(fmt.Errorf("--metrics: %w", err))
		}
	}
	switch f.Events {
	case "":
	case "-":
		s.events = live.NewEvents(os.Stdout)
	default:
		var err error
		if s.file, err = os.OpenFile(f.Events, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
			return nil, exit.Misuse(fmt.Errorf("--events: %w", err))
		}
		s.events = live.NewEvents(s.file)
	}
	return s, nil
}

// found shows a finding.
func (s *show) found(f *campaign.Found) {
	if s.events != nil {
		s.events.Found(f)
	}
	if !s.flags.TUI {
		s.status.line(announce(f))
	}
}

// begin shows the run until end; it returns the context that the run is to have,
// since a person may end it here.
func (s *show) begin(ctx context.Context, c *campaign.Campaign, config campaign.Config) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	s.ends = append(s.ends, cancel)
	s.watch = &live.Watch{Campaign: c, Config: config, End: cancel}
	s.head = live.Heading{Title: fmt.Sprintf("%s (%s)", fuzzed(config), models(config)), Seed: config.Seed, Total: config.Time, Out: config.Out}
	if s.scrape != nil {
		s.ends = append(s.ends, live.Serve(s.scrape, s.watch.Sample))
		fmt.Fprintf(os.Stderr, "Metrics are at http://%s/metrics\n", s.scrape.Addr())
	}
	if s.events != nil {
		s.events.Start(s.head)
		s.ends = append(s.ends, every(plainLine, func() { s.events.Stats(new(s.watch.Sample())) }))
	}
	if s.flags.TUI {
		s.dashboard(ctx, c)
	} else {
		s.ends = append(s.ends, s.status.show(c))
	}
	return ctx
}

// dashboard shows the dashboard. Where it cannot go on, lines take its place.
func (s *show) dashboard(ctx context.Context, c *campaign.Campaign) {
	width, height, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		width, height = 80, 24
	}
	program := tea.NewProgram(live.NewBoard(s.head, s.watch, width, height), tea.WithOutput(os.Stderr), tea.WithoutSignalHandler())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := program.Run(); err != nil {
			slog.Warn("the dashboard has ended; the run goes on, and Ctrl-C ends it", "error", err)
		}
	}()
	s.ends = append(s.ends, func() {
		program.Send(live.Ended{})
		select {
		case <-ended:
		case <-time.After(2 * time.Second): // whatever it waits for, the summary comes
			program.Kill()
			<-ended
		}
	})
}

// end takes down what was shown. An error says what could not be written.
func (s *show) end() error {
	for i := len(s.ends) - 1; i >= 0; i-- {
		s.ends[i]()
	}
	s.ends = nil
	if s.events != nil && s.watch != nil {
		s.events.End(new(s.watch.Sample()))
	}
	if s.events == nil {
		return nil
	}
	err := s.events.Err()
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	if err != nil {
		return fmt.Errorf("--events: %w", err)
	}
	return nil
}

// every calls do every so often until the function that it returns is called.
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
