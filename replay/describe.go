package replay

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// Description says what the loaded target offers and lacks: what the library
// says of itself, what it exports, and what the user said of it. Options that
// the user set are no longer the generator's to choose.
func (s *Stream) Description() (*apimodel.Description, error) {
	d, err := apimodel.ParseDescription(s.hello.Description)
	if err != nil {
		return nil, unusable(s.target.Name, "what it says of itself (ipafuzz_describe) cannot be read: %v", err)
	}
	for _, c := range apimodel.Capabilities() {
		if bit := c.Bit(); bit != 0 && s.hello.Capabilities&bit == 0 && s.target.Model.Uses(c.Name) {
			lack(d, c.Name)
		}
	}
	return d, s.target.amend(d)
}

func lack(d *apimodel.Description, capability string) {
	if !slices.Contains(d.Lacks, capability) {
		d.Lacks = append(d.Lacks, capability)
	}
}

// amend adds what the user said of the target.
func (t *Target) amend(d *apimodel.Description) error {
	for _, capability := range t.Lacks {
		lack(d, capability)
	}
	slices.Sort(d.Lacks)
	d.Options = slices.DeleteFunc(d.Options, func(o apimodel.Option) bool {
		return slices.ContainsFunc(t.Settings, func(set Setting) bool { return set.Name == o.Name })
	})
	d.Exclusions = slices.DeleteFunc(d.Exclusions, func(e apimodel.Exclusion) bool { return !mentionsOnly(e, d) })
	if d.Policies == nil {
		d.Policies = make(map[string]string)
	}
	maps.Copy(d.Policies, t.Policies)
	d.Bounds.Tighten(t.Bounds)
	if err := d.Validate(); err != nil {
		return fmt.Errorf("target %s: its description does not hold together: %w", t.Name, err)
	}
	return nil
}

func mentionsOnly(e apimodel.Exclusion, d *apimodel.Description) bool {
	for _, setting := range e {
		if d.Option(setting.Name) == nil {
			return false
		}
	}
	return true
}
