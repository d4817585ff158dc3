package file

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A dialect is the format of a program's output: which lines hold the status, the objective
// value and the values of the variables. All other lines are for people and are ignored.
type dialect struct {
	Name string
	Doc  string
	line func(*result, []byte) // reads a line of the output
	// ofOut is set if the answer is in the file {out} alone or, if the command names none, in the output.
	ofOut bool
	// statusOnly is set if programs print neither values nor costs.
	statusOnly bool
	// everyValue is set if the values are those of all variables up to the largest of the file.
	everyValue bool
}

// dialects are the known dialects.
var dialects = []dialect{
	{Name: "sat", Doc: "s SATISFIABLE, s UNSATISFIABLE, s UNKNOWN; v lines of literals, up to a 0 (SAT Competition)",
		line: sov((*result).literals)},
	{Name: "mse", Doc: "s OPTIMUM FOUND and so on; o lines; a v line of one character 0 or 1 for each variable " +
		"(MaxSAT Evaluation from 2022 on)", line: sov((*result).bits), everyValue: true},
	{Name: "mse-old", Doc: "the same with v lines of literals (before 2022)", line: sov((*result).literals)},
	{Name: "pb", Doc: "the same with v lines of names: x1 -x2 (Pseudo-Boolean Competition)", line: sov((*result).names)},
	{Name: "minisat", Doc: "SAT and the literals, or UNSAT, or INDET, in the file {out}, or in the output if the " +
		"command has no {out}", line: readMiniSat, ofOut: true},
	{Name: "z3", Doc: "sat or unsat; (define-fun k!1 () Bool true); the objective value in a line of its own",
		line: readZ3},
	{Name: "toulbar2", Doc: "Optimum: N or No solution; the values in the file {out}", line: readToulbar2},
	{Name: "cbc", Doc: "Optimal - objective value N, or Infeasible, and a line for each variable, in the file {out}",
		line: readCbc},
	{Name: "glpsol", Doc: "a line s, and a line j for each column, in the file {out}", line: readGlpsol},
	{Name: "qdimacs", Doc: "s cnf 1, s cnf 0 or s cnf -1; V lines of literals of the outermost block, each with a 0 " +
		"(QDIMACS 1.1); or SAT or UNSAT, and the same lines with v", line: readQDIMACS},
	{Name: "smtlib", Doc: "sat, unsat or unknown", line: readSMTLIB, statusOnly: true},
	{Name: "lp_solve", Doc: "Value of objective function, and a line for each variable; This problem is infeasible",
		line: readLpSolve},
}

func dialectNamed(name string) (*dialect, error) {
	if name == "" {
		return nil, errors.New("the key dialect is missing: its format does not tell how the program prints its answer")
	}
	var names []string
	for i := range dialects {
		if dialects[i].Name == name {
			return &dialects[i], nil
		}
		names = append(names, dialects[i].Name)
	}
	return nil, fmt.Errorf("unknown dialect %q; want one of %s", name, strings.Join(names, ", "))
}

// A result is what the output of a program says about one formula.
type result struct {
	formula *format.Formula
	columns []int32 // variables by column of the file, for programs that number columns

	status       int32
	hasStatus    bool
	words        []int32  // statuses told in words for people; one alone counts if nothing else tells the status
	objective    *big.Int // nil if there is none; without the offset until settle
	values       map[int32]bool
	hasValues    bool
	restIsFalse  bool // variables without a value are false
	inValues     bool // the last line that is not a comment had values
	commented    bool // comments followed that line
	valuesEnded  bool // a 0 ended the values
	inFile       bool // the lines come from the file {out}
	section      int  // the part of the output, for dialects with several parts
	lastVariable int32
	beside       map[int32]bool // winnersBeside, computed when needed

	// fault is the kind of the first mistake in the output; where quotes the line.
	fault, where string
	number       int // of the line
	line         []byte
	first        []byte // the first line that is not empty

	overlooked overlooked
	occurring  map[int32]bool // the variables that occur in the formula, computed when needed
}

// Kinds of mistakes in output. The oracle knows these names (docs/judging.md).
const (
	faultStatus    = "unknown status line"
	faultNoStatus  = "no status line"
	faultTwice     = "two status lines"
	faultObjective = "malformed objective"
	faultValues    = "malformed values"
	faultTooFew    = "model too short"
	faultTooMany   = "model too big"
	faultExit      = "exit code"
)

// read reads the program's output and the file {out}.
func (d *dialect) read(s *result, output, file []byte) {
	s.values = make(map[int32]bool)
	d.lines(s, output)
	s.inFile, s.number = true, 0
	d.lines(s, file)
	if d.everyValue && s.hasValues && s.fault == "" {
		if last := slices.Max(append(slices.Collect(maps.Keys(occurring(s.formula))), 0)); s.lastVariable < last {
			s.fault = faultTooFew
			s.where = fmt.Sprintf("its v line has %d values, and the file has variable %d", s.lastVariable, last)
		}
	}
}

func (d *dialect) lines(s *result, text []byte) {
	for line := range bytes.Lines(text) {
		s.number++
		s.line = bytes.TrimRight(line, "\r\n \t")
		if len(s.first) == 0 {
			s.first = s.line
		}
		d.line(s, s.line)
		s.overlook(s.line)
		if s.fault != "" {
			return
		}
	}
}

func (s *result) fail(fault, format string, args ...any) {
	place := "output"
	if s.inFile {
		place = "file " + placeOut
	}
	if s.fault == "" {
		s.fault = fault
		reason := fmt.Sprintf(format, args...)
		s.where = fmt.Sprintf("line %d of its %s, %s: %s", s.number, place, replay.Excerpt(s.line), reason)
	}
}

func (s *result) setStatus(status int32) {
	if s.hasStatus && s.status != status {
		s.fail(faultTwice, "another status came before")
	}
	s.status, s.hasStatus = status, true
}

// cost sets the objective value. A later value replaces an earlier one.
func (s *result) cost(text string) {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || strings.HasPrefix(text, "+") {
		s.fail(faultObjective, "want a number")
		return
	}
	s.objective = n
}

// decimal sets the objective value of a program that computes with fractions.
func (s *result) decimal(text string) {
	f, _, err := big.ParseFloat(text, 10, 100, big.ToNearestEven)
	if err != nil || f.IsInf() {
		s.fail(faultObjective, "want a number")
		return
	}
	half := big.NewFloat(0.5)
	if f.Sign() < 0 {
		half.Neg(half)
	}
	s.objective, _ = f.Add(f, half).Int(nil)
}

func (s *result) set(v int64, value bool) {
	if v <= 0 || v > math.MaxInt32 {
		s.fail(faultValues, "want variables from 1 to 2147483647")
		return
	}
	if before, twice := s.values[int32(v)]; twice && before != value {
		s.fail(faultValues, "variable %d is both true and false", v)
		return
	}
	// Class 4.2, "model too big", begins at ten values per variable.
	if most := 10 * max(int64(s.formula.MaxVar), 10); int64(len(s.values)) >= most {
		s.fail(faultTooMany, "it has more than %d values, and the file has %d variables", most, s.formula.MaxVar)
		return
	}
	s.values[int32(v)] = value
}

// startsAnew reports whether a line of values, after comments, belongs to another solution than
// the lines before the comments. It does if those lines ended, or if they already have a value for
// its first variable.
func (s *result) startsAnew(line string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	v, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimPrefix(first, "-"), "x"), 10, 32)
	_, has := s.values[int32(v)]
	return s.valuesEnded || s.lastVariable > 0 || err == nil && has
}

// begin begins a line of values. If the line before had none, begin forgets earlier values.
func (s *result) begin() {
	if !s.inValues {
		clear(s.values)
		s.valuesEnded, s.lastVariable = false, 0
	}
	s.inValues, s.hasValues = true, true
}

var statusWords = map[string]int32{
	"SATISFIABLE":   apimodel.Satisfiable,
	"UNSATISFIABLE": apimodel.Unsatisfiable,
	"OPTIMUM FOUND": apimodel.Optimum,
	"UNKNOWN":       apimodel.Interrupted,
	"UNSUPPORTED":   apimodel.Interrupted,
}

// sov returns a reader for a dialect with lines s, o and v. These dialects differ only in how
// they write the values.
func sov(values func(*result, string)) func(*result, []byte) {
	return func(s *result, line []byte) {
		word, rest, _ := strings.Cut(string(line), " ")
		switch word {
		case "v":
			s.inValues = s.inValues && !(s.commented && s.startsAnew(rest))
			s.commented = false
		case "c", "":
			s.commented = true
		default:
			s.inValues = false
		}
		switch word {
		case "s":
			status, known := statusWords[strings.TrimSpace(rest)]
			if !known {
				s.fail(faultStatus, "want s OPTIMUM FOUND, SATISFIABLE, UNSATISFIABLE or UNKNOWN")
				return
			}
			s.setStatus(status)
		case "o":
			s.cost(strings.TrimSpace(rest))
		case "v":
			s.begin()
			values(s, rest)
		}
	}
}

func (s *result) literals(text string) {
	for field := range strings.FieldsSeq(text) {
		lit, err := strconv.ParseInt(field, 10, 64)
		switch {
		case err != nil || field[0] == '+':
			s.fail(faultValues, "want literals")
			return
		case s.valuesEnded:
			s.fail(faultValues, "values follow the final 0")
			return
		case lit == 0:
			s.valuesEnded = true
			continue
		}
		s.set(max(lit, -lit), lit > 0)
	}
}

func (s *result) bits(text string) {
	for field := range strings.FieldsSeq(text) {
		for _, bit := range []byte(field) {
			if bit != '0' && bit != '1' {
				s.fail(faultValues, "want a 0 or a 1 for every variable")
				return
			}
			s.lastVariable++
			s.set(int64(s.lastVariable), bit == '1')
		}
	}
}

func (s *result) names(text string) {
	for field := range strings.FieldsSeq(text) {
		name, negative := strings.CutPrefix(field, "-")
		v, err := strconv.ParseInt(strings.TrimPrefix(name, "x"), 10, 64)
		if err != nil || !strings.HasPrefix(name, "x") {
			s.fail(faultValues, "want x1 or -x1 for every variable")
			return
		}
		s.set(v, !negative)
	}
}
