package veripb

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// ReadOPB reads linear constraints and an objective to minimise. It numbers the constraints like VeriPB: an equation is
// two, at least and then at most.
func ReadOPB(in io.Reader) (*Problem, error) {
	p := &Problem{NoCosts: true}
	r := &reader{in: bufio.NewReader(&withoutComments{in: bufio.NewReader(in)}), line: 1}
	for {
		switch err := r.next(); {
		case err == io.EOF:
			return p, nil
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", r.start, err)
		case len(r.words) == 0:
			continue
		}
		if err := p.take(r.words); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.start, err)
		}
	}
}

func (p *Problem) take(words []string) error {
	if words[0] == "min" && len(words) > 1 && words[1] == ":" {
		return p.minimise(words[2:])
	}
	n := len(words) - 2
	if n < 0 || words[n] != ">=" && words[n] != "=" {
		return unsupported("a constraint without >= and =")
	}
	isEquation := words[n] == "="
	words[n] = ">="
	c, err := readConstraint(words)
	if err != nil {
		return err
	}
	p.rows = append(p.rows, c)
	if isEquation {
		for i := 0; i <= n+1; i++ {
			if i%2 == 0 && i < n || i == n+1 {
				words[i] = negated(words[i])
			}
		}
		if c, err = readConstraint(words); err != nil {
			return err
		}
		p.rows = append(p.rows, c)
	}
	return nil
}

func negated(number string) string {
	if positive, isNegative := strings.CutPrefix(number, "-"); isNegative {
		return positive
	}
	return "-" + strings.TrimPrefix(number, "+")
}

func (p *Problem) minimise(words []string) error {
	p.NoCosts = false
	if len(words)%2 != 0 {
		return read.Errorf(read.Malformed, "want coefficients and literals")
	}
	for i := 0; i < len(words); i += 2 {
		digits, isNegative := strings.CutPrefix(words[i], "-")
		weight, err := weight(digits)
		if err != nil {
			return err
		}
		lit, err := literal(words[i+1])
		if err != nil {
			return err
		}
		if isNegative { // -w x is w ~x - w
			lit = -lit
			if p.shift += weight; p.shift < weight {
				return unsupported("costs that add up to 2^64")
			}
		}
		p.Costs = append(p.Costs, Cost{Lit: lit, Weight: weight})
	}
	return nil
}

// withoutComments drops lines that begin with a star.
type withoutComments struct {
	in   *bufio.Reader
	line []byte
}

// Read implements io.Reader.
func (w *withoutComments) Read(to []byte) (int, error) {
	for len(w.line) == 0 {
		line, err := w.in.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		if w.line = line; line[0] == '*' {
			w.line = []byte{'\n'}
		}
	}
	n := copy(to, w.line)
	w.line = w.line[n:]
	return n, nil
}
