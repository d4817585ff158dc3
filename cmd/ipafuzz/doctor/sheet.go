package doctor

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Sheet has everything that is known about a target.
type Sheet struct {
	Name         string            `json:"name"`
	Model        string            `json:"model"`
	Way          replay.Kind       `json:"way"`
	Build        replay.Identity   `json:"build"`
	Loads        bool              `json:"loads"`
	Reason       string            `json:"reason,omitempty"` // why it does not load
	Signature    string            `json:"signature,omitempty"`
	Settings     []replay.Setting  `json:"settings,omitempty"`
	Functions    []replay.Symbol   `json:"functions,omitempty"`
	Capabilities []string          `json:"capabilities"`
	Lacks        []string          `json:"lacks"`
	Options      []OptionRow       `json:"options"`
	Exclusions   []string          `json:"exclusions"`
	Policies     map[string]string `json:"policies"` // including defaults
	set          map[string]string // the policies that the target sets
}

// An OptionRow describes one option of a target.
type OptionRow struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Values  string `json:"values"`
	Default string `json:"default"`
	When    string `json:"when"`
	Fixed   bool   `json:"fixed,omitempty"`  // set by users, never by generators
	Checks  string `json:"checks,omitempty"` // the value with which the library checks itself
	Doc     string `json:"doc,omitempty"`
}

// Inspect describes a target. If the target does not load, the sheet has what is known without loading it,
// and unloadable says why.
func Inspect(name string, target *replay.Target) (sheet *Sheet, unloadable, err error) {
	s := &Sheet{Name: name, Model: target.Model.Name, Way: target.Kind, Build: target.Identify(),
		Settings: target.Settings, Capabilities: []string{}, Lacks: []string{},
		Options: []OptionRow{}, Exclusions: []string{}}
	if s.Functions, err = target.Symbols(); err != nil {
		return nil, nil, err
	}
	hello, unloadable := replay.Greet(target, replay.DefaultLimits)
	if unloadable == nil {
		s.describe(hello, target.Model)
	} else {
		s.Reason = unloadable.Error()
	}
	return s, unloadable, nil
}

func (s *Sheet) describe(hello replay.Hello, m *apimodel.Model) {
	d := hello.Description
	s.Loads, s.Signature, s.set = true, hello.Signature, d.Policies
	s.Capabilities = capabilities(d, m)
	for _, name := range d.Lacks {
		if m.Uses(name) {
			s.Lacks = append(s.Lacks, name)
		}
	}
	for i := range d.Options {
		o := &d.Options[i]
		row := OptionRow{o.Name, o.Kind.String(), o.Range(), o.Default, o.When.String(), o.Fixed, o.Checks, o.Doc}
		s.Options = append(s.Options, row)
	}
	for _, e := range d.Exclusions {
		s.Exclusions = append(s.Exclusions, e.String())
	}
	s.Policies = make(map[string]string)
	for _, p := range apimodel.Policies() {
		s.Policies[p.Name] = d.Policy(p.Name)
	}
}

// WriteText prints the sheet as tables.
func (s *Sheet) WriteText(out io.Writer) error {
	var padded bytes.Buffer // an empty last cell leaves the blanks of the one before
	table := sheetTable{tabwriter.NewWriter(&padded, 0, 0, 2, ' ', 0)}
	s.writeHead(table)
	if len(s.Functions) > 0 {
		table.row("\nFUNCTION", "EXPORTED", "DEMANDED")
		for _, f := range s.Functions {
			table.row(f.Name, yesNo(f.Exported), yesNo(f.Demanded))
		}
	}
	s.writeOptions(table)
	for i, e := range s.Exclusions {
		if i == 0 {
			table.row("\nNEVER TOGETHER")
		}
		table.row(e)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(padded.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

type sheetTable struct{ *tabwriter.Writer }

func (t sheetTable) row(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }

func (s *Sheet) writeHead(table sheetTable) {
	table.row("target", s.Name)
	table.row("model", s.Model)
	table.row("way", string(s.Way))
	if s.Build.Path != "" {
		table.row("from", s.Build.Path)
	}
	if s.Build.BuildID != "" {
		table.row("build id", s.Build.BuildID)
	}
	if s.Build.Size > 0 {
		table.row("size", fmt.Sprintf("%d bytes", s.Build.Size))
	}
	if s.Loads {
		table.row("signature", cmp.Or(s.Signature, "-"))
	} else {
		table.row("loads", "no: "+firstLine(s.Reason))
	}
	for _, set := range s.Settings {
		table.row("set", set.Name+"="+set.Value)
	}
	if !s.Loads {
		return
	}
	table.row("can", cmp.Or(strings.Join(s.Capabilities, " "), "-"))
	table.row("lacks", cmp.Or(strings.Join(s.Lacks, " "), "-"))
	policies := []string{}
	for _, p := range apimodel.Policies() {
		if value, ok := s.set[p.Name]; ok {
			policies = append(policies, p.Name+"="+value)
		}
	}
	table.row("policies", strings.Join(append(policies, "the others at their default (docs/policies.md)"), ", "))
}

// writeOptions prints the options, and below them the values that would make the table too wide.
func (s *Sheet) writeOptions(table sheetTable) {
	const widest = 50
	if len(s.Options) == 0 {
		return
	}
	var long []string
	table.row("\nOPTION", "KIND", "VALUES", "DEFAULT", "SET BY", "WHEN", "WHAT IT IS")
	for _, o := range s.Options {
		by := "generators"
		if o.Fixed {
			by = "the user"
		}
		values := o.Values
		if len(values) > widest {
			values = "(below)"
			long = append(long, o.Name+": "+o.Values)
		}
		table.row(o.Name, o.Kind, values, o.Default, by, o.When, o.Doc)
	}
	for i, values := range long {
		if i == 0 {
			table.row()
		}
		table.row(values)
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
