package trace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Planted is an assignment of an instance's variables that satisfies the hard clauses of
// a formula, according to the generator of the formula. In the header it is one line:
//
//	# planted @0 bound=17 1 -2 3 1001
//
// Cost is its cost with the generator's weights. "optimum=17" in place of "bound=17" says that
// no solution is cheaper. Other calls may contradict the assignment, and somebody may have
// edited the trace. So who uses the assignment must evaluate it for the solve in question.
type Planted struct {
	Instance uint16
	Optimal  bool
	Cost     uint64
	Lits     []int32
}

const plantedWord = "planted"

// Plant adds a planted assignment without literals. It reuses the memory of assignments from
// before the last Reset.
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

// RenamePlanted returns the planted assignments with name applied to their literals. It drops
// literals of variables that the trace does not have, and repeated ones.
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

// addNote adds a header line: a planted assignment or a note.
func (t *Trace) addNote(note string) {
	if strings.HasPrefix(note, plantedWord+" @") {
		if p, ok := parsePlanted(strings.Fields(note)[1:]); ok {
			t.Planted = append(t.Planted, p)
			return
		}
	}
	t.Notes = append(t.Notes, printable.Text(note))
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
		if err != nil || !validLit(int32(lit)) {
			return p, false
		}
		p.Lits = append(p.Lits, int32(lit))
	}
	return p, true
}
