package cube

// A Budget bounds exhaustive search. It counts words of 64 assignments, not time, so that verdicts are the
// same on every machine. A word takes about a nanosecond. The same budget suffices for a few more variables
// in a short trace than in a long one.
type Budget struct {
	MaxVars int // of one set
	Left    int // words
	words   int // at the beginning
}

// NewBudget returns a budget. If maxVars or words is 0, it stands for the maximum or the default. A negative
// number means no search.
func NewBudget(maxVars, mostVars, words, defaultWords int) Budget {
	b := Budget{MaxVars: max(0, min(maxVars, mostVars)), words: words}
	if maxVars == 0 {
		b.MaxVars = mostVars
	}
	if words == 0 {
		b.words = defaultWords
	}
	b.Begin()
	return b
}

// Begin makes all words available again.
func (b *Budget) Begin() { b.Left = b.words }

// Spend takes that many words and reports whether the budget had them left.
func (b *Budget) Spend(words int) bool {
	b.Left -= words
	return b.Left >= 0
}
