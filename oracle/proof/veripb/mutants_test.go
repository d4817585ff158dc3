package veripb

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

var (
	mutants = flag.Int("mutants", 1000, "how many altered proofs the checker gets")
	program = flag.String("veripb", "", "VeriPB, which must give the same verdicts")
)

const mutantVars = 4

// TestMutants checks altered proofs: lines are changed, dropped, repeated or swapped. For each one that is
// accepted, a search of all assignments must confirm that every step follows, every solution is one, and the
// conclusion holds.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 2))
	accepted, unchanged, unsupported, compared := 0, 0, 0, 0
	for i := 0; i < *mutants; {
		p, steps := optimalityProof(r)
		if _, err := Check(p, strings.NewReader(join(steps))); err != nil {
			t.Fatalf("a right proof is refused: %v\n%s%s", err, p.OPB(), join(steps))
		}
		for range 10 {
			mutant := mutateLines(r, steps)
			i++
			_, err := Check(p, strings.NewReader(join(mutant)))
			if errors.Is(err, read.ErrUnsupported) {
				unsupported++
				continue
			}
			if err == nil {
				accepted++
				if why := explain(p, mutant); why != "" {
					t.Fatalf("accepted, although %s\n%s%s", why, p.OPB(), join(mutant))
				}
				if slices.Equal(mutant, steps) {
					unchanged++
				}
			}
			if *program != "" {
				compared++
				askVeriPB(t, p, join(mutant), err)
			}
		}
	}
	t.Logf("%d mutants, %d accepted and explained (%d as before), %d with what only VeriPB checks; %d as VeriPB says",
		*mutants, accepted, unchanged, unsupported, compared)
	if accepted < *mutants/100 || accepted > *mutants/2+*mutants/3 {
		t.Errorf("%d of %d are accepted", accepted, *mutants)
	}
}

func join(steps []string) string { return strings.Join(steps, "\n") + "\n" }

// optimalityProof makes a problem and a proof of its optimum by searching all assignments.
func optimalityProof(r *rand.Rand) (*Problem, []string) {
	p := &Problem{}
	for range 3 + r.IntN(8) {
		for _, v := range r.Perm(mutantVars)[:1+r.IntN(3)] {
			p.Clauses = append(p.Clauses, int32(v+1)*int32(1-2*r.IntN(2)))
		}
		p.Clauses = append(p.Clauses, 0)
	}
	for v := int32(1); v <= mutantVars; v++ {
		p.Costs = append(p.Costs, Cost{v * int32(1-2*r.IntN(2)), uint64(r.IntN(4))})
	}
	steps := []string{strings.TrimSpace(header), fmt.Sprintf("f %d ;", len(rowsOf(p)))}
	best, solution := uint64(0), -1
	for _, bits := range r.Perm(1 << mutantVars) { // each solution that is better than all before it
		if fulfils(rowsOf(p), bits) && (solution < 0 || costOf(p, bits) < best) {
			best, solution = costOf(p, bits), bits
			step := "soli"
			for v := range mutantVars {
				step += " " + name(int32(v+1)*int32(2*(bits>>v&1)-1))
			}
			steps = append(steps, step+" ;")
		}
	}
	var search func(v int32, decided string)
	search = func(v int32, decided string) {
		if v <= mutantVars {
			search(v+1, decided+" 1 "+name(v))
			search(v+1, decided+" 1 "+name(-v))
		}
		steps = append(steps, fmt.Sprintf("rup%s >= 1 ;", decided))
	}
	search(1, "")
	bounds := "INF INF"
	if solution >= 0 {
		bounds = fmt.Sprintf("%d %d", best, best)
	}
	return p, append(steps, strings.TrimSpace(output), "conclusion BOUNDS "+bounds+" ;", strings.TrimSpace(end))
}

// mutateLines alters, drops, repeats or swaps lines after the header.
func mutateLines(r *rand.Rand, steps []string) []string {
	steps = slices.Clone(steps)
	for range 1 + r.IntN(3) {
		at, other := 1+r.IntN(len(steps)-1), 1+r.IntN(len(steps)-1)
		switch r.IntN(8) {
		case 0:
			if len(steps) > 3 {
				steps = slices.Delete(steps, at, at+1)
			}
		case 1:
			steps[at], steps[other] = steps[other], steps[at]
		case 2:
			steps = slices.Insert(steps, at, steps[other])
		case 3:
			steps = slices.Insert(steps, at, fmt.Sprintf("del id %d ;", r.IntN(40)))
		case 4: // hints of a lemma or a conclusion, or the cost of a solution
			steps[at] = strings.TrimSuffix(steps[at], ";") + ":"
			for range 1 + r.IntN(8) {
				steps[at] += fmt.Sprintf(" %d", r.IntN(40)-10)
			}
			steps[at] += " ;"
		default:
			words := strings.Fields(steps[at])
			i := r.IntN(len(words))
			if n, err := strconv.Atoi(words[i]); err == nil {
				words[i] = strconv.Itoa(n + r.IntN(5) - 2)
			} else if v := int32(1 + r.IntN(mutantVars)); strings.Contains(words[i], "x") {
				words[i] = name(v * int32(1-2*r.IntN(2)))
			} else if r.IntN(4) == 0 {
				words = slices.Delete(words, i, i+1)
			}
			steps[at] = strings.Join(words, " ")
		}
	}
	return steps
}

// A row says that the coefficients of its true literals add up to at least the number least.
type row struct {
	sizes []int
	lits  []int32
	least int
}

func (l row) holds(bits int) bool {
	sum := 0
	for i, lit := range l.lits {
		if (bits>>(max(lit, -lit)-1)&1 == 1) == (lit > 0) {
			sum += l.sizes[i]
		}
	}
	return sum >= l.least
}

func rowsOf(p *Problem) (rows []row) {
	next := row{least: 1}
	for _, lit := range p.Clauses {
		if lit == 0 {
			rows, next = append(rows, next), row{least: 1}
		} else {
			next.sizes, next.lits = append(next.sizes, 1), append(next.lits, lit)
		}
	}
	return rows
}

func fulfils(rows []row, bits int) bool {
	return !slices.ContainsFunc(rows, func(l row) bool { return !l.holds(bits) })
}

func costOf(p *Problem, bits int) (cost uint64) {
	for _, c := range p.Costs {
		if (bits>>(max(c.Lit, -c.Lit)-1)&1 == 1) == (c.Lit > 0) {
			cost += c.Weight
		}
	}
	return cost
}

// explain returns why a checker should not accept a proof. It reads what optimalityProof and mutateLines
// write.
func explain(p *Problem, steps []string) string {
	inputs := rowsOf(p)
	rows := slices.Clone(inputs)
	isOpen := func(bits int) bool { return fulfils(rows, bits) }
	for _, step := range steps[1:] {
		step, _, _ := strings.Cut(step, ":") // what follows from some constraints follows from all
		words := strings.Fields(strings.NewReplacer(";", " ").Replace(step))
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "rup":
			lemma := row{}
			for i := 1; i+1 < len(words); i += 2 {
				n, _ := strconv.Atoi(words[i+1])
				if words[i] == ">=" {
					lemma.least = n
					continue
				}
				n, _ = strconv.Atoi(words[i])
				lemma.sizes, lemma.lits = append(lemma.sizes, n), append(lemma.lits, litOf(words[i+1]))
			}
			for bits := range 1 << mutantVars {
				if isOpen(bits) && !lemma.holds(bits) {
					return fmt.Sprintf("%q does not follow: %04b", step, bits)
				}
			}
			rows = append(rows, lemma)
		case "soli":
			found, cost := false, uint64(0)
			for bits := range 1 << mutantVars {
				fits := isOpen(bits)
				for _, word := range words[1:] {
					fits = fits && row{[]int{1}, []int32{litOf(word)}, 1}.holds(bits)
				}
				if fits {
					found, cost = true, max(cost, costOf(p, bits))
				}
			}
			if !found {
				return fmt.Sprintf("%q is no solution", step)
			}
			bound := row{least: 1 - int(cost)}
			for _, c := range p.Costs {
				bound.sizes, bound.lits = append(bound.sizes, -int(c.Weight)), append(bound.lits, c.Lit)
			}
			rows = append(rows, bound)
		case "del":
			for _, word := range words[2:] {
				n, _ := strconv.Atoi(word)
				rows[n-1] = row{}
			}
		case "conclusion":
			return wrongConclusion(p, inputs, words[1:])
		}
	}
	return "it concludes nothing"
}

func litOf(word string) int32 {
	n, _ := strconv.Atoi(strings.TrimLeft(word, "~x"))
	if strings.HasPrefix(word, "~") {
		return -int32(n)
	}
	return int32(n)
}

func wrongConclusion(p *Problem, inputs []row, words []string) string {
	least, isThere := uint64(0), false
	for bits := range 1 << mutantVars {
		if fulfils(inputs, bits) && (!isThere || costOf(p, bits) < least) {
			least, isThere = costOf(p, bits), true
		}
	}
	if len(words) == 1 && words[0] == "NONE" {
		return ""
	}
	if len(words) != 3 || words[0] != "BOUNDS" {
		return "it concludes something else"
	}
	low, lowErr := strconv.ParseUint(words[1], 10, 64)
	high, highErr := strconv.ParseUint(words[2], 10, 64)
	if isThere && (lowErr != nil || low > least) || highErr == nil && (!isThere || high < least) {
		return fmt.Sprintf("the least cost is %d, if there is one: %v", least, isThere)
	}
	return ""
}

func askVeriPB(t *testing.T, p *Problem, proof string, ours error) {
	t.Helper()
	dir := t.TempDir()
	formula, file := filepath.Join(dir, "a.opb"), filepath.Join(dir, "a.pbp")
	if err := errors.Join(os.WriteFile(formula, p.OPB(), 0o644), os.WriteFile(file, []byte(proof), 0o644)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(*program, formula, file).CombinedOutput()
	if strings.Contains(string(out), "mismatches the best recorded upper bound") {
		return // after the deletion of the constraint of a soli, VeriPB does not record better solutions
	}
	if (err == nil) != (ours == nil) {
		t.Errorf("we say %v, VeriPB %v: %s\n%s%s", ours, err, out, p.OPB(), proof)
	}
}
