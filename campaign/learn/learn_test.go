package learn

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// TestConclude checks that a fault does not need features that traces have by chance.
func TestConclude(t *testing.T) {
	e := &store.Evidence{Looked: 10, With: map[string]int{"redeclare": 10, "gaps": 8, "terminate": 7, "options": 10},
		Minimal: []string{"redeclare", "no-hard", "gaps", "terminate"}}
	if conclude(e); !slices.Equal(e.Needs, []string{"redeclare", "gaps"}) {
		t.Errorf("needs %v", e.Needs)
	}
	for why, want := range map[cause.Cause][]string{
		"repeated-soft":            {"redeclare"},
		"variable-gap + terminate": {"gaps"},
		"incremental":              nil,
		cause.Nothing:              nil,
	} {
		e.Cause = why
		if conclude(e); !slices.Equal(e.Needs, want) {
			t.Errorf("with the cause %q it needs %v, want %v", why, e.Needs, want)
		}
	}
}

// TestFeaturesOfCauses checks that the table names existing variants and features.
func TestFeaturesOfCauses(t *testing.T) {
	for variant, of := range featuresOf {
		if cause.Named(variant) == nil {
			t.Errorf("unknown variant %s", variant)
		}
		found := false
		for f := range feature.Count() {
			found = found || f.String() == of
		}
		if !found {
			t.Errorf("unknown feature %s", of)
		}
	}
}
