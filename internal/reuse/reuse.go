// Package reuse empties buffers that are filled again and again.
package reuse

// Most buffers stay below this many elements, and cost little.
const alwaysKept = 1 << 12

// Empty returns the slice without its elements. It keeps the memory for the next use, unless the slice is large and
// less than an eighth of it was used. So after one huge trace, a buffer shrinks with the next small one. Without that,
// a long run ends with every buffer as large as its largest content ever.
func Empty[E any](s []E) []E {
	if cap(s) > alwaysKept && len(s) < cap(s)/8 {
		return nil
	}
	return s[:0]
}
