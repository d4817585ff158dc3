package sources

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

// archive reads the traces of an archive that which chooses, as in Choose.
func (r *reader) archive(name, which string) bool {
	a, err := archive.Open(name)
	if err != nil {
		return r.fail(&Error{err})
	}
	defer a.Close()
	if a.Torn != nil && r.options.Warn != nil {
		r.options.Warn(TornNote(name, a))
	}
	if a.Torn != nil && a.Torn.Lost != 0 && r.options.Lost != nil {
		r.options.Lost()
	}
	chosen, err := Choose(a, name, which)
	if err != nil {
		return r.fail(err)
	}
	for _, i := range chosen {
		t, err := a.Trace(i)
		if err != nil {
			if !r.hand(Item{}, err) {
				return false
			}
			continue
		}
		label, err := a.Name(i)
		if err != nil {
			return r.fail(&Error{err})
		}
		if !r.yield(Item{Name: fmt.Sprintf("%s:%d", name, i+1), Label: label, Trace: t}, nil) {
			return false
		}
	}
	return true
}

// TornNote describes the end of a torn archive.
func TornNote(name string, a *archive.Reader) string {
	note := fmt.Sprintf("%s is torn at byte %d (%s): ipafuzz reads %s before it and ignores %s", name, a.Torn.Offset,
		a.Torn.Why, printable.Things(a.Len(), "trace"), printable.Things(a.Torn.Bytes, "byte"))
	switch lost := a.Torn.Lost; {
	case lost > 0:
		note += "; lost: at least " + printable.Things(lost, "trace")
	case lost == 0:
		note += "; no trace is lost"
	case a.Torn.Bytes > 0:
		note += "; the number of lost traces is unknown"
	}
	return note
}

// Choose returns the indices of the traces of an archive that which chooses: a number from 1, a
// range of numbers (3-7), a name, or a pattern of names. "" chooses all traces. file is the name of
// the archive in errors.
func Choose(a *archive.Reader, file, which string) ([]int, error) {
	if which == "" {
		return upTo(0, a.Len()), nil
	}
	first, last, isRange := strings.Cut(which, "-")
	if !isRange {
		last = first
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 == nil && err2 == nil {
		if from < 1 || to < from || to > a.Len() {
			return nil, wrong("%s has traces 1 to %d, not %s", file, a.Len(), which)
		}
		return upTo(from-1, to), nil
	}
	var chosen []int
	for i := range a.Len() {
		label, err := a.Name(i)
		if err != nil {
			return nil, &Error{err}
		}
		matches, err := path.Match(which, label)
		if err != nil {
			return nil, wrong("the pattern %q: %v", which, err)
		}
		if matches || label == which {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return nil, wrong("%s has no trace named %q ('ipafuzz archive list %s' lists them)", file, which, file)
	}
	return chosen, nil
}

func upTo(from, to int) []int {
	numbers := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}
