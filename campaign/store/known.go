package store

import (
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// IsOf reports whether a finding has the fault of a known one. Crashes have one fault if they have one key: another
// build crashes in other places.
func (f *Finding) IsOf(known *Finding) bool {
	if f.Location != "" {
		return f.Failure().Key == known.Failure().Key
	}
	return cause.Compare(f.Failure(), known.Failure()) == cause.Same
}

// ReadKnown reads the findings of earlier campaigns. Failures that they explain are counted, but not confirmed or
// reduced again.
func ReadKnown(dirs ...string) (map[oracle.Key][]*Finding, error) {
	known := make(map[oracle.Key][]*Finding)
	for _, dir := range dirs {
		stored, err := ReadStored(dir)
		if err != nil {
			return nil, err
		}
		for i := range stored.Findings {
			f, err := stored.Findings[i].Finding()
			if err != nil {
				return nil, err
			}
			f.Location = "" // another build has other places
			known[f.Key] = append(known[f.Key], f)
		}
	}
	return known, nil
}
