// Package format reads and writes the file formats that say a formula, or a
// sequence of them, as traces: DIMACS CNF, iCNF, WCNF before and after 2022,
// WCNFI, OPB, WBO, MPS and LP, and the trace text itself.
//
// Setting a soft literal l of IPAMIR true costs its weight; as a soft clause it
// is the unit clause -l. Assumptions are unit clauses where a format has none.
package format

import (
	"fmt"
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
)

// An Info is one row of the table of formats.
type Info struct {
	Format     Format
	Extensions []string // the first one is that of files that are written
	Doc        string
	Reads      bool
	Writes     bool
	Many       bool // says a sequence of solves; else a single one
	Soft       bool // has soft clauses or an objective
}

var formats = []Info{
	{Trace, []string{".trace"}, "the trace of ipafuzz, as text", true, true, true, true},
	{CNF, []string{".cnf", ".dimacs"}, "DIMACS CNF", true, true, false, false},
	{ICNF, []string{".icnf"}, "iCNF, as proof checkers of incremental solving read it: 'p icnf', then lines i, q, s, m, u", true, true, true, false},
	{IncCNF, []string{".inccnf"}, "the first iCNF: 'p inccnf', clauses, and a line 'a' for every solve", true, true, true, false},
	{WCNF, []string{".wcnf"}, "WCNF of the MaxSAT Evaluation from 2022 on: no header, 'h' before hard clauses", true, true, false, true},
	{WCNFOld, []string{".wcnf"}, "WCNF before 2022: 'p wcnf VARIABLES CLAUSES TOP'", true, true, false, true},
	{WCNFI, []string{".wcnfi"}, "incremental WCNF of the MaxSAT Evaluation: 'h', weights, and a line 'r' for every solve", true, true, true, true},
	{OPB, []string{".opb", ".pbo"}, "linear pseudo-Boolean constraints with an objective", true, true, false, true},
	{WBO, []string{".wbo"}, "pseudo-Boolean constraints that have a weight each", true, true, false, true},
	{MPS, []string{".mps"}, "integer programs, as free MPS: names and numbers between blanks", true, true, false, true},
	{LP, []string{".lp"}, "integer programs, as CPLEX's LP format", true, true, false, true},
}

// All returns the table of formats.
func All() []Info { return formats }

// Of returns the row of a format.
func Of(f Format) Info {
	for _, info := range formats {
		if info.Format == f {
			return info
		}
	}
	return Info{Format: f, Doc: "unknown"}
}

// Parse finds a format by its name.
func Parse(name string) (Format, error) {
	var names []string
	for _, info := range formats {
		if string(info.Format) == name {
			return info.Format, nil
		}
		names = append(names, string(info.Format))
	}
	return "", fmt.Errorf("there is no format %q; there are %s", name, strings.Join(names, ", "))
}
