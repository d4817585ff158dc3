package native

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/replay"
)

// ResolveBuiltIn completes the built-in target. The value of an option "defect" is the number
// or the name of a planted defect.
func ResolveBuiltIn(t *replay.Target, wanted *apimodel.Model) error {
	t.Kind, t.Driver, t.Model = replay.BuiltIn, new(driver), wanted
	for i, s := range t.Settings {
		if s.Name != "defect" && s.Name != "second" {
			continue
		}
		defect, ok := findDefect(s.Value)
		if !ok {
			return replay.Misnamed(t.Name, "unknown defect %q; 'ipafuzz defects' lists them", s.Value)
		}
		if t.Model == nil && defect.Model != "both" {
			t.Model = apimodel.ByName(defect.Model)
		}
		if t.Model != nil && !fits(defect, t.Model) {
			return replay.Misnamed(t.Name, "defect %d (%s) is for model %s, the target's model is %s",
				defect.Number, defect.Name, defect.Model, t.Model.Name)
		}
		t.Settings[i].Value = fmt.Sprint(defect.Number)
	}
	if t.Model == nil {
		t.Model = apimodel.IPAMIR
	}
	return nil
}

func fits(d ref.Defect, m *apimodel.Model) bool {
	return d.Number == 0 || d.Model == "both" && !m.Quantified() || d.Model == m.Name || d.Model == m.Interface().Name
}

// findDefect finds a planted defect by number or name; 0 and "none" stand for the healthy
// library.
func findDefect(spec string) (ref.Defect, bool) {
	if spec == "0" || spec == "none" {
		return ref.Defect{Name: "none", Model: "both"}, true
	}
	for _, d := range slices.Concat(ref.Defects(), ref.ProofDefects()) {
		if spec == d.Name || spec == fmt.Sprint(d.Number) {
			return d, true
		}
	}
	return ref.Defect{}, false
}
