package source

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Cell is one target with one kind of traces. Every cell of a campaign has its own stream of seeds.
type Cell struct {
	Target   *replay.Target
	Generate gen.Config // the kind; the model and the description come from the target
	From     Sourcing   // nil: package gen makes the traces
}

// Cells returns a cell for each target and each kind of traces. Without kinds, it uses the default kind.
func Cells(targets []*replay.Target, kinds ...gen.Config) []Cell {
	if len(kinds) == 0 {
		kinds = []gen.Config{{}}
	}
	var cells []Cell
	for _, t := range targets {
		for _, kind := range kinds {
			cells = append(cells, Cell{Target: t, Generate: kind})
		}
	}
	return cells
}

// Name identifies the cell in its campaign.
func (c *Cell) Name() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s%s", c.Target.Name, c.Target.Model.Name, c.Flags()))
}

// Row names the traces of a profile in tables: with the family or the other program, if the user has chosen one, so
// that each of several has a row of its own.
func (c *Cell) Row(profile string) string {
	if from, isExternal := c.From.(External); isExternal {
		return profile + ": " + printable.Line(from.Command)
	}
	return strings.TrimSpace(profile + " " + c.Generate.Family)
}

// Kind describes the traces: the profile, or the flags that choose them.
func (c *Cell) Kind() string {
	kind := strings.TrimPrefix(c.Flags(), " --profile ")
	if c.From != nil {
		return strings.TrimPrefix(kind, " --")
	}
	if c.Generate.Profile == "" {
		kind = c.Generate.ProfileName() + kind
	}
	return kind
}
