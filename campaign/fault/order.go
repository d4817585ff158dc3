package fault

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// arrange orders faults for a reader: those with the most ordinary input first, then those with the worst class, then
// those seen most often. A fault stands under the first one before it that is possibly the same and stands under none.
func arrange(faults []Fault) []Fault {
	for i := range faults {
		faults[i].input = faults[i].Cause.Input(faults[i].Simplest().Minimal)
	}
	slices.SortFunc(faults, func(a, b Fault) int { return cmp.Or(a.compare(&b), a.simpler(&b)) })
	var blocks [][]Fault
	for _, f := range faults {
		at := slices.IndexFunc(blocks, func(block []Fault) bool {
			return block[0].Target == f.Target && slices.Contains(f.Possibly, block[0].Name)
		})
		if at < 0 {
			blocks = append(blocks, []Fault{f})
			continue
		}
		f.Under = blocks[at][0].Name
		blocks[at] = append(blocks[at], f)
	}
	slices.SortStableFunc(blocks, func(a, b []Fault) int {
		return cmp.Or(a[0].compare(&b[0]), cmp.Compare(hits(b), hits(a)))
	})
	return slices.Concat(blocks...)
}

// compare orders faults by their input and their class. With the same input, those whose cause is open come last.
func (f *Fault) compare(g *Fault) int {
	return cmp.Or(cmp.Compare(f.input, g.input), openLast(f, g), cmp.Compare(g.severity(), f.severity()))
}

// simpler orders faults by the length of their simplest traces.
func (f *Fault) simpler(g *Fault) int {
	return cmp.Or(cmp.Compare(len(f.Simplest().Minimal.Calls), len(g.Simplest().Minimal.Calls)),
		cmp.Compare(f.Target, g.Target), cmp.Compare(f.Name, g.Name))
}

// hits returns how often the faults were seen.
func hits(faults []Fault) (sum uint64) {
	for i := range faults {
		sum += faults[i].Hits()
	}
	return sum
}

// openLast orders faults whose cause is open behind the others.
func openLast(a, b *Fault) int {
	switch {
	case a.IsOpen() == b.IsOpen():
		return 0
	case a.IsOpen():
		return 1
	}
	return -1
}

// Labels returns the numbers of faults as text. Those under a fault have its number and a letter: 3a, 3b.
func Labels(faults []Fault) (labels []string) {
	number, letter := 0, 0
	for i := range faults {
		if faults[i].Under == "" {
			number, letter = number+1, 0
			labels = append(labels, fmt.Sprint(number))
			continue
		}
		labels = append(labels, fmt.Sprint(number)+letters(letter))
		letter++
	}
	return labels
}

// letters returns a, b, ..., z, aa, ab, and so on.
func letters(n int) string {
	text := string(rune('a' + n%26))
	if n < 26 {
		return text
	}
	return letters(n/26-1) + text
}

// Blocks returns the number of faults that stand under no other.
func Blocks(faults []Fault) (n int) {
	for i := range faults {
		if faults[i].Under == "" {
			n++
		}
	}
	return n
}

// Findings returns the findings of faults in their order.
func Findings(faults []Fault) (findings []*store.Finding) {
	for i := range faults {
		findings = append(findings, faults[i].Findings...)
	}
	return findings
}
