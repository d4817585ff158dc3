package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// Hello is what a target reports when it is loaded.
type Hello struct {
	Signature   string
	Description *apimodel.Description // without the options that the user has set
}

// Greet loads the target in a process of its own and returns what it reports. The error is
// a TargetError if the target is to blame.
func Greet(t *Target, limits Limits) (Hello, error) {
	q, err := OpenFirst(t, Fork, limits, oneTrace)
	if err != nil {
		return Hello{}, err
	}
	defer q.Close()
	d, err := q.Description()
	return Hello{printable.Line(q.Signature()), d}, err
}

// Meet is Greet, but the process stays: the runner runs traces in copies of it. The caller must close the runner.
func Meet(t *Target, limits Limits) (Runner, *apimodel.Description, error) {
	q, err := OpenFirst(t, Fork, limits, oneTrace)
	if err != nil {
		return nil, nil, err
	}
	r := &queueRunner{target: t, way: Fork, limits: limits, options: oneTrace, queue: q}
	d, err := q.Description()
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return r, d, nil
}

// Lack adds a capability to those that the target lacks.
func Lack(d *apimodel.Description, capability string) {
	if !slices.Contains(d.Lacks, capability) {
		d.Lacks = append(d.Lacks, capability)
	}
}

// Amend adds what the user said about the target to the description. It removes the options
// that the user has set: the generator must not choose their values. The error is a TargetError if an option that the
// user has set has no such value.
func (t *Target) Amend(d *apimodel.Description) error {
	for _, capability := range t.Lacks {
		if apimodel.CapabilityNamed(capability) == nil {
			return Unusable(t.Name, "lacks = [%q]: there is no such capability; there are %s", capability,
				strings.Join(apimodel.CapabilityNames(), ", "))
		}
		Lack(d, capability)
	}
	slices.Sort(d.Lacks)
	for _, set := range t.Settings {
		if o := d.Option(set.Name); o != nil && o.Accepts(set.Value) != nil {
			return Unusable(t.Name, "%v", o.Accepts(set.Value))
		}
	}
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
		return fmt.Errorf("target %s: its description is inconsistent: %w", t.Name, err)
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
