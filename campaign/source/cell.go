package source

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Cell is one kind of traces on one target. A campaign has one or more, and
// each has a stream of seeds of its own.
type Cell struct {
	Target   *replay.Target
	Generate gen.Config // what traces to make; the model and the description are the target's
	From     Sourcing   // where they come from; nil: our generators make them
}

// Cells are all kinds of traces on all targets; no kinds are the default one.
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

// Name tells the cell from others of a campaign.
func (c *Cell) Name() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s%s", c.Target.Name, c.Target.Model.Name, c.Flags()))
}

// Kind tells its traces from others.
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
