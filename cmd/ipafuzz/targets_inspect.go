package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

type targetsInspectCommand struct {
	Target string `arg:"" help:"A path, a name from the targets file, pipe:COMMAND, or ref." placeholder:"TARGET"`
	JSON   bool   `help:"Print a JSON object."`
	targetFlags
}

// targetSheet is all that is known of a target.
type targetSheet struct {
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
	Options      []optionRow       `json:"options"`
	Exclusions   []string          `json:"exclusions"`
	Policies     map[string]string `json:"policies"` // all, those at their default too
	said         map[string]string // those that the target has set
}

type optionRow struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Values  string `json:"values"`
	Default string `json:"default"`
	When    string `json:"when"`
	Fixed   bool   `json:"fixed,omitempty"` // generators leave it to the user
	Doc     string `json:"doc,omitempty"`
}

func (c *targetsInspectCommand) Run() error {
	target, _, err := c.resolve(c.Target)
	if err != nil {
		return err
	}
	sheet := targetSheet{Name: c.Target, Model: target.Model.Name, Way: target.Kind, Build: target.Identify(),
		Settings: target.Settings, Capabilities: []string{}, Lacks: []string{}, Options: []optionRow{}, Exclusions: []string{}}
	if sheet.Functions, err = target.Symbols(); err != nil {
		return err
	}
	hello, failed := replay.Greet(target, replay.DefaultLimits)
	if failed == nil {
		sheet.describe(hello, target.Model)
	} else {
		sheet.Reason = failed.Error()
	}
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(sheet)
	} else {
		err = sheet.print(os.Stdout)
	}
	if err != nil {
		return err
	}
	return failed // what can be known without loading it has been printed
}

func (s *targetSheet) describe(hello replay.Hello, m *apimodel.Model) {
	d := hello.Description
	s.Loads, s.Signature, s.said = true, hello.Signature, d.Policies
	s.Capabilities = capabilities(d, m)
	for _, name := range d.Lacks {
		if m.Uses(name) {
			s.Lacks = append(s.Lacks, name)
		}
	}
	for i := range d.Options {
		o := &d.Options[i]
		s.Options = append(s.Options, optionRow{o.Name, o.Kind.String(), o.Range(), o.Default, o.When.String(), o.Fixed, o.Doc})
	}
	for _, e := range d.Exclusions {
		s.Exclusions = append(s.Exclusions, e.String())
	}
	s.Policies = make(map[string]string)
	for _, p := range apimodel.Policies() {
		s.Policies[p.Name] = d.Policy(p.Name)
	}
}

func (s *targetSheet) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(table, strings.Join(cells, "\t")) }
	row("target", s.Name)
	row("model", s.Model)
	row("way", string(s.Way))
	if s.Build.Path != "" {
		row("from", s.Build.Path)
	}
	if s.Build.BuildID != "" {
		row("build id", s.Build.BuildID)
	}
	if s.Build.Size > 0 {
		row("size", fmt.Sprintf("%d bytes", s.Build.Size))
	}
	if s.Loads {
		row("signature", orDash(s.Signature))
	} else {
		row("loads", "no: "+firstLine(s.Reason))
	}
	for _, set := range s.Settings {
		row("set", set.Name+"="+set.Value)
	}
	if s.Loads {
		row("can", orDash(strings.Join(s.Capabilities, " ")))
		row("lacks", orDash(strings.Join(s.Lacks, " ")))
		said := []string{}
		for _, p := range apimodel.Policies() {
			if value, ok := s.said[p.Name]; ok {
				said = append(said, p.Name+"="+value)
			}
		}
		row("policies", strings.Join(append(said, "the others at their default (docs/policies.md)"), ", "))
	}
	if len(s.Functions) > 0 {
		fmt.Fprintln(table, "\nFUNCTION\tEXPORTED\tDEMANDED")
		for _, f := range s.Functions {
			row(f.Name, yesNo(f.Exported), yesNo(f.Demanded))
		}
	}
	var long []string // values that would make the table too wide to be read
	const widest = 50
	if len(s.Options) > 0 {
		fmt.Fprintln(table, "\nOPTION\tKIND\tVALUES\tDEFAULT\tSET BY\tWHEN\tWHAT IT IS")
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
			row(o.Name, o.Kind, values, o.Default, by, o.When, o.Doc)
		}
	}
	for i, values := range long {
		if i == 0 {
			fmt.Fprintln(table)
		}
		row(values)
	}
	for i, e := range s.Exclusions {
		if i == 0 {
			fmt.Fprintln(table, "\nNEVER TOGETHER")
		}
		row(e)
	}
	return table.Flush()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
