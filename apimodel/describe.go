package apimodel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Description says what a target offers beyond its interface, and what it lacks. The zero
// Description has every capability and no options. A nil Description has only the standard
// capabilities, which do not include options and havoc.
type Description struct {
	Models     []string // names of the target's models; empty: unknown
	Lacks      []string // names of capabilities
	Options    []Option
	Exclusions []Exclusion
	Policies   map[string]string // values of the policies that the target sets
	Bounds     Bounds
}

// A Capability is something that a target of a model may lack.
type Capability struct {
	Name     string
	Standard bool   // part of the standard interface, not an extension of ipafuzz
	Doc      string // what a target with the capability can do
}

// capabilities are those below, and those that rows of models offer.
var capabilities = offered(AllModels())

var usual = []Capability{
	{"terminate", true, "A callback given to set_terminate is called during the search and stops it."},
	{"learn", true, "A callback gets learned clauses (ipasir_set_learn, ipasir2_set_export)."},
	{"instances", true, "More than one solver may live in a process at a time."},
	{"options", false, "Options can be set by name (ipafuzz_set_option, or the adapter's own way)."},
	{"havoc", false, "The library does something legal and rare when told to (ipafuzz_havoc)."},
	{"proof", false, "The library hands over proofs (ipafuzz_proof), in the formats of its option proof."},
}

func offered(models []*Model) []Capability {
	all := slices.Clone(usual)
	for _, m := range models {
		for i := range m.Calls {
			call := &m.Calls[i]
			isKnown := slices.ContainsFunc(all, func(c Capability) bool { return c.Name == call.Optional })
			if call.Offers != "" && !isKnown {
				all = append(all, Capability{call.Optional, m.Extends == nil, call.Offers})
			}
		}
	}
	return all
}

// Bit returns the capability's bit in the worker's report on its target, or 0 if the
// capability is not a function of the target.
func (c *Capability) Bit() uint32 {
	bit := uint32(1)
	for i := range capabilities {
		if len(membersOf(capabilities[i].Name)) == 0 {
			continue
		}
		if capabilities[i].Name == c.Name {
			return bit
		}
		bit <<= 1
	}
	return 0
}

// Capabilities returns all capabilities.
func Capabilities() []Capability { return capabilities }

// CapabilityNames returns the names of the capabilities.
func CapabilityNames() (names []string) {
	for i := range capabilities {
		names = append(names, capabilities[i].Name)
	}
	return names
}

// CapabilityNamed returns the capability of that name, or nil.
func CapabilityNamed(name string) *Capability {
	for i := range capabilities {
		if capabilities[i].Name == name {
			return &capabilities[i]
		}
	}
	return nil
}

// Has reports whether the target has the capability. Every target has the capability "",
// which is the Optional of calls that need none.
func (d *Description) Has(capability string) bool {
	if d == nil {
		c := CapabilityNamed(capability)
		return c == nil || c.Standard
	}
	return !slices.Contains(d.Lacks, capability)
}

// Policy returns the value of a policy, which is the default unless the description sets another.
func (d *Description) Policy(name string) string {
	if d != nil {
		if value, set := d.Policies[name]; set {
			return value
		}
	}
	if p := PolicyNamed(name); p != nil {
		return p.Default
	}
	return ""
}

// Option returns the option of that name, or nil.
func (d *Description) Option(name string) *Option {
	if d == nil {
		return nil
	}
	for i := range d.Options {
		if d.Options[i].Name == name {
			return &d.Options[i]
		}
	}
	return nil
}

// Settable returns the number of options that a trace may set.
func (d *Description) Settable() (n int) {
	if d == nil {
		return 0
	}
	for i := range d.Options {
		if !d.Options[i].Fixed {
			n++
		}
	}
	return n
}

// ProofFormats returns the formats in which a target writes proofs for a model, or none if
// the target writes no proofs. A model with costs has only VeriPB. Another model has the other
// formats, and VeriPB only if the description names models and IPAMIR is not one of them.
func (d *Description) ProofFormats(m *Model) []string {
	o := d.Option(ProofOption)
	if o == nil || o.Kind != Choice || !d.Has("proof") {
		return nil
	}
	isMaxSAT := m.Call(OpSoft) != nil
	hasVeriPB := isMaxSAT || len(d.Models) > 0 && !slices.Contains(d.Models, IPAMIR.Name)
	return slices.DeleteFunc(slices.Clone(o.Choices), func(name string) bool {
		if name == VeriPB {
			return !hasVeriPB
		}
		return name == NoProof || isMaxSAT
	})
}

// Excluded returns the first exclusion that holds under the settings. Options that
// are not set have their default values.
func (d *Description) Excluded(settings map[string]string) (Exclusion, bool) {
	if d == nil {
		return nil, false
	}
	for _, exclusion := range d.Exclusions {
		if d.holds(exclusion, settings) {
			return exclusion, true
		}
	}
	return nil, false
}

func (d *Description) holds(exclusion Exclusion, settings map[string]string) bool {
	for _, s := range exclusion {
		o := d.Option(s.Name)
		if o == nil {
			return false
		}
		value, set := settings[s.Name]
		if !set {
			value = o.Default
		}
		if !o.Same(value, s.Value) {
			return false
		}
	}
	return true
}

// Validate checks a description that was not parsed, as ParseDescription would check its text.
func (d *Description) Validate() error {
	text := d.String()
	parsed, err := ParseDescription(text)
	if err != nil {
		return err
	}
	if again := parsed.String(); again != text {
		return fmt.Errorf("description: reads back as something else:\n%s", again)
	}
	return nil
}

// String returns the text form, which ParseDescription reads back.
func (d *Description) String() string {
	if d == nil {
		return ""
	}
	var b strings.Builder
	for _, name := range d.Models {
		fmt.Fprintf(&b, "model %s\n", name)
	}
	for _, name := range d.Lacks {
		fmt.Fprintf(&b, "lacks %s\n", name)
	}
	for i := range d.Options {
		d.Options[i].print(&b)
	}
	for _, exclusion := range d.Exclusions {
		fmt.Fprintf(&b, "exclude %s\n", exclusion)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Policies)) {
		fmt.Fprintf(&b, "policy %s=%s\n", name, d.Policies[name])
	}
	d.Bounds.print(&b)
	return b.String()
}

func (o *Option) print(b *strings.Builder) {
	word := "option"
	if o.Fixed {
		word = "fixed"
	}
	fmt.Fprintf(b, "%s %s %s ", word, o.Name, o.Kind)
	switch o.Kind {
	case Int:
		fmt.Fprintf(b, "%d %d ", o.Min, o.Max)
	case Real:
		fmt.Fprintf(b, "%s %s ", formatReal(o.MinReal), formatReal(o.MaxReal))
	case Choice:
		fmt.Fprintf(b, "%s ", strings.Join(o.Choices, "|"))
	}
	b.WriteString(o.Default)
	if o.When != WhenStart {
		fmt.Fprintf(b, " when=%s", o.When)
	}
	if o.Checks != "" {
		fmt.Fprintf(b, " checks=%s", o.Checks)
	}
	if o.Doc != "" {
		fmt.Fprintf(b, " # %s", o.Doc)
	}
	b.WriteByte('\n')
}
