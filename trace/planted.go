package trace

import (
	"slices"
	"strconv"
	"strings"
)

// A Planted is an assignment of an instance's variables that the maker of a
// trace knows to fulfil the hard clauses of its formula. In the header it is
// one line:
//
//	# planted @0 bound=17 1 -2 3 1001
//
// Cost is what it pays for the soft literals of the formula, at the weights that
// its maker gave them; "optimum=17" stands there when nothing is cheaper. Other
// calls may go against it, and a trace may have been changed since, so nobody
// believes it: whoever uses it evaluates it at the solve in question.
type Planted struct {
	Instance uint16
	Optimal  bool
	Cost     uint64
	Lits     []int32
}

const plantedWord = "planted"

// Plant adds a planted assignment without literals. Its memory is that of one
// that the trace had before it was reset.
func (t *Trace) Plant(instance uint16) *Planted {
	n := len(t.Planted)
	if n < cap(t.Planted) {
		t.Planted = t.Planted[:n+1]
	} else {
		t.Planted = append(t.Planted, Planted{})
	}
	p := &t.Planted[n]
	*p = Planted{Instance: instance, Lits: p.Lits[:0]}
	return p
}

// RenamePlanted returns planted assignments of the variables that a trace has,
// with other names: they hold for a trace with these names.
func (t *Trace) RenamePlanted(name func(lit int32) int32) []Planted {
	if len(t.Planted) == 0 {
		return nil
	}
	used := make(map[int32]bool)
	for _, lit := range t.Lits {
		used[Var(lit)] = true
	}
	renamed := make([]Planted, len(t.Planted))
	for i := range t.Planted {
		p := &t.Planted[i]
		renamed[i] = Planted{p.Instance, p.Optimal, p.Cost, make([]int32, 0, len(p.Lits))}
		seen := make(map[int32]bool)
		for _, lit := range p.Lits {
			if to := name(lit); used[Var(lit)] && !seen[to] {
				seen[to] = true
				renamed[i].Lits = append(renamed[i].Lits, to)
			}
		}
	}
	return renamed
}

func clonePlanted(planted []Planted) []Planted {
	cloned := slices.Clone(planted)
	for i := range cloned {
		cloned[i].Lits = slices.Clone(cloned[i].Lits)
	}
	return cloned
}

func equalPlanted(a, b []Planted) bool {
	return slices.EqualFunc(a, b, func(p, q Planted) bool {
		return p.Instance == q.Instance && p.Optimal == q.Optimal && p.Cost == q.Cost && slices.Equal(p.Lits, q.Lits)
	})
}

// appendText appends the assignment as a note.
func (p *Planted) appendText(dst []byte) []byte {
	dst = append(dst, plantedWord+" @"...)
	dst = strconv.AppendUint(dst, uint64(p.Instance), 10)
	if p.Optimal {
		dst = append(dst, " optimum="...)
	} else {
		dst = append(dst, " bound="...)
	}
	dst = strconv.AppendUint(dst, p.Cost, 10)
	for _, lit := range p.Lits {
		dst = append(dst, ' ')
		dst = strconv.AppendInt(dst, int64(lit), 10)
	}
	return dst
}

// addNote takes a line of a header: a planted assignment, or a note.
func (t *Trace) addNote(note string) {
	if strings.HasPrefix(note, plantedWord+" @") {
		if p, ok := parsePlanted(strings.Fields(note)[1:]); ok {
			t.Planted = append(t.Planted, p)
			return
		}
	}
	t.Notes = append(t.Notes, note)
}

func parsePlanted(words []string) (p Planted, ok bool) {
	if len(words) < 2 {
		return p, false
	}
	instance, err := strconv.ParseUint(words[0][1:], 10, 16)
	what, cost, _ := strings.Cut(words[1], "=")
	price, costErr := strconv.ParseUint(cost, 10, 64)
	if err != nil || costErr != nil || what != "bound" && what != "optimum" {
		return p, false
	}
	p = Planted{Instance: uint16(instance), Optimal: what == "optimum", Cost: price}
	for _, word := range words[2:] {
		lit, err := strconv.ParseInt(word, 10, 32)
		if err != nil || !ValidLit(int32(lit)) {
			return p, false
		}
		p.Lits = append(p.Lits, int32(lit))
	}
	return p, true
}
