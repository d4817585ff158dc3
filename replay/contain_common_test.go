package replay_test

import (
	"syscall"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay/process"
)

func contain(t testing.TB) {
	if missing := process.Contain(true); missing != "" {
		skip(t, missing)
	}
	t.Cleanup(func() { process.Contain(false) })
}

// processorTime is the time that this process and its children have used.
type processorTime int64

func (p *processorTime) read() {
	*p = 0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			*p += processorTime(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
}
