package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"sort"
	"strconv"
)

// numbered are the names of traces that follow one another: a prefix, and the numbers from first on. In a campaign, one
// has hundreds of names.
//
// An index has them as varints: 0 if the prefix is that of the names before, or its length plus 1 and the prefix; the
// first number, less the one that is due after the names before, in zigzag; and how many names there are.
type numbered struct {
	prefix string
	first  uint64
	count  int
}

// mostNameBytes is the maximum number of bytes that a name takes in an index.
const mostNameBytes = maxName + 2*binary.MaxVarintLen64 + 3

// addNumbered adds a name.
func addNumbered(names []numbered, prefix string, number uint64) []numbered {
	if n := len(names); n > 0 {
		if last := &names[n-1]; last.first+uint64(last.count) == number && last.prefix == prefix {
			last.count++
			return names
		}
	}
	return append(names, numbered{prefix, number, 1})
}

func appendNumbered(dst []byte, names []numbered) []byte {
	prefix, due := "", uint64(0)
	for i := range names {
		n := &names[i]
		if i > 0 && n.prefix == prefix {
			dst = append(dst, 0)
		} else {
			prefix = n.prefix
			dst = append(binary.AppendUvarint(dst, 1+uint64(len(prefix))), prefix...)
		}
		dst = binary.AppendUvarint(binary.AppendVarint(dst, int64(n.first-due)), uint64(n.count))
		due = n.first + uint64(n.count)
	}
	return dst
}

var errNames = errors.New("the names are damaged")

// readNumbered reads the names of so many traces.
func readNumbered(data []byte, traces int) (nameList, error) {
	list := nameList{numbered: []numbered{}}
	due, prefix := uint64(0), ""
	for len(data) > 0 {
		length, size := binary.Uvarint(data)
		if size <= 0 || length > uint64(len(data)-size)+1 || length > maxName+1 {
			return nameList{}, errNames
		}
		if data = data[size:]; length > 0 {
			prefix, data = string(data[:length-1]), data[length-1:]
		}
		step, size := binary.Varint(data)
		if size <= 0 {
			return nameList{}, errNames
		}
		data = data[size:]
		count, size := binary.Uvarint(data)
		first := due + uint64(step)
		if size <= 0 || count == 0 || count > uint64(traces-list.count) || first > math.MaxUint64-count {
			return nameList{}, errNames
		}
		data = data[size:]
		list.count += int(count)
		list.numbered, list.ends = append(list.numbered, numbered{prefix, first, int(count)}), append(list.ends, list.count)
		due = first + count
	}
	return list, nil
}

// A nameList has the names that an index gives.
type nameList struct {
	whole    []string
	numbered []numbered // instead
	ends     []int      // of these names, in the list
	count    int
}

func (l *nameList) at(i int) string {
	if l.numbered == nil {
		return l.whole[i]
	}
	k := sort.SearchInts(l.ends, i+1)
	n := &l.numbered[k]
	return n.prefix + strconv.FormatUint(n.first+uint64(i-(l.ends[k]-n.count)), 10)
}

// readWhole reads the names of so many traces, with a NUL after each.
func readWhole(data []byte, traces int) (nameList, error) {
	list := nameList{count: bytes.Count(data, []byte{0})}
	if list.count != traces {
		return list, nil
	}
	if len(data) > 0 && data[len(data)-1] != 0 {
		return list, errNames
	}
	list.whole = make([]string, 0, traces)
	for name := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte{0}), []byte{0}) {
		list.whole = append(list.whole, string(name))
	}
	return list, nil
}
