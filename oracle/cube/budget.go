package cube

// A Budget bounds exhaustive search. It counts words of 64 assignments, not time, so that every
// machine judges alike; a word takes about a nanosecond. A short trace affords a few more variables
// than a long one.
type Budget struct {
	MaxVars int // of one set
	Left    int // words
	words   int // at the beginning
}

// NewBudget returns a budget. No variables or words mean the default; negative ones mean no search.
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

// Spend reports whether the budget allows so many more words, and takes them.
func (b *Budget) Spend(words int) bool {
	b.Left -= words
	return b.Left >= 0
}
