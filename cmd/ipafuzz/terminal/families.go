package terminal

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// FamilyBounds says how large the formulas of the chosen families are if the default profile bounds them; "": it does
// not.
func FamilyBounds(config campaign.Config) string {
	for i := range config.Cells {
		kind := config.Cells[i].Generate
		if kind.Family == "" || kind.Profile != "" || family.IsTiny(kind.Family) {
			continue
		}
		kind.Model = config.Cells[i].Target.Model
		made, err := gen.New(kind)
		if err != nil {
			continue
		}
		bounds := made.Bounds()
		return fmt.Sprintf("The profile %s cuts formulas of --family down to %s and %s; with --profile published they "+
			"have their published sizes.", kind.ProfileName(), printable.Things(int64(bounds.MaxVars), "variable"),
			printable.Things(int64(bounds.MaxCalls), "call"))
	}
	return ""
}

// CutCorpus says that targets get only parts of some traces of the corpus; "": they get all of them whole.
func CutCorpus(config campaign.Config) string {
	for i := range config.Cells {
		if corpus, ok := config.Cells[i].From.(*source.Corpus); ok && corpus.Cut() > 0 {
			return fmt.Sprintf("The targets do not support all calls of the corpus: of %s of %d, only the other calls run.",
				printable.Things(corpus.Cut(), "trace"), len(corpus.Traces))
		}
	}
	return ""
}
