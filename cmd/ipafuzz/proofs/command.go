// Package proofs implements the command check-proof. The checkers are in package
// oracle/proof.
package proofs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/conversation"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// Command checks a proof.
type Command struct {
	Files   []string `arg:"" placeholder:"FILE"`
	Format  string   `placeholder:"FORMAT"`
	Trace   string   `placeholder:"TRACE"`
	Forward bool
}

// detectBytes is how much of a proof Detect reads.
const detectBytes = 64 << 10

// Run checks the proof and prints the verdict.
func (c *Command) Run() error {
	var out bytes.Buffer
	verdict := c.run(&out)
	if _, err := os.Stdout.WriteString(printable.Text(out.String())); err != nil {
		return err
	}
	return verdict
}

func (c *Command) run(out io.Writer) error {
	// Clauses are in few large blocks, so collecting garbage is cheap. By default, it would let the heap
	// grow to twice their size.
	debug.SetGCPercent(10)
	formula, name := "", c.Files[0]
	switch {
	case len(c.Files) == 2 && c.Trace == "":
		formula, name = c.Files[0], c.Files[1]
	case len(c.Files) != 1:
		return exit.Misusef("name a formula and its proof; or a proof in IDRUP or LIDRUP, alone or with --trace")
	}
	file := os.Stdin
	if name != "-" {
		var err error
		if file, err = userfile.Open(name); err != nil {
			return exit.Misusef("the proof cannot be read: %w", err)
		}
		defer file.Close()
	}
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	if stat.IsDir() {
		return exit.Misusef("%s is a directory, want a proof", name)
	}
	source, f, err := c.open(file, name)
	if err != nil && len(c.Files) == 1 && c.Trace == "" {
		return exit.Misusef("%s is not a proof in IDRUP or LIDRUP; for other proofs name the formula and then the proof",
			name)
	}
	if err != nil {
		return exit.Misusef("%s: %w", name, err)
	}
	if c.Forward && f.Name != "drat" {
		return exit.Misusef("--forward is for DRAT, not for %v, whose steps are checked as they come", f)
	}
	options := proof.Options{Format: f, Forward: c.Forward}
	result, err := c.check(source, formula, options)
	if f.IsAboutCosts() && errors.Is(err, proof.ErrUnsupported) {
		if _, isFile := source.(*os.File); !isFile {
			return exit.Misusef("%s: %w; VeriPB reads the proof again, so it must be a file, neither packed nor a pipe",
				name, err)
		}
		return askVeriPB(out, formula, name, err)
	}
	var rejection *proof.Rejection
	switch {
	case errors.As(err, &rejection):
		fmt.Fprintf(out, "%s: rejected as %v (%s): %v\n", name, f, rejection.Kind, rejection)
		return exit.ErrFindings
	case errors.Is(err, proof.ErrUnsupported):
		fmt.Fprintf(out, "%s: unchecked: %v\n", name, err)
		return exit.ErrDoubt
	case err != nil:
		return err
	}
	fmt.Fprintf(out, "%s: valid as %v: %s, %s\n", name, f, printable.Things(result.Steps, "step"),
		printable.Things(result.Lemmas, "lemma"))
	if result.Conclusion != nil {
		fmt.Fprintf(out, "it concludes %v\n", result.Conclusion)
	}
	printNotes(out, f, result)
	switch {
	case result.Incremental != nil && result.Incremental.Models+result.Incremental.Cores == 0,
		result.Conclusion != nil && result.Conclusion.Kind == "NONE":
		fmt.Fprintln(out, "it proves nothing")
		return exit.ErrDoubt
	case !f.IsIncremental() && !f.IsAboutCosts() && result.Steps == 0:
		fmt.Fprintln(out, "unit propagation alone refutes the formula, so nothing of the proof was read")
	}
	return nil
}

// open unpacks the proof and detects its format: by the flag, by the name of the file, or by its start. The
// name counts before the start, because a proof that is cut off may look like one in another format. The
// returned reader starts at the beginning; it is the file itself if the file can be read again.
func (c *Command) open(file *os.File, name string) (io.Reader, proof.Format, error) {
	var from io.Reader = file
	if file == os.Stdin {
		from = userfile.Stdin
	}
	in, isPacked, err := format.Unpack(from, name)
	if err != nil {
		return nil, proof.Format{}, err
	}
	if isPacked {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	start := make([]byte, detectBytes)
	n, err := io.ReadFull(in, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, proof.Format{}, err
	}
	source := io.MultiReader(bytes.NewReader(start[:n]), in)
	if !isPacked {
		if _, err := file.Seek(0, io.SeekStart); err == nil {
			source = file
		}
	}
	f, err := c.formatOf(name, start[:n])
	return source, f, err
}

func (c *Command) formatOf(name string, start []byte) (proof.Format, error) {
	if c.Format != "" {
		return proof.ParseFormat(c.Format)
	}
	f, err := proof.ParseFormat(strings.TrimPrefix(filepath.Ext(name), "."))
	if err != nil {
		return proof.Detect(start)
	}
	if !f.IsAboutCosts() {
		f.Binary = proof.IsBinary(start)
	}
	return f, nil
}

func (c *Command) check(source io.Reader, formula string, o proof.Options) (proof.Result, error) {
	name := formula
	if c.Trace != "" {
		name = c.Trace
	}
	if o.Format.IsIncremental() && name == "" {
		return proof.CheckScript(nil, source, o)
	}
	if name == "" {
		return proof.Result{}, exit.Misusef("a proof in %v needs a formula: name it before the proof", o.Format)
	}
	if o.Format.IsAboutCosts() {
		return checkCost(source, name, o)
	}
	item, err := sources.One(name, sources.Options{Stdin: userfile.Stdin})
	if err != nil {
		return proof.Result{}, exit.Misuse(err)
	}
	if !o.Format.IsIncremental() {
		clauses, err := clausesOf(item.Trace)
		if err != nil {
			return proof.Result{}, exit.Misusef("%s: %w", name, err)
		}
		return proof.Check(clauses, source, o)
	}
	answers := &item.Trace.Got
	if len(answers.Of) == 0 {
		answers = &item.Trace.Want
	}
	events, err := conversation.Of(item.Trace, answers)
	if err != nil {
		return proof.Result{}, err
	}
	return proof.CheckScript(events, source, o)
}

// clausesOf returns the clauses and assumptions of the only solve.
func clausesOf(t *trace.Trace) ([]int32, error) {
	formulas := format.Solves(t)
	if len(formulas) != 1 {
		return nil, fmt.Errorf("it has %s, but the proof is about one", printable.Things(len(formulas), "solve"))
	}
	var clauses []int32
	for clause := range formulas[0].Hard {
		clauses = append(append(clauses, clause...), 0)
	}
	return clauses, nil
}

func printNotes(out io.Writer, f proof.Format, r proof.Result) {
	if r.DRAT == nil {
		return
	}
	d, unit := r.DRAT, "line"
	if f.Binary {
		unit = "byte"
	}
	if d.Core > 0 {
		fmt.Fprintf(out, "checked backwards: %s and %s of the formula are needed\n", printable.Things(d.Checked, "lemma"),
			printable.Things(d.Core, "clause"))
	}
	if d.RAT > 0 {
		fmt.Fprintf(out, "by RAT, not by unit propagation: %s\n", printable.Things(d.RAT, "lemma"))
	}
	if d.OtherPivots > 0 {
		fmt.Fprintf(out, "warning: by RAT on another literal than the first: %s\n", printable.Things(d.OtherPivots, "lemma"))
	}
	if d.CoreRAT > 0 {
		fmt.Fprintf(out, "warning: by RAT only because some clauses are not needed: %s\n",
			printable.Things(d.CoreRAT, "lemma"))
	}
	if d.Unknown > 0 {
		fmt.Fprintf(out, "warning: %s of clauses that do not exist, the first in proof %s %d\n",
			printable.Things(d.Unknown, "deletion"), unit, d.FirstUnknown)
	}
	if d.Units > 0 {
		fmt.Fprintf(out, "ignored: %s of clauses that make a literal true, the first in proof %s %d\n",
			printable.Things(d.Units, "deletion"), unit, d.FirstUnit)
	}
	if o := r.OtherReading; o != nil && o.Err != nil {
		fmt.Fprintf(out, "warning: the proof is invalid if these deletions count: %v\n", o.Err)
	} else if o != nil {
		fmt.Fprintln(out, "the proof is also valid if these deletions count")
	}
}
