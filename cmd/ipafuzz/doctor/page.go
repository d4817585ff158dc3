package doctor

import (
	"fmt"
	"io"
	"strings"
)

// A Page prints a checkup while it goes on.
type Page struct {
	checkup *Checkup
	out     io.Writer
	printed int               // results
	fixes   map[string]string // those printed before, and for what
	err     error             // the first one of out
}

// NewPage returns a page on which the results of a checkup appear as they come.
func NewPage(checkup *Checkup, out io.Writer) *Page {
	p := &Page{checkup: checkup, out: out, fixes: make(map[string]string)}
	checkup.Each = p.printNew
	return p
}

func (p *Page) printNew() {
	for ; p.printed < len(p.checkup.Results); p.printed++ {
		p.print(p.checkup.Results[p.printed])
	}
}

func (p *Page) print(r Diagnosis) {
	var b strings.Builder
	state := string(r.State)
	if r.State == Wrong {
		state = "WRONG"
	}
	if first := p.fixes[r.Fix]; first != "" {
		r.Fix = "as for " + first
	} else if r.Fix != "" {
		p.fixes[r.Fix], _, _ = strings.Cut(r.What, ":")
	}
	fmt.Fprintf(&b, "%-7s  %s\n", state, r.What)
	for _, line := range []struct{ label, text string }{{"", r.Detail}, {"fix: ", r.Fix}, {"again: ", r.Again}} {
		const indent = "           "
		if line.text != "" {
			text := strings.ReplaceAll(strings.TrimSpace(line.text), "\n", "\n"+indent)
			fmt.Fprintf(&b, "%s%s%s\n", indent, line.label, text)
		}
	}
	p.write(b.String())
}

// Close prints the sum.
func (p *Page) Close() error {
	c := p.checkup
	switch {
	case c.Fine:
		skipped := ""
		if n := c.count(Skipped); n > 0 {
			skipped = fmt.Sprintf(" (%d of %d checks do not apply to it)", n, len(c.Results))
		}
		p.write(fmt.Sprintf("\nNothing is wrong with %s%s: %s fuzz %s\n", c.Target, skipped, c.Program, c.Flags))
	case !c.IsWrong():
		p.write(fmt.Sprintf("\nNo check failed on %s, but %d of %d could not check all that they ask.\n", c.Target,
			c.count(Unchecked), len(c.Results)))
	default:
		p.write(fmt.Sprintf("\n%d of %d checks found something wrong with %s; fix that first, or every trace will find it "+
			"again.\n", c.count(Wrong), len(c.Results), c.Target))
	}
	return p.err
}

func (p *Page) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text)
	}
}
