package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// Flags returns the command-line flags that choose the traces of the cell.
func (c *Cell) Flags() string {
	if c.From == nil {
		return choices(&c.Generate)
	}
	return c.From.Flags() + choices(&c.Generate)
}

// choices returns the flags that choose a kind of traces.
func choices(g *gen.Config) string {
	var b strings.Builder
	for _, f := range []struct{ flag, value string }{
		{"profile", g.Profile}, {"family", g.Family}, {"schedule", g.Schedule}, {"avoid", strings.Join(g.Without, ",")},
		{"plant", g.PlantFile},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, " --%s %s", f.flag, shell.Quote(f.value))
		}
	}
	if g.FailAllocations {
		b.WriteString(" --fail-allocations")
	}
	if g.Threads {
		b.WriteString(" --threads")
	}
	b.WriteString(unlessZero(" --max-vars %d", uint64(g.MaxVars)))
	b.WriteString(unlessZero(" --max-calls %d", uint64(g.MaxCalls)))
	b.WriteString(unlessZero(" --max-weight %d", g.MaxWeight))
	b.WriteString(unlessZero(" --max-sum %d", g.MaxSum))
	return b.String()
}

func unlessZero(format string, n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

// A Record describes the traces of a cell. A bound of 0 is that of the profile.
type Record struct {
	Profile   string   `json:"profile"`
	Family    string   `json:"family,omitempty"`
	Schedule  string   `json:"schedule,omitempty"`
	Without   []string `json:"without,omitempty"`
	Plant     string   `json:"plant,omitempty"`
	From      string   `json:"from,omitempty"` // flags of another source
	Fail      bool     `json:"fail_allocations,omitempty"`
	Threads   bool     `json:"threads,omitempty"`
	MaxVars   int      `json:"max_vars,omitempty"`
	MaxCalls  int      `json:"max_calls,omitempty"`
	MaxWeight uint64   `json:"max_weight,omitempty"`
	MaxSum    uint64   `json:"max_sum,omitempty"`
}

// Record returns the record of the cell.
func (c *Cell) Record() Record {
	g, from := &c.Generate, ""
	if c.From != nil {
		from = strings.TrimSpace(c.From.Flags())
	}
	return Record{From: from, Profile: g.ProfileName(), Family: g.Family, Schedule: g.Schedule, Without: g.Without,
		Plant: g.PlantFile, Fail: g.FailAllocations, Threads: g.Threads,
		MaxVars: g.MaxVars, MaxCalls: g.MaxCalls, MaxWeight: g.MaxWeight,
		MaxSum: g.MaxSum}
}

// GenCommands makes the commands of all numbers.
type GenCommands struct{ before, after string }

// Of returns the command for a number.
func (g *GenCommands) Of(number uint64) string {
	return g.before + strconv.FormatUint(number, 10) + g.after
}

// AsNotes returns the notes that have these commands.
func (g GenCommands) AsNotes() GenCommands {
	const number = "\x00" // no command has this
	before, after, _ := strings.Cut(notes.Again(g.before+number+g.after), number)
	return GenCommands{before: before, after: after}
}

// AddTo returns the form of a header with one of these commands or notes.
func (g *GenCommands) AddTo(form *notes.Form) *notes.Form { return form.WithNumber(g.before, g.after) }

// GenCommands returns the commands that make the traces of the stream with a choice again.
func (s *Stream) GenCommands(program string, choice Choice) GenCommands {
	kind := *s.Cell
	kind.Generate.Without = slices.Concat(s.Generate.Without, choice.Without)
	kind.Generate.Profile = cmp.Or(choice.Profile, s.Generate.Profile)
	command := program + " gen"
	if s.TargetsFile != "" {
		command += " --targets-file " + shell.Quote(s.TargetsFile)
	}
	return GenCommands{
		before: command + fmt.Sprintf(" --target %s --model %s --seed %#x --number ", shell.Quote(s.Target.Name),
			s.Target.Model.Name, s.Seed),
		after: unlessZero(" --shard %d", s.Shard) + kind.Flags(),
	}
}
