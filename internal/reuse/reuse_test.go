package reuse_test

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/reuse"
)

// TestEmpty: large buffers that were hardly used are given up, all others stay.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		length, capacity int
		kept             bool
	}{
		{0, 1 << 12, true}, {0, 1<<12 + 1, false}, {1 << 13, 1 << 16, true}, {1<<13 - 1, 1 << 16, false},
	} {
		got := reuse.Empty(make([]int32, c.length, c.capacity))
		if len(got) != 0 || (cap(got) == c.capacity) != c.kept {
			t.Errorf("%d of %d elements used: length %d, capacity %d; want kept %v", c.length, c.capacity, len(got),
				cap(got), c.kept)
		}
	}
}
