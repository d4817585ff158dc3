package process

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestFixedText(t *testing.T) {
	for fixed := range Fixed(1 << len(fixedNames)) {
		var read Fixed
		if err := read.UnmarshalText([]byte(fixed.String())); err != nil || read != fixed {
			t.Errorf("%q: read as %q, %v", fixed, read, err)
		}
	}
	var read Fixed
	if err := read.UnmarshalText([]byte("addresses,time")); err == nil ||
		err.Error() != `"time" cannot be fixed; addresses, memory, processor can` {
		t.Errorf("%v", err)
	}
}

// TestFixed checks what a process sees, and that the next one does not see it.
func TestFixed(t *testing.T) {
	const look = `cat /proc/self/personality; grep Cpus_allowed_list /proc/self/status; echo "$MALLOC_PERTURB_"`
	see := func(fixed Fixed) string {
		var out strings.Builder
		cmd := exec.Command("sh", "-c", look)
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := fixed.start(cmd); err != nil {
			t.Fatal(err)
		}
		defer forgetPID(cmd.Process.Pid)
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	usual := see(0)
	if got := strings.Split(see(FixedAddresses|FixedMemory|FixedProcessor), "\n"); got[0] != "00040000" ||
		strings.ContainsAny(got[1], "-,") || got[2] != "85" {
		t.Errorf("everything fixed: %q", got)
	}
	if after := see(0); after != usual {
		t.Errorf("afterwards %q, before %q", after, usual)
	}
}
