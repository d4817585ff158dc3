package native

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestStackIsExtended: the stack of a worker reaches to its limit before the target needs it.
func TestStackIsExtended(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err != nil || limit.Cur < 1<<20 || limit.Cur > 64<<20 {
		t.Skipf("the limit on the stack is %d: %v", limit.Cur, err)
	}
	target := &replay.Target{Name: "ref"}
	if err := ResolveBuiltIn(target, apimodel.IPASIR); err != nil {
		t.Fatal(err)
	}
	s, err := openStream(target, replay.Fork, replay.DefaultLimits, replay.DefaultQueue)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", s.process.PID))
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to uint64
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &from, &to); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(lines.Text(), "[stack]") {
			if slack := uint64(2 * os.Getpagesize()); to-from > limit.Cur || to-from+slack < limit.Cur {
				t.Errorf("the stack has %d bytes, its limit is %d", to-from, limit.Cur)
			}
			return
		}
	}
	t.Error("the worker has no stack")
}
