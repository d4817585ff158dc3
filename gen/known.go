package gen

import (
	"cmp"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/quantified"
)

// FeatureInfo describes a feature to the user.
type FeatureInfo struct {
	Name string
	Rate float64 // the share of traces in which it may happen
	Doc  string
}

// KnownFeatures returns the features of a model with their rates in a profile. "" is the default
// profile. The rates of mixed are averages.
func KnownFeatures(m *apimodel.Model, profile string) ([]FeatureInfo, error) {
	if m.Quantified() {
		features, rates, err := quantified.Rates(profile)
		if err != nil {
			return nil, err
		}
		infos := make([]FeatureInfo, len(features))
		for i, f := range features {
			infos[i] = FeatureInfo{f.String(), rates[i], f.Doc()}
		}
		return infos, nil
	}
	chosen, err := chosenProfiles(cmp.Or(profile, DefaultProfile))
	if err != nil {
		return nil, err
	}
	var infos []FeatureInfo
	for f := range feature.Count {
		if !f.In(m) {
			continue
		}
		rate, total := 0.0, 0.0
		for _, p := range chosen {
			share := float64(max(p.share, 1))
			rate += share * float64(p.rate(f)) / 1000
			total += share
		}
		infos = append(infos, FeatureInfo{f.String(), rate / total, f.Doc()})
	}
	return infos, nil
}
