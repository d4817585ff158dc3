package replay

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A Dialect is how a solver program says its answer: which lines hold the
// status, the objective value and the values of the variables. Lines of no
// meaning to it are for people.
type Dialect struct {
	Name string
	Doc  string
	line func(*said, []byte) // takes a line of what the program wrote
}

// Dialects are the known ones.
var Dialects = []Dialect{
	{"sat", "s SATISFIABLE, s UNSATISFIABLE, s UNKNOWN; v lines of literals, up to a 0 (SAT Competition)", sov((*said).literals)},
	{"mse", "s OPTIMUM FOUND and so on; o lines; a v line of one character 0 or 1 for each variable (MaxSAT Evaluation from 2022 on)", sov((*said).bits)},
	{"mse-old", "the same with v lines of literals (before 2022)", sov((*said).literals)},
	{"pb", "the same with v lines of names: x1 -x2 (Pseudo-Boolean Competition)", sov((*said).names)},
	{"minisat", "SAT and the literals, or UNSAT, or INDET, in the file {out}", sayMiniSat},
	{"z3", "sat or unsat; (define-fun k!1 () Bool true); the objective value in a line of its own", sayZ3},
	{"toulbar2", "Optimum: N or No solution; the values in the file {out}", sayToulbar2},
	{"cbc", "Optimal - objective value N, or Infeasible, and a line for each variable, in the file {out}", sayCbc},
	{"glpsol", "a line s, and a line j for each column, in the file {out}", sayGlpsol},
	{"lp_solve", "Value of objective function, and a line for each variable; This problem is infeasible", sayLpSolve},
}

// DialectNamed finds a dialect.
func DialectNamed(name string) (*Dialect, error) {
	var names []string
	for i := range Dialects {
		if Dialects[i].Name == name {
			return &Dialects[i], nil
		}
		names = append(names, Dialects[i].Name)
	}
	return nil, fmt.Errorf("there is no dialect %q; there are %s", name, strings.Join(names, ", "))
}

// said is what a program said about one formula.
type said struct {
	formula *format.Formula
	columns []int32 // as the file names them, for programs that number them

	status       int32
	hasStatus    bool
	objective    *big.Int // without the offset; nil: not said
	values       map[int32]bool
	hasValues    bool
	restIsFalse  bool // what is not said is false
	inValues     bool // the last line was one of values
	valuesEnded  bool // by a 0
	inFile       bool // the lines are those of the file {out}
	section      int  // of dialects with a state
	lastVariable int32

	// What is wrong with the output: a few words that stay the same for the same
	// fault, and the line.
	fault, where string
	number       int // of the line
	line         []byte
}

// Faults of output. The oracle knows their names (docs/faults.md).
const (
	faultStatus    = "unknown status line"
	faultNoStatus  = "no status line"
	faultTwice     = "two status lines"
	faultObjective = "malformed objective"
	faultValues    = "malformed values"
	faultTooMany   = "model too big"
	faultExit      = "exit code"
)

// hear takes what the program wrote, and the file {out}.
func (d *Dialect) hear(s *said, output, file []byte) {
	s.values = make(map[int32]bool)
	d.lines(s, output)
	s.inFile, s.number = true, 0
	d.lines(s, file)
}

func (d *Dialect) lines(s *said, text []byte) {
	for line := range bytes.Lines(text) {
		s.number++
		s.line = bytes.TrimRight(line, "\r\n \t")
		d.line(s, s.line)
		if s.fault != "" {
			return
		}
	}
}

func (s *said) wrong(fault, format string, args ...any) {
	place := "output"
	if s.inFile {
		place = "file " + placeOut
	}
	if s.fault == "" {
		s.fault = fault
		s.where = fmt.Sprintf("line %d of its %s, %s: ", s.number, place, shown(s.line)) + fmt.Sprintf(format, args...)
	}
}

func (s *said) say(status int32) {
	if s.hasStatus && s.status != status {
		s.wrong(faultTwice, "it had said another status before")
	}
	s.status, s.hasStatus = status, true
}

// cost takes an objective value: a later one replaces it.
func (s *said) cost(text string) {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || strings.HasPrefix(text, "+") {
		s.wrong(faultObjective, "want a number")
		return
	}
	s.objective = n
}

// decimal takes an objective value of a program that computes with fractions.
func (s *said) decimal(text string) {
	f, _, err := big.ParseFloat(text, 10, 100, big.ToNearestEven)
	if err != nil || f.IsInf() {
		s.wrong(faultObjective, "want a number")
		return
	}
	half := big.NewFloat(0.5)
	if f.Sign() < 0 {
		half.Neg(half)
	}
	s.objective, _ = f.Add(f, half).Int(nil)
}

// set takes the value of a variable.
func (s *said) set(v int64, value bool) {
	if v <= 0 || v > math.MaxInt32 {
		s.wrong(faultValues, "want variables from 1 to 2147483647")
		return
	}
	if before, twice := s.values[int32(v)]; twice && before != value {
		s.wrong(faultValues, "variable %d is both true and false", v)
		return
	}
	// Ten times as many as there are is what the published classification allows.
	if most := 10 * max(int64(s.formula.MaxVar), 10); int64(len(s.values)) >= most {
		s.wrong(faultTooMany, "these are more than %d values, and the file has %d variables", most, s.formula.MaxVar)
		return
	}
	s.values[int32(v)] = value
}

// begin starts the values of another solution.
func (s *said) begin() {
	if !s.inValues {
		clear(s.values)
		s.valuesEnded, s.lastVariable = false, 0
	}
	s.inValues, s.hasValues = true, true
}

var statusWords = map[string]int32{
	"SATISFIABLE": apimodel.Satisfiable, "UNSATISFIABLE": apimodel.Unsatisfied, "OPTIMUM FOUND": apimodel.Optimum, "UNKNOWN": apimodel.Interrupted,
	"UNSUPPORTED": apimodel.Interrupted,
}

// sov is the family of dialects with lines s, o and v; they differ in what
// stands in the last.
func sov(values func(*said, string)) func(*said, []byte) {
	return func(s *said, line []byte) {
		word, rest, _ := strings.Cut(string(line), " ")
		if word != "v" {
			s.inValues = false
		}
		switch word {
		case "s":
			status, known := statusWords[strings.TrimSpace(rest)]
			if !known {
				s.wrong(faultStatus, "want s OPTIMUM FOUND, SATISFIABLE, UNSATISFIABLE or UNKNOWN")
				return
			}
			s.say(status)
		case "o":
			s.cost(strings.TrimSpace(rest))
		case "v":
			s.begin()
			values(s, rest)
		}
	}
}

func (s *said) literals(text string) {
	for field := range strings.FieldsSeq(text) {
		lit, err := strconv.ParseInt(field, 10, 64)
		switch {
		case err != nil || field[0] == '+':
			s.wrong(faultValues, "want literals")
			return
		case s.valuesEnded:
			s.wrong(faultValues, "there are values behind the 0 that ends them")
			return
		case lit == 0:
			s.valuesEnded = true
			continue
		}
		s.set(max(lit, -lit), lit > 0)
	}
}

func (s *said) bits(text string) {
	for field := range strings.FieldsSeq(text) {
		for _, bit := range []byte(field) {
			if bit != '0' && bit != '1' {
				s.wrong(faultValues, "want a 0 or a 1 for every variable")
				return
			}
			s.lastVariable++
			s.set(int64(s.lastVariable), bit == '1')
		}
	}
}

func (s *said) names(text string) {
	for field := range strings.FieldsSeq(text) {
		name, negative := strings.CutPrefix(field, "-")
		v, err := strconv.ParseInt(strings.TrimPrefix(name, "x"), 10, 64)
		if err != nil || !strings.HasPrefix(name, "x") {
			s.wrong(faultValues, "want x1 or -x1 for every variable")
			return
		}
		s.set(v, !negative)
	}
}
