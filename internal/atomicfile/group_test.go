package atomicfile

import (
	"errors"
	"sync/atomic"
	"testing"
)

// TestGroup: every write is made, few at a time, and the first error is returned.
func TestGroup(t *testing.T) {
	t.Parallel()
	var group Group
	var open, done atomic.Int32
	full := errors.New("the disk is full")
	for range 100 {
		group.Do(func() error {
			if n := open.Add(1); n > mostAtOnce {
				t.Errorf("%d writes at a time", n)
			}
			defer open.Add(-1)
			done.Add(1)
			return full
		})
	}
	if err := group.Wait(); err != full || done.Load() != 100 {
		t.Errorf("%d writes: %v", done.Load(), err)
	}
}
