package archive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

func TestNumberedNames(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, rand.Uint64()), 0))
	for range 200 {
		var names []numbered
		var want []string
		number := r.Uint64() >> r.IntN(64)
		prefix := ""
		for range r.IntN(100) {
			switch r.IntN(4) {
			case 0:
				prefix = []string{"", "a-", "b-1-", "a\n"}[r.IntN(4)]
			case 1:
				number = r.Uint64N(math.MaxUint64-1) >> r.IntN(64)
			}
			names, want = addNumbered(names, prefix, number), append(want, fmt.Sprint(prefix, number))
			number = (number + 1) % (math.MaxUint64 - 1)
		}
		data := appendNumbered(nil, names)
		list, err := readNumbered(data, len(want))
		if err != nil || list.count != len(want) {
			t.Fatalf("%d names for %d: %v", list.count, len(want), err)
		}
		for i := range want {
			if got := list.at(i); got != want[i] {
				t.Fatalf("name %d is %q, want %q", i, got, want[i])
			}
		}
		if len(want) == 0 {
			continue
		}
		if _, err := readNumbered(data, len(want)-1); err == nil {
			t.Fatal("more names than traces are no error")
		}
		if list, err := readNumbered(data[:r.IntN(len(data))], len(want)); err == nil && list.count == len(want) {
			t.Fatal("names that are cut off are no error")
		}
	}
}

// FuzzNumberedNames: reading returns an error, or as many names as it says.
func FuzzNumberedNames(f *testing.F) {
	f.Add(appendNumbered(nil, []numbered{{"a", 1, 3}, {"a", 7, 1}, {"b", 0, 2}}), 6)
	f.Fuzz(func(t *testing.T, data []byte, traces int) {
		list, err := readNumbered(data, max(0, traces))
		if err != nil {
			return
		}
		if list.count > max(0, traces) {
			t.Fatalf("%d names for %d traces", list.count, traces)
		}
		for i := range min(list.count, 1000) {
			list.at(i)
			list.at(list.count - 1 - i)
		}
	})
}
