package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Table is one table of the report.
type Table struct {
	Name    string     `json:"name"` // for --table
	Title   string     `json:"title"`
	Note    string     `json:"note,omitempty"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`

	links map[[2]int][]link // in cells, by row and column
	text  int               // the number of text columns, which precede the number columns
}

type link struct{ Text, To string }

// add appends a row. Counts that may be large are uint64; their digits are grouped.
func (t *Table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		if n, large := cell.(uint64); large {
			cell = printable.Count(n)
		}
		row[i] = fmt.Sprint(cell)
	}
	t.Rows = append(t.Rows, row)
}

// Formats are the formats that Write accepts.
var Formats = []string{"markdown", "csv", "json", "latex"}

// Write writes tables in a format.
func Write(w io.Writer, tables []*Table, format string) error {
	var out bytes.Buffer
	if format == "json" {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(tables)
	}
	for i, t := range tables {
		if i > 0 {
			out.WriteByte('\n')
		}
		switch format {
		case "markdown":
			t.markdown(&out)
		case "latex":
			t.latex(&out)
		case "csv":
			if len(tables) > 1 {
				fmt.Fprintf(&out, "# %s\n", t.Title)
			}
			c := csv.NewWriter(&out)
			c.Write(t.Columns)
			c.WriteAll(t.Rows)
		default:
			return fmt.Errorf("unknown format %q; want one of %s", format, strings.Join(Formats, ", "))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (t *Table) markdown(out *bytes.Buffer) {
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "\n", " ")
	fmt.Fprintf(out, "## %s\n\n", escape.Replace(t.Title))
	if t.Note != "" {
		fmt.Fprintf(out, "%s\n\n", escape.Replace(t.Note))
	}
	row := func(cells []string) {
		for _, cell := range cells {
			out.WriteString("| " + escape.Replace(cell) + " ")
		}
		out.WriteString("|\n")
	}
	row(t.Columns)
	for i := range t.Columns {
		if i < t.text {
			out.WriteString("|---")
		} else {
			out.WriteString("|--:")
		}
	}
	out.WriteString("|\n")
	for _, cells := range t.Rows {
		row(cells)
	}
}

func (t *Table) latex(out *bytes.Buffer) {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`,
		"#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "\n", " ")
	row := func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				out.WriteString(" & ")
			}
			out.WriteString(escape.Replace(cell))
		}
		out.WriteString(" \\\\\n")
	}
	fmt.Fprintf(out, "\\begin{table}\n\\centering\n\\caption{%s}\\label{tab:%s}\n\\begin{tabular}{%s%s}\n\\hline\n",
		escape.Replace(t.Title), t.Name,
		strings.Repeat("l", t.text), strings.Repeat("r", len(t.Columns)-t.text))
	row(t.Columns)
	out.WriteString("\\hline\n")
	for _, cells := range t.Rows {
		row(cells)
	}
	out.WriteString("\\hline\n\\end{tabular}\n\\end{table}\n")
}
