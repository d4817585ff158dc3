package cube

// A Quantifier says when Fold keeps two assignments that differ in one dimension.
type Quantifier uint8

const (
	Exists  Quantifier = iota // one of them is in the set
	Forall                    // both are
	AtFalse                   // the one with the value false is
	AtTrue                    // the one with the value true is
)

// Copy makes c a copy of another set.
func (c *Set) Copy(whole *Set) {
	whole.settle()
	c.dims, c.late = whole.dims, c.late[:0]
	c.words = append(c.words[:0], whole.words...)
}

// Fold quantifies a dimension of a set and stores the result in c, which may be that set. It reports whether
// the dimension is gone and those above it have moved down by one. The six dimensions inside a word stay,
// and nothing constrains them afterwards: closing the gap would cost more than it saves.
func (c *Set) Fold(whole *Set, dim int, q Quantifier) (gone bool) {
	whole.settle()
	c.late = c.late[:0]
	if dim < wordDims {
		c.foldInWords(whole, dim, q)
		return false
	}
	size := 1 << (dim - wordDims)
	if half := len(whole.words) / 2; cap(c.words) < half {
		c.words = make([]uint64, half)
	}
	from := whole.words
	c.dims, c.words = whole.dims-1, c.words[:len(from)/2]
	// If both sets are one, the loop reads each word before it overwrites it, because it writes only before
	// the words that it has yet to read.
	for at := 0; at < len(c.words); at += size {
		low, high := from[2*at:2*at+size], from[2*at+size:2*at+2*size]
		to := c.words[at : at+size]
		switch q {
		case Exists:
			for i := range to {
				to[i] = low[i] | high[i]
			}
		case Forall:
			for i := range to {
				to[i] = low[i] & high[i]
			}
		case AtFalse:
			copy(to, low)
		case AtTrue:
			copy(to, high)
		}
	}
	return true
}

func (c *Set) foldInWords(whole *Set, dim int, q Quantifier) {
	if cap(c.words) < len(whole.words) {
		c.words = make([]uint64, len(whole.words))
	}
	c.dims, c.words = whole.dims, c.words[:len(whole.words)]
	mask, shift := inWord[dim], 1<<dim
	for i, w := range whole.words {
		high, low := w&mask, w&^mask
		high |= high >> shift
		low |= low << shift
		switch q {
		case Exists:
			c.words[i] = high | low
		case Forall:
			c.words[i] = high & low
		case AtFalse:
			c.words[i] = low
		case AtTrue:
			c.words[i] = high
		}
	}
}

// Complement makes c the set of the assignments that were not in it.
func (c *Set) Complement() {
	c.settle()
	for i := range c.words {
		c.words[i] = ^c.words[i]
	}
}
