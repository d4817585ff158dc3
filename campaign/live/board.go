package live

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Campaign is what the dashboard shows and controls. The dashboard calls it from one
// goroutine.
type Campaign interface {
	Sample() Sample
	// Findings returns the simplest finding of each fault, the newest first, then the findings that are being
	// reduced.
	Findings() []Finding
	Pause(bool)
	// Stop ends the campaign. The dashboard stays until the message Ended.
	Stop()
}

// A Heading describes the campaign; it does not change.
type Heading struct {
	Title string // targets, model
	Seed  uint64
	Total time.Duration // the time limit; 0: none
	Out   string
}

// Ended is the message that tells the dashboard that the campaign has ended.
type Ended struct{}

type tick struct{}

// redraw is the interval between samples.
const redraw = 500 * time.Millisecond

// A Board is the dashboard. It implements the Model of bubbletea.
type Board struct {
	heading  Heading
	campaign Campaign
	history  history
	findings []Finding
	width    int
	height   int

	chosen   oracle.Key // of the finding under the cursor; zero: the newest
	open     bool
	scroll   int // the first visible line of the open finding
	stopping bool
}

// NewBoard returns a dashboard. It has the given size until the terminal reports its own.
func NewBoard(heading Heading, of Campaign, width, height int) *Board {
	return &Board{heading: heading, campaign: of, width: width, height: height}
}

// Init takes the first sample.
func (b *Board) Init() tea.Cmd {
	b.refresh()
	return next()
}

func next() tea.Cmd { return tea.Tick(redraw, func(time.Time) tea.Msg { return tick{} }) }

func (b *Board) refresh() {
	b.history.add(b.campaign.Sample())
	b.findings = b.campaign.Findings()
}

// Update handles keys, resizing and time.
func (b *Board) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		b.width, b.height = msg.Width, msg.Height
	case tick:
		b.refresh()
		return b, next()
	case Ended:
		return b, tea.Quit
	case tea.KeyPressMsg:
		b.key(msg.String())
	}
	return b, nil
}

func (b *Board) key(key string) {
	switch key {
	case "q", "ctrl+c":
		b.stopping = true
		b.campaign.Pause(false)
		b.campaign.Stop()
	case "p", "space", " ":
		b.campaign.Pause(!b.history.last().Paused)
		b.refresh()
	case "up", "k":
		b.move(-1)
	case "down", "j":
		b.move(1)
	case "enter", "o":
		if b.open = !b.open && len(b.findings) > 0; b.open {
			b.chosen, b.scroll = b.findings[b.cursor()].Key, 0
		}
	case "esc", "left", "h", "backspace":
		b.open = false
	}
}

// move moves the cursor in the list of findings, or scrolls the open finding.
func (b *Board) move(by int) {
	if b.open {
		b.scroll = max(0, b.scroll+by)
		return
	}
	if len(b.findings) == 0 {
		return
	}
	at := min(max(b.cursor()+by, 0), len(b.findings)-1)
	b.chosen = b.findings[at].Key
}

// cursor returns the index of the chosen finding, which changes when new findings come.
func (b *Board) cursor() int {
	at := slices.IndexFunc(b.findings, func(f Finding) bool { return f.Key == b.chosen })
	return max(at, 0)
}
