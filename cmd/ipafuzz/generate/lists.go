package generate

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// WriteFeatures lists the features of a model with their rates in a profile; with a description, those that traces for
// the target can have.
func WriteFeatures(out io.Writer, config gen.Config, asJSON bool) error {
	features, err := gen.KnownFeatures(config.Model, config.Profile)
	if err != nil {
		return exit.Misuse(err)
	}
	if config.Description != nil {
		possible := feature.Possible(config.Model, config.Description).Names()
		features = slices.DeleteFunc(features, func(f gen.FeatureInfo) bool { return !slices.Contains(possible, f.Name) })
	}
	if asJSON {
		encoder := json.NewEncoder(out)
		for _, f := range features {
			err := encoder.Encode(struct {
				Name string  `json:"name"`
				Rate float64 `json:"rate"`
				Doc  string  `json:"doc"`
			}{f.Name, f.Rate, f.Doc})
			if err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range features {
		fmt.Fprintf(table, "%s\t%.1f%%\t%s\n", f.Name, 100*f.Rate, f.Doc)
	}
	return table.Flush()
}

// WriteGenerators lists the profiles, families and schedules of a model.
func WriteGenerators(out io.Writer, m *apimodel.Model) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROFILE\tIN MIXED\t")
	for _, p := range gen.ProfilesOf(m) {
		fmt.Fprintf(table, "%s\t%.1f%%\t%s\n", p.Name, 100*p.Share, p.Doc)
	}
	fmt.Fprintln(table, "\nFAMILY\tVERSION\t")
	for _, f := range family.Of(m) {
		fmt.Fprintf(table, "%s\t%d\t%s\n", f.Name, f.Version, f.Doc)
	}
	fmt.Fprintln(table, "\nSCHEDULE\t\t")
	for _, s := range family.SchedulesOf(m) {
		fmt.Fprintf(table, "%s\t\t%s\n", s, s.Doc())
	}
	return table.Flush()
}
