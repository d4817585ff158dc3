// Package format reads and writes traces as files: DIMACS CNF, iCNF, WCNF before and after
// 2022, WCNFI, OPB, WBO, MPS, LP, QDIMACS and the text of traces. It also writes SMT-LIB.
//
// In IPAMIR, a soft literal l costs its weight if it is true, so the soft clause for it is the
// unit clause -l. Assumptions become unit clauses in formats without assumptions.
package format

import (
	"fmt"
	"path/filepath"
	"strings"
)

// A Format is the name of a file format.
type Format string

// The formats.
const (
	Trace   Format = "trace"
	CNF     Format = "cnf"
	ICNF    Format = "icnf"
	IncCNF  Format = "inccnf"
	WCNF    Format = "wcnf"
	WCNFOld Format = "wcnf-old"
	WCNFI   Format = "wcnfi"
	OPB     Format = "opb"
	WBO     Format = "wbo"
	MPS     Format = "mps"
	LP      Format = "lp"
	QDIMACS Format = "qdimacs"
	SMTLIB  Format = "smtlib"
)

// An Info describes a format.
type Info struct {
	Format     Format
	Extensions []string // of file names; files that ipafuzz writes get the first one
	Doc        string
	Many       bool // a file may have more than one solve
	Soft       bool // a file may have soft clauses or an objective
}

var formats = []Info{
	{Trace, []string{".trace"}, "the trace of ipafuzz, as text", true, true},
	{CNF, []string{".cnf", ".dimacs"}, "DIMACS CNF", false, false},
	{ICNF, []string{".icnf"},
		"iCNF, as proof checkers of incremental solving read it: 'p icnf', then lines i, q, s, m, u", true, false},
	{IncCNF, []string{".inccnf"}, "the first iCNF: 'p inccnf', clauses, and a line 'a' for every solve", true, false},
	{WCNF, []string{".wcnf"},
		"WCNF of the MaxSAT Evaluation from 2022 on: no header, 'h' before hard clauses", false, true},
	{WCNFOld, []string{".wcnf"}, "WCNF before 2022: 'p wcnf VARIABLES CLAUSES TOP'", false, true},
	{WCNFI, []string{".wcnfi"},
		"incremental WCNF of the MaxSAT Evaluation: 'h', weights, and a line 'r' for every solve", true, true},
	{OPB, []string{".opb", ".pbo"}, "linear pseudo-Boolean constraints with an objective", false, true},
	{WBO, []string{".wbo"}, "pseudo-Boolean constraints that have a weight each", false, true},
	{MPS, []string{".mps"}, "integer programs, as free MPS: names and numbers between blanks", false, true},
	{LP, []string{".lp"}, "integer programs, as CPLEX's LP format; it is only written", false, true},
	{QDIMACS, []string{".qdimacs"}, "QDIMACS 1.1: quantifier blocks and clauses", false, false},
	{SMTLIB, []string{".smt2"}, "the same as SMT-LIB, for solvers of quantified Booleans; it is only written",
		false, false},
}

// Quantified reports whether a file of the format may have quantifiers.
func (f Format) Quantified() bool { return f == QDIMACS || f == SMTLIB }

// All returns the descriptions of all formats.
func All() []Info { return formats }

// Of returns the description of a format, or one that says "unknown".
func Of(f Format) Info {
	for _, info := range formats {
		if info.Format == f {
			return info
		}
	}
	return Info{Format: f, Doc: "unknown"}
}

// Named returns the format in which ipafuzz writes a file of that name, and false if the name does not tell.
func Named(file string) (Format, bool) {
	for _, info := range formats {
		if filepath.Ext(file) == info.Extensions[0] {
			return info.Format, true
		}
	}
	return "", false
}

// Parse returns the format of that name.
func Parse(name string) (Format, error) {
	var names []string
	for _, info := range formats {
		if string(info.Format) == name {
			return info.Format, nil
		}
		names = append(names, string(info.Format))
	}
	return "", fmt.Errorf("unknown format %q; want one of %s", name, strings.Join(names, ", "))
}
