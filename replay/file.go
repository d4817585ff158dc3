package replay

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A file target is a program that is given a file with a formula and prints an
// answer. Each solve of a trace is a file: what was added so far, with the
// assumptions as unit clauses.
type fileTarget struct {
	format  format.Format
	dialect *Dialect
	exit    *exitPolicy
	effort  effort
	// complete: s SATISFIABLE is said of the best solution, where nothing was left to
	// optimise after simplification.
	complete bool

	// What the program is known to misread: a solve beyond it is not made, so that
	// what is reported is the solver's fault and not that of its user.
	maxVar     uint64
	maxWeight  uint64
	maxSum     uint64
	unreadable []string
}

// effort is what may be expected of a program.
type effort string

const (
	exact      effort = "exact"      // answers for sure
	anytime    effort = "anytime"    // is told to stop, and answers with the best that it has
	incomplete effort = "incomplete" // may give up
)

// What a program may be unable to read.
const (
	emptyClause  = "empty-clause"  // a hard clause without literals
	emptyFormula = "empty-formula" // no clause at all
	noSoft       = "no-soft"       // an optimisation problem with nothing to optimise
	noHard       = "no-hard"
	unusedVars   = "unused-variables" // the greatest variable is not the number of those that occur
)

var unreadableWords = []string{emptyClause, emptyFormula, noSoft, noHard, unusedVars}

// fileEntry is what the targets file says of a file target alone.
type fileEntry struct {
	Format     string   `toml:"format"`
	Dialect    string   `toml:"dialect"`
	ExitCodes  string   `toml:"exit-codes"`
	Effort     string   `toml:"kind"`
	Complete   bool     `toml:"satisfiable-is-optimum"`
	MaxVar     int64    `toml:"max-var"`
	Unreadable []string `toml:"unreadable"`
}

// target checks the entry and makes a target of it.
func (e *fileEntry) target(bounds *apimodel.Bounds) (*fileTarget, error) {
	f := &fileTarget{effort: effort(e.Effort), complete: e.Complete, unreadable: e.Unreadable}
	var err error
	if f.format, err = format.Parse(e.Format); err != nil {
		return nil, err
	}
	info := format.Of(f.format)
	if info.Many || !info.Writes {
		return nil, fmt.Errorf("format %s is not for one formula", f.format)
	}
	if e.Dialect == "" {
		e.Dialect = map[format.Format]string{format.CNF: "sat", format.WCNF: "mse", format.WCNFOld: "mse-old", format.OPB: "pb", format.WBO: "pb"}[f.format]
	}
	if f.dialect, err = DialectNamed(e.Dialect); err != nil {
		return nil, err
	}
	if e.ExitCodes == "" {
		e.ExitCodes = map[format.Format]string{format.CNF: "sat", format.WCNF: "mse2024"}[f.format]
	}
	if e.ExitCodes == "" {
		e.ExitCodes = "mse2023"
	}
	if f.exit, err = exitPolicyNamed(e.ExitCodes); err != nil {
		return nil, err
	}
	switch f.effort {
	case "":
		f.effort = exact
	case exact, anytime, incomplete:
	default:
		return nil, fmt.Errorf("kind %q is none of exact, anytime and incomplete", e.Effort)
	}
	for _, word := range e.Unreadable {
		if !slices.Contains(unreadableWords, word) {
			return nil, fmt.Errorf("unreadable has %q; there are %s", word, strings.Join(unreadableWords, ", "))
		}
	}
	if e.MaxVar < 0 {
		return nil, fmt.Errorf("max-var is %d, want a number above 0", e.MaxVar)
	}
	bounds.Tighten(apimodel.Bounds{MaxWeight: format.MaxWeight, MaxSum: math.MaxUint64 - 1}) // what the formats say
	f.maxVar, f.maxWeight, f.maxSum = uint64(e.MaxVar), bounds.MaxWeight, bounds.MaxSum
	return f, nil
}

// reads says why the program cannot read the formula, "" when it can.
func (f *fileTarget) reads(formula *format.Formula) string {
	sum, fits := formula.Sum()
	switch {
	case f.maxVar > 0 && uint64(formula.MaxVar) > f.maxVar:
		return "max-var"
	case formula.MaxWeight() > f.maxWeight:
		return "max-weight"
	case !fits || sum > f.maxSum:
		return "max-sum"
	}
	for _, word := range f.unreadable {
		if is(word, formula) {
			return word
		}
	}
	return ""
}

func is(word string, f *format.Formula) bool {
	switch word {
	case emptyClause:
		return slices.ContainsFunc(f.Clauses, func(clause []int32) bool { return len(clause) == 0 })
	case emptyFormula:
		return len(f.Clauses)+len(f.Assumptions)+len(f.Softs) == 0
	case noSoft:
		return len(f.Softs) == 0
	case noHard:
		return len(f.Clauses)+len(f.Assumptions) == 0
	}
	used := make(map[int32]bool)
	for clause := range f.Hard {
		for _, lit := range clause {
			used[trace.Var(lit)] = true
		}
	}
	for _, s := range f.Softs {
		used[trace.Var(s.Lit)] = true
	}
	return len(used) != int(f.MaxVar)
}

// resolveFile chooses the model: a program that reads costs serves IPAMIR, and
// IPASIR when it is asked to.
func resolveFile(t *Target, model string) error {
	wanted, err := modelNamed(t.Name, model)
	if err != nil {
		return err
	}
	soft := format.Of(t.file.format).Soft
	switch {
	case wanted == nil && soft:
		wanted = apimodel.IPAMIR
	case wanted == nil:
		wanted = apimodel.IPASIR
	case wanted == apimodel.IPAMIR && !soft:
		return unusable(t.Name, "its format %s has no soft literals: it serves ipasir", t.file.format)
	}
	t.Model = wanted
	if len(t.Settings) > 0 {
		return unusable(t.Name, "options of a program stand in its command line")
	}
	if _, err := t.lookCommand(); err != nil {
		return unusable(t.Name, "%v", err)
	}
	return nil
}

// describe says what no program with a file offers.
func (t *Target) describeFile() (*apimodel.Description, error) {
	d := &apimodel.Description{Models: []string{t.Model.Name}}
	for _, c := range apimodel.Capabilities() {
		lack(d, c.Name)
	}
	if t.file.effort != exact {
		d.Policies = map[string]string{"give-up": "allowed"}
	}
	return d, t.amend(d)
}

// The time after which an anytime solver is told to stop is drawn from the file
// that it is given, so that every replay of a trace has the same one.
const (
	shortestTime = 10 * time.Millisecond
	longestTime  = 500 * time.Millisecond
	// stopGrace is how long it may take to stop.
	stopGrace = time.Second
)

func (f *fileTarget) timeFor(hash uint64) time.Duration {
	return shortestTime + time.Duration(hash%uint64(longestTime-shortestTime+1))
}

// extension is that of the file: some programs go by it.
func (f *fileTarget) extension() string { return format.Of(f.format).Extensions[0] }

// placeholders of a command.
const (
	placeFile = "{file}" // the formula; without it, it comes on stdin
	placeOut  = "{out}"  // a file that the program writes
	placeDir  = "{dir}"  // an empty directory
)

func (t *Target) commandFor(dir string) (args []string, file, out string, stdin bool) {
	file, out = filepath.Join(dir, "formula"+t.file.extension()), filepath.Join(dir, "out")
	stdin = true
	replacer := strings.NewReplacer(placeFile, file, placeOut, out, placeDir, dir)
	for _, arg := range t.Command {
		stdin = stdin && !strings.Contains(arg, placeFile)
		args = append(args, replacer.Replace(arg))
	}
	return args, file, out, stdin
}
