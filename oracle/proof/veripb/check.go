package veripb

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// A Conclusion is what a proof proves.
type Conclusion struct {
	Kind string // NONE, SAT, UNSAT or BOUNDS
	// The optimal cost is at least Lower and at most Upper. HasLower is false if there is no solution, and
	// HasUpper is false if the proof has none.
	Lower, Upper       uint64
	HasLower, HasUpper bool
	// Shift is what Lower and Upper have more than the bounds in the proof. It comes from coefficients below 0,
	// which become costs of negated literals.
	Shift uint64
}

// NoSolution reports whether the proof concludes that there is no solution.
func (c *Conclusion) NoSolution() bool {
	return c.Kind == "UNSAT" || c.Kind == "BOUNDS" && !c.HasLower && !c.HasUpper
}

// Optimum returns the optimal cost in the terms of the file, modulo 2^64, if the conclusion states it.
func (c *Conclusion) Optimum() (uint64, bool) {
	return c.Upper - c.Shift, c.Kind == "BOUNDS" && c.HasLower && c.HasUpper && c.Lower == c.Upper
}

// String returns the conclusion as proofs state it.
func (c *Conclusion) String() string {
	if c.Kind != "BOUNDS" {
		return c.Kind
	}
	words := []string{c.Kind, "INF", "INF"}
	if c.HasLower {
		words[1] = c.inProof(c.Lower)
	}
	if c.HasUpper {
		words[2] = c.inProof(c.Upper)
	}
	return strings.Join(words, " ")
}

func (c *Conclusion) inProof(bound uint64) string {
	if bound < c.Shift {
		return "-" + strconv.FormatUint(c.Shift-bound, 10)
	}
	return strconv.FormatUint(bound-c.Shift, 10)
}

// setBounds reads two bounds: numbers or INF.
func (c *Conclusion) setBounds(lower, upper string) (err error) {
	if c.Lower, c.HasLower, err = c.bound(lower); err == nil {
		c.Upper, c.HasUpper, err = c.bound(upper)
	}
	return err
}

// A Result says what Check has checked, and what the proof concludes.
type Result struct {
	Steps, Lemmas int64
	Conclusion    Conclusion
}

// A checker reads one proof.
type checker struct {
	Result
	problem   *Problem
	objective objective
	database  database
	inputs    int
	read      reader
	best      uint64 // cost of the best solution so far
	hasBest   bool
	hasOutput bool
}

// Check checks a proof about the problem, up to its conclusion.
func Check(p *Problem, proof io.Reader) (Result, error) {
	c := &checker{problem: p, read: reader{in: bufio.NewReader(proof), line: 1}}
	err := c.check()
	var rejection *read.Rejection
	if err != nil && !errors.Is(err, read.ErrUnsupported) && !errors.As(err, &rejection) {
		if kind, ok := read.KindOf(err); ok {
			err = &read.Rejection{Kind: kind, Line: max(c.read.start, 1), Err: err}
		}
	}
	return c.Result, err
}

func (c *checker) check() error {
	if c.problem.HasRelaxations {
		return unsupported("relaxations of soft clauses")
	}
	var ok bool
	if c.objective, ok = newObjective(c.problem.Costs); !ok {
		return unsupported("costs that add up to 2^64")
	}
	c.database = newDatabase()
	start := 0
	for i, lit := range c.problem.Clauses {
		if lit == 0 {
			c.database.add(clause(c.problem.Clauses[start:i]))
			start = i + 1
		}
	}
	for _, row := range c.problem.rows {
		c.database.add(row)
	}
	c.inputs = len(c.database.constraints)
	header, err := c.read.in.ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	c.read.start, c.read.line = 1, 2
	version, isHeader := strings.CutPrefix(strings.TrimRight(header, "\r\n\t ;"), "pseudo-Boolean proof version ")
	if !isHeader {
		if strings.TrimSpace(header) == "" && err == io.EOF {
			return read.Errorf(read.Truncated, "the proof is empty")
		}
		return read.Errorf(read.Malformed, "want 'pseudo-Boolean proof version 3.0'")
	}
	if !strings.HasPrefix(version, "3.") {
		return unsupported("version " + version)
	}
	for {
		switch err := c.read.next(); {
		case err == io.EOF:
			return read.Errorf(read.Truncated, "the proof ends without a conclusion")
		case err != nil:
			return err
		case len(c.read.words) == 0:
			continue
		}
		isEnd, err := c.step(c.read.words[0], c.read.words[1:])
		if _, hasKind := read.KindOf(err); err != nil && !hasKind && !errors.Is(err, read.ErrUnsupported) {
			err = read.Errorf(read.Malformed, "%w", err)
		}
		if err != nil || isEnd {
			return err
		}
		if c.Steps++; c.database.visits > mostVisits {
			return unsupported("too many steps")
		}
	}
}

// step checks a step. It returns true after the last one.
func (c *checker) step(rule string, words []string) (isEnd bool, err error) {
	if c.Conclusion.Kind != "" && rule != "end" {
		return false, errors.New("want the end after the conclusion")
	}
	if c.hasOutput && c.Conclusion.Kind == "" && rule != "conclusion" && rule != "end" {
		return false, errors.New("want the conclusion after the output")
	}
	switch rule {
	case "f":
		if len(c.database.constraints) != c.inputs {
			return false, unsupported("the rule f after others")
		}
		if len(words) == 1 && words[0] != strconv.Itoa(c.inputs) || len(words) > 1 {
			return false, read.Errorf(read.Different, "the formula has %d constraints", c.inputs)
		}
	case "rup":
		return false, c.lemma(words)
	case "sol", "soli":
		return false, c.solution(rule, words)
	case "del":
		return false, c.delete(words)
	case "output":
		if !slices.Equal(words, []string{"NONE"}) {
			return false, unsupported("output " + strings.Join(words, " "))
		}
		c.hasOutput = true
	case "conclusion":
		if !c.hasOutput {
			return false, errors.New("want 'output NONE' before the conclusion")
		}
		return false, c.conclude(words)
	case "end":
		if !slices.Equal(words, []string{"pseudo-Boolean", "proof"}) {
			return false, errors.New("want 'end pseudo-Boolean proof'")
		}
		if c.Conclusion.Kind == "" {
			return false, read.Errorf(read.Truncated, "the proof ends without a conclusion")
		}
		return true, nil
	case "pol", "red", "dom", "pbc", "e", "i", "a", "solx", "obju", "obji", "delc", "deld", "core", "def_order",
		"load_order", "setlvl", "wiplvl", "strengthening_to_core", "eord_def", "eord_loaded", "is_deleted", "fail":
		return false, unsupported("the rule " + rule)
	default:
		if strings.HasPrefix(rule, "@") {
			return false, unsupported("labels")
		}
		return false, read.Errorf(read.Malformed, "unknown rule %q", rule)
	}
	return false, nil
}

// lemma checks a constraint that follows by unit propagation, from those alone that its hints name.
func (c *checker) lemma(words []string) error {
	before, hints, _ := cut(words)
	lemma, err := readConstraint(before)
	if err != nil {
		return err
	}
	if !c.database.follows(&lemma) {
		return read.Errorf(read.Unjustified, "the constraint does not follow by unit propagation")
	}
	if len(hints) > 0 {
		if err := c.followsFrom(&lemma, hints); err != nil {
			return err
		}
	}
	c.database.add(lemma)
	c.Lemmas++
	return nil
}

// followsFrom checks a lemma by the constraints that its hints name. Like VeriPB, it looks up no ids after
// the conflict.
func (c *checker) followsFrom(lemma *constraint, hints []string) error {
	var named []*constraint
	for _, hint := range hints {
		if hint == "~" { // the negation of the lemma, which propagates in any case
			continue
		}
		constraint, err := c.named(hint)
		if err == nil {
			named = append(named, constraint)
		} else if kind, _ := read.KindOf(err); kind != read.Unjustified || !c.database.followsFrom(lemma, named) {
			return err
		}
	}
	if !c.database.followsFrom(lemma, named) {
		return read.Errorf(read.Unjustified, "the constraint does not follow from those that its hints name")
	}
	return nil
}

// named returns the constraint with an id. An id below 0 counts from the last constraint.
func (c *checker) named(word string) (*constraint, error) {
	if strings.HasPrefix(word, "@") {
		return nil, unsupported("labels")
	}
	id, err := number(word)
	if err != nil {
		return nil, err
	}
	if id == 0 {
		return nil, read.Errorf(read.Malformed, "0 is not an id")
	}
	last := int64(len(c.database.constraints))
	if id < 0 {
		id += last + 1
	}
	if id <= 0 || id > last {
		return nil, read.Errorf(read.Unjustified, "there is no constraint %s", word)
	}
	if c.database.constraints[id-1].isDeleted {
		return nil, read.Errorf(read.Unjustified, "constraint %d was deleted", id)
	}
	return &c.database.constraints[id-1], nil
}

// solution checks a solution, for a step sol or soli, and records its cost.
func (c *checker) solution(rule string, words []string) error {
	before, claim, hasClaim := cut(words)
	lits, err := literals(before)
	if err != nil {
		return err
	}
	cost, err := c.costOf(lits)
	if err != nil {
		return err
	}
	if c.problem.NoCosts && (hasClaim || rule == "soli") {
		return unsupported("the cost of a solution of a formula without an objective")
	}
	if hasClaim {
		claimed := Conclusion{Shift: c.problem.shift}
		if len(claim) != 1 || claim[0] == "INF" {
			return errors.New("want one number after the colon")
		}
		if n, _, err := claimed.bound(claim[0]); err != nil {
			return err
		} else if n != cost {
			return read.Errorf(read.Unjustified, "the solution has the cost %s, not %s", claimed.inProof(cost), claim[0])
		}
	}
	if !c.hasBest || cost < c.best {
		c.best, c.hasBest = cost, true
	}
	if rule == "soli" {
		c.database.add(c.objective.below(c.best))
	}
	return nil
}

func (c *checker) costOf(lits []int32) (uint64, error) {
	defer c.database.undo(len(c.database.trail))
	if !c.database.solution(lits) {
		return 0, read.Errorf(read.Unjustified, "the solution does not fulfil the constraints, or does not say how")
	}
	cost := c.objective.constant
	for lit, size := range c.objective.size {
		if c.database.holdsTrue(lit) {
			cost += size
		} else if !c.database.holdsTrue(-lit) {
			return 0, read.Errorf(read.Unjustified, "the solution leaves open what %s is, which has a cost", name(lit))
		}
	}
	return cost, nil
}

func (c *checker) delete(words []string) error {
	if len(words) == 0 || words[0] != "id" {
		return unsupported("del without id")
	}
	for _, word := range words[1:] {
		if id, err := number(word); err != nil {
			return err
		} else if id < 0 || id > 0 && id <= int64(c.inputs) {
			return unsupported("the deletion of a constraint of the formula")
		}
		if _, err := c.named(word); err != nil {
			return err
		}
	}
	for _, word := range words[1:] {
		id, _ := number(word)
		c.database.remove(int(id - 1))
	}
	return nil
}

func (c *checker) conclude(words []string) error {
	if len(words) == 0 {
		return errors.New("want NONE, SAT, UNSAT or BOUNDS")
	}
	kind, claim := words[0], Conclusion{Kind: words[0], Shift: c.problem.shift}
	has := func(test func(*constraint) bool) bool {
		for i := range c.database.constraints {
			if test(&c.database.constraints[i]) {
				return true
			}
		}
		return false
	}
	isAlone := len(words) == 1
	switch {
	case kind == "NONE" && isAlone:
	case kind == "SAT" && isAlone && c.hasBest:
		if !c.problem.NoCosts {
			return unsupported("the conclusion SAT for a formula with an objective")
		}
	case kind == "UNSAT" && (isAlone || len(words) == 3 && words[1] == ":"):
		if c.hasBest || !has((*constraint).isContradiction) {
			return read.Errorf(read.Unjustified, "no constraint is a contradiction of the formula")
		}
		if !isAlone {
			if named, err := c.named(words[2]); err != nil {
				return err
			} else if !named.isContradiction() {
				return read.Errorf(read.Unjustified, "constraint %s is no contradiction", words[2])
			}
		}
		if !c.problem.NoCosts {
			return unsupported("the conclusion UNSAT for a formula with an objective")
		}
	case kind == "BOUNDS" && len(words) == 3:
		if err := claim.setBounds(words[1], words[2]); err != nil {
			return err
		}
		if c.problem.NoCosts {
			return unsupported("the conclusion BOUNDS for a formula without an objective")
		}
		if claim.HasUpper && !(c.hasBest && c.best <= claim.Upper) {
			return read.Errorf(read.Unjustified, "no solution has a cost of at most %d", claim.Upper)
		}
		if !claim.HasLower && (c.hasBest || !has((*constraint).isContradiction)) {
			return read.Errorf(read.Unjustified, "nothing shows that there is no solution")
		}
		if claim.HasLower && c.hasBest && claim.Lower > c.best {
			return read.Errorf(read.Unjustified, "there is a solution of cost %d", c.best)
		}
		if claim.HasLower && claim.Lower > c.objective.constant &&
			!has(func(l *constraint) bool { return c.objective.follows(l, claim.Lower) }) {
			return read.Errorf(read.Unjustified, "no constraint says that the cost is at least %d", claim.Lower)
		}
	default:
		return unsupported("conclusion " + strings.Join(words, " "))
	}
	c.Conclusion = claim
	return nil
}

// bound reads a number or INF.
func (c *Conclusion) bound(word string) (n uint64, isFinite bool, err error) {
	if word == "INF" {
		return 0, false, nil
	}
	digits, isNegative := strings.CutPrefix(word, "-")
	n, err = strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil:
		return 0, false, read.Errorf(read.Malformed, "%q is not a bound", word)
	case isNegative && n > c.Shift, !isNegative && n+c.Shift < n:
		return 0, false, unsupported("the bound " + word)
	case isNegative:
		return c.Shift - n, true, nil
	}
	return n + c.Shift, true, nil
}
