// Package file runs traces on programs that read a formula from a file and print an answer,
// as in solver competitions. Each solve of a trace is one run of the program. A dialect says
// how to read the output, and an exit policy how to judge the exit code.
package file

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A driver runs traces on a program that reads a formula from a file and prints an answer.
// Each solve of a trace is one file: the clauses so far, with the assumptions as unit
// clauses.
type driver struct {
	format  format.Format
	dialect *dialect
	exit    *exitPolicy
	effort  effort
	stop    replay.Span // when an anytime program is told to stop
	// complete is set if the program prints s SATISFIABLE for a best solution when
	// simplification has left nothing to optimise.
	complete bool
	proof    string // format of the proofs; "" if the program writes none

	// What the program is known to misread. The driver skips such solves, because their
	// failures would not be faults of the solver.
	maxVar     uint64
	maxWeight  uint64
	maxSum     uint64
	unreadable []string

	unread unread
}

// effort tells how hard a program tries.
type effort string

const (
	exact      effort = "exact"      // always answers
	anytime    effort = "anytime"    // answers with its best solution when it is told to stop
	incomplete effort = "incomplete" // may give up
)

// Kinds of formulas that a program may be unable to read.
const (
	emptyClause  = "empty-clause"  // a hard clause without literals
	emptySoft    = "empty-soft"    // a soft clause without literals
	emptyFormula = "empty-formula" // no clauses
	noSoft       = "no-soft"       // an optimisation problem with nothing to optimise
	noHard       = "no-hard"
	unusedVars   = "unused-variables" // some variables below the greatest do not occur
)

var unreadableWords = []string{emptyClause, emptySoft, emptyFormula, noSoft, noHard, unusedVars}

var (
	defaultDialects = map[format.Format]string{format.CNF: "sat", format.WCNF: "mse", format.WCNFOld: "mse-old",
		format.OPB: "pb", format.WBO: "pb", format.QDIMACS: "qdimacs", format.SMTLIB: "smtlib"}
	defaultExitCodes = map[format.Format]string{format.CNF: "sat", format.WCNF: "mse2024", format.QDIMACS: "qdimacs",
		format.SMTLIB: "zero"}
)

// An Entry holds the keys of the targets file that only file targets have.
type Entry struct {
	Format     string   `toml:"format"`
	Dialect    string   `toml:"dialect"`
	ExitCodes  string   `toml:"exit-codes"`
	Effort     string   `toml:"kind"`
	Complete   bool     `toml:"satisfiable-is-optimum"`
	MaxVar     int64    `toml:"max-var"`
	Unreadable []string `toml:"unreadable"`
	Proof      string   `toml:"proof"`
	Sigterm    string   `toml:"sigterm-after"`
}

// Driver checks the entry and returns the driver for it.
func (e *Entry) Driver(bounds *apimodel.Bounds) (replay.Driver, error) {
	f := &driver{effort: effort(e.Effort), complete: e.Complete, unreadable: e.Unreadable}
	var err error
	if f.format, err = format.Parse(e.Format); err != nil {
		return nil, err
	}
	info := format.Of(f.format)
	if info.Many {
		return nil, fmt.Errorf("format %s is not for one formula", f.format)
	}
	e.Dialect = cmp.Or(e.Dialect, defaultDialects[f.format])
	if f.dialect, err = dialectNamed(e.Dialect); err != nil {
		return nil, err
	}
	e.ExitCodes = cmp.Or(e.ExitCodes, defaultExitCodes[f.format], "mse2023")
	if f.exit, err = exitPolicyNamed(e.ExitCodes); err != nil {
		return nil, err
	}
	switch f.effort {
	case "":
		f.effort = exact
	case exact, anytime, incomplete:
	default:
		return nil, fmt.Errorf("kind: want exact, anytime or incomplete, got %q", e.Effort)
	}
	if err := f.provesIn(e.Proof); err != nil {
		return nil, err
	}
	if f.stop, err = e.span(f.effort); err != nil {
		return nil, err
	}
	for _, word := range e.Unreadable {
		if !slices.Contains(unreadableWords, word) {
			return nil, fmt.Errorf("unreadable has %q; there are %s", word, strings.Join(unreadableWords, ", "))
		}
	}
	if e.MaxVar < 0 {
		return nil, fmt.Errorf("max-var is %d, want a number above 0", e.MaxVar)
	}
	bounds.Tighten(apimodel.Bounds{MaxWeight: format.MaxWeight, MaxSum: math.MaxUint64 - 1}) // the formats allow no more
	f.maxVar, f.maxWeight, f.maxSum = uint64(e.MaxVar), bounds.MaxWeight, bounds.MaxSum
	return f, nil
}

// Unreadable returns why the program cannot read the formula of the solve at that index, or "".
func (f *driver) Unreadable(t *trace.Trace, solve int) string {
	for _, formula := range format.Solves(t) {
		if formula.Call == solve {
			return f.misreads(formula)
		}
	}
	return ""
}

// misreads returns why the program cannot read the formula, or "".
func (f *driver) misreads(formula *format.Formula) string {
	sum, fits := formula.Sum()
	switch {
	case f.maxVar > 0 && uint64(formula.MaxVar) > f.maxVar:
		return fmt.Sprintf("max-var is %d; it has variable %d", f.maxVar, formula.MaxVar)
	case formula.MaxWeight() > f.maxWeight:
		return fmt.Sprintf("max-weight is %d; it has weight %d", f.maxWeight, formula.MaxWeight())
	case !fits:
		return fmt.Sprintf("max-sum is %d; its weights add up to 2^64 or more", f.maxSum)
	case sum > f.maxSum:
		return fmt.Sprintf("max-sum is %d; its weights add up to %d", f.maxSum, sum)
	}
	for _, word := range f.unreadable {
		if is(word, formula, f.format) {
			return "unreadable has " + word
		}
	}
	return ""
}

// is reports whether the formula is of that kind. A QDIMACS file has no empty clause and is never without clauses,
// whatever the trace has.
func is(word string, f *format.Formula, in format.Format) bool {
	switch word {
	case emptyClause, emptyFormula:
		if in == format.QDIMACS {
			return false
		}
	}
	switch word {
	case emptyClause:
		return slices.ContainsFunc(f.Clauses, func(clause []int32) bool { return len(clause) == 0 })
	case emptySoft:
		for s := range f.SoftClauses {
			if len(s.Lits) == 0 {
				return true
			}
		}
		return false
	case emptyFormula:
		return len(f.Clauses)+len(f.Assumptions) == 0 && !f.HasSoft()
	case noSoft:
		return !f.HasSoft()
	case noHard:
		return len(f.Clauses)+len(f.Assumptions) == 0
	}
	return len(occurring(f)) != int(f.MaxVar)
}

func occurring(f *format.Formula) map[int32]bool {
	used := make(map[int32]bool)
	for clause := range f.Hard {
		for _, lit := range clause {
			used[trace.Var(lit)] = true
		}
	}
	for s := range f.SoftClauses {
		for _, lit := range s.Lits {
			used[trace.Var(lit)] = true
		}
	}
	return used
}

// Resolve completes a target that is a command and has the driver of an Entry. A program gets formula files of model
// cnf or, if it reads costs, wcnf. On request, it gets the traces of the interfaces that ask the same.
func Resolve(t *replay.Target, wanted *apimodel.Model) error {
	d := t.Driver.(*driver)
	t.Kind = replay.File
	soft := format.Of(d.format).Soft
	switch {
	case wanted == nil && d.format.Quantified():
		wanted = apimodel.QBF
	case wanted == nil && soft:
		wanted = apimodel.WCNF
	case wanted == nil:
		wanted = apimodel.CNF
	case wanted.Optimizes() && !soft:
		return replay.Unusable(t.Name, "its format %s has no soft clauses: it serves cnf and ipasir", d.format)
	case wanted.Quantified() && !d.format.Quantified():
		return replay.Unusable(t.Name, "its format %s has no quantifiers: it serves ipasir", d.format)
	}
	t.Model = wanted
	if len(t.Settings) > 0 {
		return replay.Unusable(t.Name, "options of a program belong in its command line")
	}
	hasPlace := slices.ContainsFunc(t.Command, func(arg string) bool { return strings.Contains(arg, placeProof) })
	if hasPlace != (d.proof != "") {
		return replay.Unusable(t.Name, "a program that writes a proof needs both %s in its command and the key proof",
			placeProof)
	}
	if _, err := t.Program(); err != nil {
		return replay.Unusable(t.Name, "%v", err)
	}
	return nil
}

// describe returns the description of the target, as far as it follows from the entry.
func (f *driver) describe(t *replay.Target) (*apimodel.Description, error) {
	d := &apimodel.Description{Models: []string{t.Model.Name}}
	poses := make(map[string]bool)
	for i := range t.Model.Calls {
		row := &t.Model.Calls[i]
		poses[row.Optional] = poses[row.Optional] || posesFormula(t.Model, row)
	}
	for _, c := range apimodel.Capabilities() {
		if !poses[c.Name] {
			replay.Lack(d, c.Name)
		}
	}
	if f.effort != exact {
		d.Policies = map[string]string{"give-up": "allowed"}
	}
	return d, t.Amend(d)
}

// extension returns the extension of the file, from which some programs tell the format.
func (f *driver) extension() string { return format.Of(f.format).Extensions[0] }

// The placeholders of a command.
const (
	placeFile = "{file}" // the formula; a command without it reads the formula on stdin
	placeOut  = "{out}"  // a file that the program writes
	placeDir  = "{dir}"  // the directory of these files

	placeProof = "{proof}" // a proof that the program writes
)

// A command is the command line for one formula.
type command struct {
	args    []string
	file    string // path of the formula
	out     string // path for {out}
	proof   string // path for {proof}
	onStdin bool   // the formula comes on stdin
	hasOut  bool   // it names {out}
}

func (f *driver) command(t *replay.Target, dir string) command {
	c := command{file: filepath.Join(dir, "formula"+f.extension()), out: filepath.Join(dir, "out"),
		proof: filepath.Join(dir, "proof"), onStdin: true}
	replacer := strings.NewReplacer(placeFile, c.file, placeOut, c.out, placeProof, c.proof, placeDir, dir)
	for _, arg := range t.Command {
		c.onStdin = c.onStdin && !strings.Contains(arg, placeFile)
		c.hasOut = c.hasOut || strings.Contains(arg, placeOut)
		c.args = append(c.args, replacer.Replace(arg))
	}
	return c
}
