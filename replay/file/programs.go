package file

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// The dialects of single programs read the file {out} after the program's output.

// readMiniSat reads the answer of MiniSat and of the many that answer like it, often on their output.
func readMiniSat(s *result, line []byte) {
	switch text := string(line); {
	case !s.inFile || s.valuesEnded:
	case s.section == 1:
		s.literals(text)
	case text == "SAT":
		s.setStatus(apimodel.Satisfiable)
		s.begin()
		s.section = 1
	case text == "UNSAT":
		s.setStatus(apimodel.Unsatisfiable)
	case text == "INDET":
		s.setStatus(apimodel.Interrupted)
	}
}

// readZ3 reads the output of z3. The name and the value of a variable are on two lines.
func readZ3(s *result, line []byte) {
	text := strings.TrimSpace(string(line))
	name, isFunction := strings.CutPrefix(text, "(define-fun k!")
	switch {
	case text == "sat":
		s.setStatus(apimodel.Optimum)
		s.begin()
	case text == "unsat":
		s.setStatus(apimodel.Unsatisfiable)
	case text == "unknown":
		s.setStatus(apimodel.Interrupted)
	case isFunction:
		number, _, _ := strings.Cut(name, " ")
		v, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			s.fail(faultValues, "want the number of a variable behind k!")
			return
		}
		s.lastVariable = int32(v)
	case s.lastVariable > 0 && (text == "true)" || text == "false)"):
		s.set(int64(s.lastVariable), text == "true)")
		s.lastVariable = 0
	case s.hasStatus && s.status == apimodel.Optimum && text != "" && strings.IndexByte("-0123456789", text[0]) >= 0:
		s.cost(text)
	}
}

func readToulbar2(s *result, line []byte) {
	text := string(line)
	switch {
	case strings.HasPrefix(text, "Optimum: "):
		value, _, _ := strings.Cut(strings.TrimPrefix(text, "Optimum: "), " ")
		s.setStatus(apimodel.Optimum)
		s.cost(value)
	case strings.HasPrefix(text, "No solution"):
		s.setStatus(apimodel.Unsatisfiable)
	case s.inFile:
		s.begin()
		s.bits(text)
	}
}

// readCbc reads lines "NUMBER NAME VALUE COST". A leading "**" marks a value that violates a
// constraint.
func readCbc(s *result, line []byte) {
	text := string(line)
	if !s.inFile {
		return
	}
	if status, rest, found := strings.Cut(text, " - objective value "); found {
		switch {
		case strings.HasPrefix(status, "Optimal"):
			s.setStatus(apimodel.Optimum)
			s.decimal(strings.TrimSpace(rest))
			s.restIsFalse = true
			s.begin()
		case strings.Contains(strings.ToLower(status), "infeasible"):
			s.setStatus(apimodel.Unsatisfiable)
		default:
			s.setStatus(apimodel.Interrupted)
		}
		return
	}
	if fields := strings.Fields(strings.TrimPrefix(text, "**")); s.status == apimodel.Optimum && len(fields) >= 3 {
		s.fraction(fields[1], fields[2])
	}
}

// fraction sets the value of a variable for a program that computes with fractions. The value
// must be close to 0 or 1.
func (s *result) fraction(name, value string) {
	v, err := strconv.ParseInt(strings.TrimPrefix(name, "x"), 10, 64)
	f, err2 := strconv.ParseFloat(value, 64)
	const tolerance = 1e-4
	rounded := math.Round(f)
	if err != nil || err2 != nil || !strings.HasPrefix(name, "x") ||
		math.Abs(f-rounded) > tolerance || rounded != 0 && rounded != 1 {
		s.fail(faultValues, "want a variable and its value, 0 or 1")
		return
	}
	s.set(v, rounded == 1)
}

// readGlpsol reads "s mip ROWS COLUMNS STATUS OBJECTIVE" and "j COLUMN VALUE".
func readGlpsol(s *result, line []byte) {
	fields := strings.Fields(string(line))
	if !s.inFile || len(fields) == 0 {
		return
	}
	switch {
	case fields[0] == "s" && len(fields) == 6:
		switch fields[4] {
		case "o":
			s.setStatus(apimodel.Optimum)
			s.decimal(fields[5])
			s.begin()
		case "n":
			s.setStatus(apimodel.Unsatisfiable)
		default:
			s.setStatus(apimodel.Interrupted)
		}
	case fields[0] == "j" && len(fields) == 3 && s.status == apimodel.Optimum:
		column, err := strconv.Atoi(fields[1])
		if err != nil || column < 1 || column > len(s.columns) {
			s.fail(faultValues, "want a column from 1 to %d", len(s.columns))
			return
		}
		s.fraction("x"+strconv.Itoa(int(s.columns[column-1])), fields[2])
	}
}

func readLpSolve(s *result, line []byte) {
	text := string(line)
	switch {
	case strings.HasPrefix(text, "This problem is infeasible"):
		s.setStatus(apimodel.Unsatisfiable)
	case strings.HasPrefix(text, "Value of objective function:"):
		s.setStatus(apimodel.Optimum)
		s.decimal(strings.TrimSpace(strings.TrimPrefix(text, "Value of objective function:")))
	case strings.HasPrefix(text, "Actual values of the variables:"):
		s.section = 1
		s.begin()
	case strings.HasPrefix(text, "Actual values of the constraints:"):
		s.section = 2
	case s.section == 1 && text != "":
		if fields := strings.Fields(text); len(fields) == 2 {
			s.fraction(fields[0], fields[1])
		} else {
			s.fail(faultValues, "want a variable and its value")
		}
	}
}

// readQDIMACS reads the output of a solver of quantified formulas. It may print values of some
// variables of the outermost block. Many solvers print a word instead of the status line, and Qute
// prints values after a v, as solvers of SAT do; any other line that begins so is for people.
func readQDIMACS(s *result, line []byte) {
	fields := strings.Fields(string(line))
	switch {
	case len(fields) == 0:
	case fields[0] == "s" && len(fields) > 2:
		status, known := map[string]int32{"1": apimodel.Satisfiable, "0": apimodel.Unsatisfiable,
			"-1": apimodel.Interrupted}[strings.Join(fields[2:min(len(fields), 3)], "")]
		if !known || fields[1] != "cnf" {
			s.fail(faultStatus, "want s cnf 1, s cnf 0 or s cnf -1")
			return
		}
		s.setStatus(status)
	case len(fields) == 1 && (fields[0] == "SAT" || fields[0] == "UNSAT"):
		status := map[string]int32{"SAT": apimodel.Satisfiable, "UNSAT": apimodel.Unsatisfiable}[fields[0]]
		if !slices.Contains(s.words, status) {
			s.words = append(s.words, status)
		}
	case fields[0] == "V" || fields[0] == "v" && areLiterals(fields[1:]):
		s.begin()
		s.valuesEnded = false
		s.literals(strings.Join(fields[1:], " "))
	}
}

// areLiterals reports whether all fields are literals, and a 0 ends them.
func areLiterals(fields []string) bool {
	for i, field := range fields {
		if n, err := strconv.ParseInt(field, 10, 32); err != nil || (n == 0) != (i == len(fields)-1) {
			return false
		}
	}
	return len(fields) > 0
}

// readSMTLIB reads the answer to (check-sat).
func readSMTLIB(s *result, line []byte) {
	switch string(line) {
	case "sat":
		s.setStatus(apimodel.Satisfiable)
	case "unsat":
		s.setStatus(apimodel.Unsatisfiable)
	case "unknown":
		s.setStatus(apimodel.Interrupted)
	}
}
