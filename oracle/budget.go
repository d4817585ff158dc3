package oracle

// A searchBudget bounds what exhaustive search may cost in one trace. It is counted
// in words of 64 assignments and not in time, so that the same trace is judged
// alike on every machine; a word takes about a nanosecond. A few variables more
// are searched in a short trace than in a long one.
type searchBudget struct {
	maxVars int // of one instance
	words   int // words in one trace
	left    int
}

const (
	highestMaxVars = 26      // 8 MiB
	defaultWords   = 1 << 20 // about a millisecond: 20 variables for a trace of a few clauses, 16 for one of a thousand
)

func (b *searchBudget) begin() { b.left = b.words }

// spend reports whether so many words may be gone through once more.
func (b *searchBudget) spend(words int) bool {
	b.left -= words
	return b.left >= 0
}
