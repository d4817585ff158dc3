package campaign

import (
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// program writes the finding's C program. Some findings cannot be shown by one:
// then there is none.
func (c *Campaign) program(found *store.Finding) {
	who := c.number(found.Target)
	minimal := found.Minimal.Clone()
	minimal.Notes = nil
	p, err := repro.ProgramOf(minimal, export.LanguageNamed("c"), "repro.c", c.target(who), c.descriptionOf(who),
		found.Key, c.config.Limits, found.Right)
	if err == nil {
		found.Program = p
	}
}
