package terminal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/live"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A MonitorConfig chooses how to show a campaign.
type MonitorConfig struct {
	TUI     bool   // a dashboard instead of the status line
	Metrics string // address at which to serve them; "" for none
	Events  string // file to which to append them; - for stdout, "" for none
}

// A Monitor shows one campaign while it runs.
type Monitor struct {
	config MonitorConfig
	watch  *live.Watch
	head   live.Heading
	status *Status
	events *live.Events
	file   *os.File
	scrape net.Listener // serves metrics
	ends   []func()

	mu        sync.Mutex
	announces map[oracle.Key]*announcement // of confirmed findings that are still being reduced
}

// An announcement says that a failure is confirmed, once its reduction has taken some time.
type announcement struct {
	timer *time.Timer
	shown bool
}

// OpenMonitor opens everything that shows the campaign. After that, the campaign may report findings.
func OpenMonitor(config MonitorConfig, status *Status) (*Monitor, error) {
	if config.TUI && (!term.IsTerminal(int(os.Stderr.Fd())) || !term.IsTerminal(int(os.Stdin.Fd()))) {
		return nil, exit.Misusef("--tui needs a terminal at stdin and stderr; without --tui, status lines are printed")
	}
	m := &Monitor{config: config, status: status}
	if config.Metrics != "" {
		var err error
		if m.scrape, err = net.Listen("tcp", config.Metrics); err != nil {
			return nil, exit.Misusef("--metrics: %w", err)
		}
	}
	switch config.Events {
	case "":
	case "-":
		m.events = live.NewEvents(os.Stdout)
	default:
		var err error
		if m.file, err = userfile.OpenFile(config.Events, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
			return nil, exit.Misusef("--events: %w", err)
		}
		m.events = live.NewEvents(m.file)
	}
	return m, nil
}

// soon is the time in which most reductions end, so that one line can report both the failure and its
// reduction.
const soon = time.Second

// Confirmed shows a failure that is being reduced, unless the reduction ends soon.
func (m *Monitor) Confirmed(f *store.Finding) {
	if m.events != nil {
		m.events.Confirmed(f)
	}
	if m.config.TUI {
		return
	}
	line := fmt.Sprintf("confirmed %s (trace %d, %s), which is being reduced", f.Title(), f.Number, shortened(f))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.announces == nil {
		m.announces = make(map[oracle.Key]*announcement)
	}
	a, key := &announcement{}, f.Key
	m.announces[key] = a
	a.timer = time.AfterFunc(soon, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.announces[key] == a {
			a.shown = true
			m.status.Line(line)
		}
	})
}

// GivenUp takes back that a failure is confirmed, which its reduction did not bear out.
func (m *Monitor) GivenUp(f *store.Finding, why string) {
	if m.events != nil {
		m.events.GivenUp(f)
	}
	if m.settled(f.Key) {
		m.status.Line(fmt.Sprintf("not confirmed after all: %s (trace %d); %s", f.Title(), f.Number, why))
	}
}

// settled cancels the announcements of a key, or of all keys. It reports whether one was shown.
func (m *Monitor) settled(keys ...oracle.Key) (shown bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(keys) == 0 {
		keys = slices.Collect(maps.Keys(m.announces))
	}
	for _, key := range keys {
		if a := m.announces[key]; a != nil {
			a.timer.Stop()
			shown = shown || a.shown
			delete(m.announces, key)
		}
	}
	return shown
}

// Found shows a finding.
func (m *Monitor) Found(f *store.Finding) {
	m.settled(f.Key)
	if m.events != nil {
		m.events.Found(f)
	}
	if !m.config.TUI {
		m.status.Line(fmt.Sprintf("found %s (trace %d, %s)", f.Title(), f.Number, shortened(f)))
	}
}

// Begin shows the campaign until End. The campaign must run in the context that it returns, because the
// dashboard can cancel it.
func (m *Monitor) Begin(ctx context.Context, c *campaign.Campaign, config campaign.Config) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	m.ends = append(m.ends, cancel)
	m.watch = &live.Watch{Campaign: c, Config: config, End: cancel, Grouped: live.NewFaults(c.Watch)}
	title := fmt.Sprintf("%s (%s)", Fuzzed(config), Models(config))
	m.head = live.Heading{Title: title, Seed: config.Seed, Total: config.Time, Out: config.Out}
	if m.scrape != nil {
		m.ends = append(m.ends, live.Serve(m.scrape, m.watch.Sample))
		fmt.Fprintf(os.Stderr, "Metrics are at http://%s/metrics\n", m.scrape.Addr())
	}
	if m.events != nil {
		m.events.Start(m.head)
		m.ends = append(m.ends, every(plainLine, func() { m.events.Stats(new(m.watch.Sample())) }))
	}
	if m.config.TUI {
		m.dashboard()
	} else {
		m.ends = append(m.ends, m.status.show(c, m.watch.Grouped))
	}
	return ctx
}

// dashboard shows the dashboard. If it fails, the campaign goes on without it.
func (m *Monitor) dashboard() {
	width, height, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		width, height = 80, 24
	}
	board := live.NewBoard(m.head, m.watch, width, height)
	program := tea.NewProgram(board, tea.WithOutput(os.Stderr), tea.WithoutSignalHandler())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := program.Run(); err != nil {
			slog.Warn("the dashboard failed; the campaign goes on, and Ctrl-C ends it", "error", err)
		}
	}()
	m.ends = append(m.ends, func() {
		program.Send(live.Ended{})
		select {
		case <-ended:
		case <-time.After(2 * time.Second): // the summary must not wait for a dashboard that hangs
			program.Kill()
			<-ended
		}
	})
}

// End stops showing the campaign. Its error says what could not be written.
func (m *Monitor) End() error {
	m.settled()
	for i := len(m.ends) - 1; i >= 0; i-- {
		m.ends[i]()
	}
	m.ends = nil
	if m.events == nil {
		return nil
	}
	if m.watch != nil {
		m.events.End(new(m.watch.Sample()))
	}
	err := m.events.Err()
	if m.file != nil {
		err = errors.Join(err, m.file.Close())
	}
	if err != nil {
		return fmt.Errorf("--events: %w", err)
	}
	return nil
}
