package replay

import (
	"math"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// The dialects of single programs. The file {out} is taken after what the program
// wrote.

func sayMiniSat(s *said, line []byte) {
	switch text := string(line); {
	case !s.inFile:
	case s.section == 1:
		s.literals(text)
	case text == "SAT":
		s.say(apimodel.Satisfiable)
		s.begin()
		s.section = 1
	case text == "UNSAT":
		s.say(apimodel.Unsatisfied)
	case text == "INDET":
		s.say(apimodel.Interrupted)
	}
}

// sayZ3 takes a value over two lines: the name, and what it is.
func sayZ3(s *said, line []byte) {
	text := strings.TrimSpace(string(line))
	name, isFunction := strings.CutPrefix(text, "(define-fun k!")
	switch {
	case text == "sat":
		s.say(apimodel.Optimum)
		s.begin()
	case text == "unsat":
		s.say(apimodel.Unsatisfied)
	case text == "unknown":
		s.say(apimodel.Interrupted)
	case isFunction:
		number, _, _ := strings.Cut(name, " ")
		v, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			s.wrong(faultValues, "want the number of a variable behind k!")
			return
		}
		s.lastVariable = int32(v)
	case s.lastVariable > 0 && (text == "true)" || text == "false)"):
		s.set(int64(s.lastVariable), text == "true)")
		s.lastVariable = 0
	case s.hasStatus && s.status == apimodel.Optimum && text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '-'):
		s.cost(text)
	}
}

func sayToulbar2(s *said, line []byte) {
	text := string(line)
	switch {
	case strings.HasPrefix(text, "Optimum: "):
		value, _, _ := strings.Cut(strings.TrimPrefix(text, "Optimum: "), " ")
		s.say(apimodel.Optimum)
		s.cost(value)
	case strings.HasPrefix(text, "No solution"):
		s.say(apimodel.Unsatisfied)
	case s.inFile:
		s.begin()
		s.bits(text)
	}
}

// sayCbc takes the lines "NUMBER NAME VALUE COST"; "**" before them marks values
// that do not fit.
func sayCbc(s *said, line []byte) {
	text := string(line)
	if !s.inFile {
		return
	}
	if status, rest, found := strings.Cut(text, " - objective value "); found {
		switch {
		case strings.HasPrefix(status, "Optimal"):
			s.say(apimodel.Optimum)
			s.decimal(strings.TrimSpace(rest))
			s.restIsFalse = true
			s.begin()
		case strings.Contains(strings.ToLower(status), "infeasible"):
			s.say(apimodel.Unsatisfied)
		default:
			s.say(apimodel.Interrupted)
		}
		return
	}
	if fields := strings.Fields(strings.TrimPrefix(text, "**")); s.status == apimodel.Optimum && len(fields) >= 3 {
		s.fraction(fields[1], fields[2])
	}
}

// fraction takes the value of a variable of a program that computes with
// fractions: close to 0 or 1.
func (s *said) fraction(name, value string) {
	v, err := strconv.ParseInt(strings.TrimPrefix(name, "x"), 10, 64)
	f, err2 := strconv.ParseFloat(value, 64)
	const tolerance = 1e-4
	if err != nil || err2 != nil || !strings.HasPrefix(name, "x") || math.Abs(f-math.Round(f)) > tolerance || math.Round(f) != 0 && math.Round(f) != 1 {
		s.wrong(faultValues, "want a variable and its value, 0 or 1")
		return
	}
	s.set(v, math.Round(f) == 1)
}

// sayGlpsol takes "s mip ROWS COLUMNS STATUS OBJECTIVE" and "j COLUMN VALUE".
func sayGlpsol(s *said, line []byte) {
	fields := strings.Fields(string(line))
	if !s.inFile || len(fields) == 0 {
		return
	}
	switch {
	case fields[0] == "s" && len(fields) == 6:
		switch fields[4] {
		case "o":
			s.say(apimodel.Optimum)
			s.decimal(fields[5])
			s.begin()
		case "n":
			s.say(apimodel.Unsatisfied)
		default:
			s.say(apimodel.Interrupted)
		}
	case fields[0] == "j" && len(fields) == 3 && s.status == apimodel.Optimum:
		column, err := strconv.Atoi(fields[1])
		if err != nil || column < 1 || column > len(s.columns) {
			s.wrong(faultValues, "want a column from 1 to %d", len(s.columns))
			return
		}
		s.fraction("x"+strconv.Itoa(int(s.columns[column-1])), fields[2])
	}
}

func sayLpSolve(s *said, line []byte) {
	text := string(line)
	switch {
	case strings.HasPrefix(text, "This problem is infeasible"):
		s.say(apimodel.Unsatisfied)
	case strings.HasPrefix(text, "Value of objective function:"):
		s.say(apimodel.Optimum)
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
			s.wrong(faultValues, "want a variable and its value")
		}
	}
}
