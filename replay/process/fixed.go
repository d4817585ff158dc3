package process

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Fixed is a set of surroundings of a process that usually differ from start to start. Fixing
// them makes a failure that depends on them repeatable.
type Fixed uint8

// The surroundings that can be fixed.
const (
	FixedAddresses Fixed = 1 << iota // no address is random
	FixedMemory                      // allocated and freed memory is filled with patterns
	FixedProcessor                   // all threads share one processor
)

var fixedNames = []string{"addresses", "memory", "processor"}

// String returns the names of the set, separated by commas.
func (f Fixed) String() string {
	var names []string
	for i, name := range fixedNames {
		if f>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// UnmarshalText reads what String returns.
func (f *Fixed) UnmarshalText(text []byte) error {
	*f = 0
	for name := range strings.SplitSeq(string(text), ",") {
		if name == "" && len(text) == 0 {
			return nil
		}
		i := slices.Index(fixedNames, name)
		if i < 0 {
			return fmt.Errorf("%q cannot be fixed; %s can", name, strings.Join(fixedNames, ", "))
		}
		*f |= 1 << i
	}
	return nil
}

// Command returns the shell command that runs a program in these surroundings, to be put in
// front of the program's name. It is "" if nothing is fixed.
func (f Fixed) Command() string {
	var words []string
	if f&FixedAddresses != 0 {
		words = append(words, "setarch -R")
	}
	if f&FixedMemory != 0 {
		words = append(words, "env "+pattern)
	}
	if f&FixedProcessor != 0 {
		words = append(words, "taskset -c 0")
	}
	return strings.Join(words, " ")
}

// pattern makes malloc of the GNU C library fill freed memory with a byte, and allocated
// memory with its complement.
const pattern = "MALLOC_PERTURB_=85"

// Arguments of personality(2): noRandomAddresses is ADDR_NO_RANDOMIZE; askPersonality changes
// nothing and returns the current value.
const (
	noRandomAddresses = 0x0040000
	askPersonality    = 0xffffffff
)

// start starts a command in these surroundings. A process inherits them from the thread that
// starts it, so start changes those of its thread and restores them afterwards.
func (f Fixed) start(cmd *exec.Cmd) error {
	if f&FixedMemory != 0 {
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(cmd.Env, pattern)
	}
	if f&(FixedAddresses|FixedProcessor) == 0 {
		return start(cmd)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if f&FixedAddresses != 0 {
		before, err := personality(askPersonality)
		if err == nil {
			_, err = personality(before | noRandomAddresses)
		}
		if err != nil {
			return fmt.Errorf("cannot fix the addresses of a process: %w", err)
		}
		defer personality(before)
	}
	if f&FixedProcessor != 0 {
		var before, one unix.CPUSet
		if err := unix.SchedGetaffinity(0, &before); err != nil {
			return fmt.Errorf("cannot fix the processor of a process: %w", err)
		}
		for cpu := 0; one.Count() == 0; cpu++ {
			if before.IsSet(cpu) {
				one.Set(cpu)
			}
		}
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			return fmt.Errorf("cannot fix the processor of a process: %w", err)
		}
		defer unix.SchedSetaffinity(0, &before)
	}
	return start(cmd)
}

func personality(persona uintptr) (before uintptr, err error) {
	before, _, number := unix.Syscall(unix.SYS_PERSONALITY, persona, 0, 0)
	if number != 0 {
		return 0, number
	}
	return before, nil
}
