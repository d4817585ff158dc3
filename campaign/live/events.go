package live

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Events writes events as lines of JSON. Each is an object with "event" and "elapsed_s". Readers should
// ignore fields that they do not know.
type Events struct {
	mu  sync.Mutex
	to  *json.Encoder
	err error // the first error of writing
}

// NewEvents returns an Events that writes to w.
func NewEvents(w io.Writer) *Events { return &Events{to: json.NewEncoder(w)} }

func (e *Events) write(event any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = e.to.Encode(event)
	}
}

// Err returns the first error of writing.
func (e *Events) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

type common struct {
	Event   string  `json:"event"`
	Elapsed float64 `json:"elapsed_s"`
}

// Start writes the first event.
func (e *Events) Start(h Heading) {
	e.write(struct {
		common
		Time  time.Time `json:"time"`
		Title string    `json:"targets"`
		Seed  uint64    `json:"seed,string"`
		Out   string    `json:"out"`
	}{common{"start", 0}, time.Now().UTC().Truncate(time.Second), h.Title, h.Seed, h.Out})
}

// Stats writes the progress of the campaign.
func (e *Events) Stats(s *Sample) { e.stats("stats", s) }

// End writes the last event.
func (e *Events) End(s *Sample) { e.stats("end", s) }

type targetEvent struct {
	Name     string         `json:"name"`
	Traces   uint64         `json:"traces"`
	Solves   uint64         `json:"solves"`
	Deaths   uint64         `json:"deaths"`
	Solving  float64        `json:"solve_s"`
	Busy     float64        `json:"busy_s"`
	Findings map[string]int `json:"findings"`
}

func (e *Events) stats(name string, s *Sample) {
	event := struct {
		common
		Faults      int           `json:"faults"`
		Findings    int           `json:"findings"`
		Unconfirmed int           `json:"unconfirmed"`
		Paused      bool          `json:"paused,omitempty"`
		CPU         float64       `json:"cpu_s"`
		Memory      uint64        `json:"memory_bytes"`
		Children    uint64        `json:"targets_memory_bytes"`
		Targets     []targetEvent `json:"targets"`
		// Times has the seconds of the workers, and of follow-ups beside them, by what they go to.
		Times map[string]float64 `json:"time_s"`
	}{common{name, s.Elapsed.Seconds()}, s.Faults, s.Findings, s.Doubtful, s.Paused,
		s.Process.CPU.Seconds(), s.Process.Own, s.Process.Children, []targetEvent{}, make(map[string]float64)}
	for _, p := range slices.Concat(parts(&s.Times), partsBeside(&s.FollowUps)) {
		event.Times[p.Name] = p.Took.Seconds()
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		event.Targets = append(event.Targets, targetEvent{t.Name, t.Traces, t.Solves, t.Deaths,
			t.Solving.Seconds(), t.Busy.Seconds(), t.Findings})
	}
	e.write(event)
}

// Confirmed writes a finding whose reduction begins.
func (e *Events) Confirmed(f *store.Finding) { e.finding("confirmed", f) }

// GivenUp writes a failure that was called confirmed and recurs too rarely for a finding.
func (e *Events) GivenUp(f *store.Finding) { e.finding("unconfirmed", f) }

// Found writes a new finding.
func (e *Events) Found(f *store.Finding) { e.finding("finding", f) }

func (e *Events) finding(event string, f *store.Finding) {
	e.write(struct {
		common
		Key      oracle.Key `json:"key"`
		Target   string     `json:"target"`
		Class    string     `json:"class"`
		Observed string     `json:"observed"`
		Expected string     `json:"expected"`
		Number   uint64     `json:"number"`
		Original int        `json:"original_calls"`
		Minimal  int        `json:"minimal_calls"`
		Again    bool       `json:"again,omitempty"` // the directory had the finding already
		Dir      string     `json:"directory,omitempty"`
	}{common{event, f.Elapsed.Seconds()}, f.Key, f.Target, string(f.Class), f.Observed, f.Expected, f.Number,
		len(f.Original.Calls), len(f.Minimal.Calls), f.Again, f.Dir})
}
