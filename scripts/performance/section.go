package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	opening = "<!-- measured "
	closing = "<!-- end -->\n"
)

// A part of the page is text (its name is empty) or a section with what was measured.
type part struct {
	name, run, rows, block string
	columns                []column
	head                   string // the opening comment; of text, the text
	body                   string
}

// A column is a metric with its bar.
type column struct {
	metric, relation string
	bar              float64
}

func (p *part) write(to *strings.Builder) {
	to.WriteString(p.head)
	if p.name != "" {
		to.WriteString(p.body + closing)
	}
}

// parse splits the page into its parts.
func parse(text string) (parts []part, err error) {
	for {
		before, rest, found := strings.Cut(text, opening)
		parts = append(parts, part{head: before})
		if !found {
			return parts, nil
		}
		comment, rest, ended := strings.Cut(rest, "-->\n")
		body, rest, closed := strings.Cut(rest, closing)
		if !ended || !closed {
			return nil, fmt.Errorf("a section does not end: %s", firstLine(comment))
		}
		p := part{head: opening + comment + "-->\n", body: body}
		name, fields, _ := strings.Cut(comment, "\n")
		p.name = strings.TrimSpace(name)
		for line := range strings.Lines(fields) {
			if err := p.field(strings.TrimSpace(line)); err != nil {
				return nil, fmt.Errorf("section %s: %w", p.name, err)
			}
		}
		if p.run == "" || (p.rows == "") == (p.block == "") {
			return nil, fmt.Errorf("section %s needs 'run' and either 'rows' or 'block'", p.name)
		}
		parts, text = append(parts, p), rest
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (p *part) field(line string) error {
	name, value, _ := strings.Cut(line, ": ")
	switch name {
	case "run":
		p.run = value
	case "rows":
		p.rows = value
	case "block":
		p.block = value
	case "columns":
		for _, text := range strings.Fields(value) {
			c := column{metric: text}
			for _, relation := range []string{"<=", ">="} {
				if metric, bar, found := strings.Cut(text, relation); found {
					number, err := strconv.ParseFloat(bar, 64)
					if err != nil {
						return err
					}
					c = column{metric, relation, number}
				}
			}
			p.columns = append(p.columns, c)
		}
	default:
		return fmt.Errorf("unknown line %q", line)
	}
	return nil
}

// show returns what the section shows of the output.
func (p *part) show(m measured) (string, error) {
	if p.block != "" {
		at := strings.Index("\n"+m.output, "\n"+p.block)
		if at < 0 {
			return "", fmt.Errorf("no line begins with %q", p.block)
		}
		block, _, _ := strings.Cut(m.output[at:], "\n\n")
		block, _, _ = strings.Cut(block, "\ngoos: ")
		return "\n~~~\n" + strings.TrimRight(block, "\n") + "\n~~~\n\n", nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\n| %s |", m.where)
	for _, c := range p.columns {
		fmt.Fprintf(&text, " %s |", c.metric)
	}
	text.WriteString("\n|---|" + strings.Repeat("--:|", len(p.columns)) + "\n")
	text.WriteString(p.bars())
	rows := 0
	for line := range strings.Lines(m.output) {
		if name, values, ok := benchmark(line); ok && strings.HasPrefix(name, p.rows) {
			text.WriteString(p.row(strings.TrimPrefix(name, p.rows), values))
			rows++
		}
	}
	if rows == 0 {
		return "", fmt.Errorf("no benchmark begins with %s", p.rows)
	}
	return text.String() + "\n", nil
}

// bars returns the row of the bars, or "" if there are none.
func (p *part) bars() string {
	if !slices.ContainsFunc(p.columns, func(c column) bool { return c.relation != "" }) {
		return ""
	}
	text := "| bar |"
	for _, c := range p.columns {
		if c.relation != "" {
			text += fmt.Sprintf(" %s %s", map[string]string{"<=": "≤", ">=": "≥"}[c.relation], number(c.bar))
		}
		text += " |"
	}
	return text + "\n"
}

func (p *part) row(name string, values map[string]float64) string {
	text := "| " + name + " |"
	for _, c := range p.columns {
		value, known := values[c.metric]
		switch {
		case !known:
			text += " – |"
		case c.relation == "<=" && value > c.bar, c.relation == ">=" && value < c.bar:
			text += " **" + number(value) + "** |"
		default:
			text += " " + number(value) + " |"
		}
	}
	return text + "\n"
}

// benchmark reads a line of a benchmark's results: its name, without the number of
// processors, and its metrics.
func benchmark(line string) (name string, values map[string]float64, ok bool) {
	words := strings.Fields(line)
	if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
		return "", nil, false
	}
	name, values = words[0], make(map[string]float64)
	if at := strings.LastIndex(name, "-"); at > 0 {
		if _, err := strconv.Atoi(name[at+1:]); err == nil {
			name = name[:at]
		}
	}
	for i := 2; i+1 < len(words); i += 2 {
		value, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return "", nil, false
		}
		values[words[i+1]] = value
	}
	return name, values, true
}

// number has three digits that count.
func number(value float64) string {
	switch {
	case value != 0 && value < 1:
		return strconv.FormatFloat(value, 'f', 2, 64)
	case value < 100 && value != float64(int(value)):
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 0, 64)
}
