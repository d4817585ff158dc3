package apimodel

import (
	"fmt"
	"strings"
)

// Dot returns the state diagram for Graphviz. Each pair of states has one arrow, with all calls
// that lead from one to the other.
func (m *Model) Dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", m.Name)
	fmt.Fprintf(&b, "  label=%q; labelloc=t; rankdir=LR;\n", m.Title)
	b.WriteString("  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n" +
		"  edge [fontname=\"Helvetica\", fontsize=10];\n")
	for _, s := range m.States().List() {
		fmt.Fprintf(&b, "  %s;\n", s)
	}
	type arrow struct{ from, to State }
	var order []arrow
	labels := make(map[arrow][]string)
	for _, t := range m.Transitions() {
		a := arrow{t.From, t.To}
		if labels[a] == nil {
			order = append(order, a)
		}
		labels[a] = append(labels[a], t.label())
	}
	for _, a := range order {
		fmt.Fprintf(&b, "  %s -> %s [label=\"%s\"];\n", a.from, a.to, strings.Join(labels[a], `\n`))
	}
	b.WriteString("}\n")
	return b.String()
}

func (t *Transition) label() string {
	if t.When == Always {
		return t.Call.Name
	}
	return t.Call.Name + ": " + t.When.String()
}

// Markdown returns a page with the model's states, calls and picture.
func (m *Model) Markdown() string {
	var b strings.Builder
	m.writeHead(&b)
	m.writeStates(&b)
	b.WriteString("\n## Calls\n\n")
	writeCalls(&b, m.Calls)
	b.WriteString("\n## Picture\n\n```dot\n" + m.Dot() + "```\n")
	return b.String()
}

// Page returns the model's reference page. For an extension, it lists only the calls that the
// model adds.
func (m *Model) Page() string {
	var b strings.Builder
	m.writeHead(&b)
	if m.Extends == nil {
		m.writeStates(&b)
		b.WriteString("\n## Calls\n\n")
		writeCalls(&b, m.Calls)
	} else {
		fmt.Fprintf(&b, "It has the states and calls of [%s](model-%[1]s.md), and these calls:\n\n", m.Extends.Name)
		var own []Call
		for i := range m.Calls {
			if m.Own(&m.Calls[i]) {
				own = append(own, m.Calls[i])
			}
		}
		writeCalls(&b, own)
	}
	fmt.Fprintf(&b, "\n`ipafuzz model %s --dot` draws the model.\n", m.Name)
	return b.String()
}

func (m *Model) writeHead(b *strings.Builder) {
	fmt.Fprintf(b, "# %s\n\n", m.Title)
	fmt.Fprintf(b, "A trace whose first line names the model `%s` may have these calls. ", m.Name)
	b.WriteString("`@N` before a call addresses solver instance N; a call without it addresses instance 0. " +
		"A call is legal in a trace if some answers of the earlier solves make it legal. " +
		"If the actual answers do not, ipafuzz withholds the call.\n\n")
}

func (m *Model) writeStates(b *strings.Builder) {
	b.WriteString("## States\n\n| state | meaning |\n|---|---|\n")
	for _, s := range m.States().List() {
		fmt.Fprintf(b, "| %s | %s |\n", s, stateDocs[s])
	}
}

func writeCalls(b *strings.Builder, calls []Call) {
	b.WriteString("| call | function | answer | legal in | leads to | contract |\n|---|---|---|---|---|---|\n")
	for i := range calls {
		call := &calls[i]
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", cell(call.Usage()), cell(call.functionText()),
			call.Reply, stateList(call.Legal), cell(call.stepsText()), cell(call.contract()))
	}
}

// cell escapes the separator of table cells.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func stateList(set States) string { return strings.ReplaceAll(set.String(), " or ", ", ") }

func (call *Call) functionText() string {
	if call.Function == "" {
		return "(several calls)"
	}
	return "`" + call.Function + "`"
}

func (call *Call) stepsText() string {
	if len(call.Steps) == 0 {
		return "the same state"
	}
	var parts []string
	for _, step := range call.Steps {
		if step.When == Always {
			parts = append(parts, step.Then.String())
		} else {
			parts = append(parts, fmt.Sprintf("%s: %s", step.When, step.Then))
		}
	}
	return strings.Join(parts, "; ")
}

func (call *Call) contract() string {
	if call.Optional == "" {
		return call.Doc
	}
	return fmt.Sprintf("%s Capability `%s`.", call.Doc, call.Optional)
}
