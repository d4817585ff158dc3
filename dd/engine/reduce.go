package engine

import "errors"

// Items is a set of items to reduce.
type Items[T any] struct {
	N int // items 0 to N-1
	// Build returns the candidate with only these items, in ascending order, or false
	// if it is not worth testing. It must have no side effects: the search may never
	// reach the candidate.
	Build func(kept []int) (T, bool)
	// Adopt is called for every improvement.
	Adopt func(kept []int, candidate T, verdict Verdict)
	// Expect estimates how many items are needed; 0 means a few. It decides how
	// large the first sets are.
	Expect int
	// Needed, if not nil, reports whether an item is almost certainly needed. Method Learned
	// tries these items last, each by itself; Unproven does not try them.
	Needed func(item int) bool
	// SomeNeeded says that hardly ever all items can go. Methods Learned and Unproven then begin with half of them.
	SomeNeeded bool
	// Patience, if not 0, ends the search for sets of methods Learned and Unproven after that
	// many tests without progress. Impatient is then called with the number of items that are
	// probably needed.
	Patience  int
	Impatient func(expect int)
}

// A Method is a way to search for a smaller set.
type Method string

// The methods. All but Unproven and Sweep end with a set from which no single item
// can be removed.
const (
	Learned  Method = "learned"  // sets whose size is learned from earlier verdicts; see guess
	DDMin    Method = "ddmin"    // as published by Zeller and Hildebrandt: subsets and complements, finer and finer
	OneByOne Method = "onebyone" // each item by itself, until none can be removed
	Unproven Method = "unproven" // as Learned, without the proof that no single item can be removed
	Sweep    Method = "sweep"    // as in cnfdd: half of the items, a quarter, and so on, each set once; no complements
)

// Reduce removes items while the property holds, and returns the items that are left. It
// returns them with an error, too. The property must hold for the full set.
func Reduce[T any](l *Lab[T], m Method, items Items[T]) ([]int, error) {
	kept := make([]int, items.N)
	for i := range kept {
		kept[i] = i
	}
	r := &reduction[T]{l, items, kept}
	var err error
	switch m {
	case Learned:
		if err = r.learn(); err == nil {
			err = r.oneByOne()
		}
	case Unproven:
		err = r.learn()
	case DDMin:
		err = r.ddmin()
	case OneByOne:
		err = r.oneByOne()
	case Sweep:
		err = r.sweep()
	default:
		err = errors.New("unknown method " + string(m))
	}
	return r.kept, err
}

type reduction[T any] struct {
	lab   *Lab[T]
	items Items[T]
	kept  []int
}

// without returns the kept items that are not in out, which must be sorted.
func (r *reduction[T]) without(out []int) []int {
	rest := make([]int, 0, len(r.kept)-len(out))
	for _, item := range r.kept {
		if len(out) > 0 && out[0] == item {
			out = out[1:]
			continue
		}
		rest = append(rest, item)
	}
	return rest
}

// first tries sets of items to keep and adopts the first for which the property holds.
func (r *reduction[T]) first(next func() ([]int, bool)) (int, error) {
	var tried [][]int
	index, candidate, verdict, err := r.lab.First(func() (Trial[T], bool) {
		rest, more := next()
		if !more {
			return nil, false
		}
		tried = append(tried, rest)
		return func() (T, bool) { return r.items.Build(rest) }, true
	})
	if err != nil || index < 0 {
		return -1, err
	}
	r.kept = tried[index]
	if r.items.Adopt != nil {
		r.items.Adopt(r.kept, candidate, verdict)
	}
	return index, nil
}

// oneByOne removes one item at a time, round after round, until a whole round proves that
// none can be removed. Cached verdicts make repeated tests free.
func (r *reduction[T]) oneByOne() error {
	for from := 0; len(r.kept) > 0; {
		at, n := 0, len(r.kept)
		index, err := r.first(func() ([]int, bool) {
			if at == n {
				return nil, false
			}
			i := (from + at) % n
			at++
			return r.without(r.kept[i : i+1]), true
		})
		if err != nil || index < 0 {
			return err
		}
		// The next item has taken the place of the removed one.
		if from = (from + index) % n; from == len(r.kept) {
			from = 0
		}
	}
	return nil
}

// sweep removes sets of half the items, of a quarter, and so on, each set once.
func (r *reduction[T]) sweep() error {
	for size := (len(r.kept) + 1) / 2; size > 0; size /= 2 {
		all := r.kept
		at := 0
		for at < len(all) {
			from := at
			index, err := r.first(func() ([]int, bool) {
				if at >= len(all) {
					return nil, false
				}
				set := all[at:min(at+size, len(all))]
				at += size
				return r.without(set), true
			})
			if err != nil {
				return err
			}
			if index < 0 {
				break
			}
			at = from + (index+1)*size
		}
	}
	return nil
}

// ddmin is the algorithm of Zeller and Hildebrandt.
func (r *reduction[T]) ddmin() error {
	for n := 2; len(r.kept) > 0; {
		if len(r.kept) == 1 {
			_, err := r.first(oneSet([]int{}))
			return err
		}
		n = min(n, len(r.kept))
		parts := split(r.kept, n)
		at, total := 0, 2*n
		if n == 2 {
			total = n // the complement of a half is the other half
		}
		index, err := r.first(func() ([]int, bool) {
			if at == total {
				return nil, false
			}
			at++
			if at <= n {
				return parts[at-1], true
			}
			return r.without(parts[at-1-n]), true
		})
		switch {
		case err != nil:
			return err
		case index >= n:
			n = max(n-1, 2)
		case index >= 0:
			n = 2
		case n == len(r.kept):
			return nil
		default:
			n *= 2
		}
	}
	return nil
}

func oneSet(set []int) func() ([]int, bool) {
	given := false
	return func() ([]int, bool) {
		if given {
			return nil, false
		}
		given = true
		return set, true
	}
}

// split cuts a list into n parts whose sizes differ by one at most.
func split(list []int, n int) [][]int {
	parts := make([][]int, 0, n)
	for i := range n {
		parts = append(parts, list[i*len(list)/n:(i+1)*len(list)/n])
	}
	return parts
}
