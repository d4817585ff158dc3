package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram makes this test binary behave as ipafuzz, in any directory.
const asProgram = "IPAFUZZ_TEST_AS_PROGRAM"

// TestMain lets the scripts in testdata/script run this test binary as ipafuzz. So the binary also starts
// itself again as a worker, as the real program does.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	if filepath.Base(os.Args[0]) != "ipafuzz" {
		// Child processes ignore the signals that their parent ignores, and a test run under nohup ignores
		// hang-ups. They do not ignore signals that their parent handles.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	testscript.Main(m, map[string]func(){"ipafuzz": main})
}

func TestScripts(t *testing.T) {
	const patience = 8 * time.Minute // many times what all scripts take; the failing test then names the one that hangs
	testscript.Run(t, testscript.Params{
		Deadline:            time.Now().Add(patience),
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("IPAFUZZ_CACHE", env.WorkDir+"/.cache")
			return nil
		},
		Condition: func(condition string) (bool, error) {
			if condition == "asan" {
				runtime, err := exec.Command("cc", "-print-file-name=libasan.so").Output()
				required := os.Getenv("IPAFUZZ_NO_SKIP") != "" // as in CI
				return required || err == nil && filepath.IsAbs(string(runtime)), nil
			}
			path, ok := strings.CutPrefix(condition, "exists:")
			if !ok {
				return false, fmt.Errorf("there is no condition %s", condition)
			}
			_, err := os.Stat(path)
			return err == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"interrupt":  interrupt,
			"elf-header": elfHeader,
		},
	})
}

// exits CODE PROGRAM ARG... runs a program and expects that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	checkExit(ts, args[0], ts.Exec(args[1], args[2:]...))
}

// interrupt CODE TEXT PROGRAM ARG... runs a program, sends it SIGINT once it has written the text, and
// expects that exit code.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt CODE TEXT PROGRAM [ARG...]")
	}
	const (
		patience = time.Minute
		settle   = 200 * time.Millisecond // until what was announced has begun
	)
	path := findProgram(ts, args[2])
	cmd := exec.Command(path, args[3:]...)
	cmd.Args[0] = args[2]
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"), "HOME="+ts.Getenv("HOME"), "IPAFUZZ_CACHE="+
		ts.Getenv("IPAFUZZ_CACHE"))
	said := &awaited{text: args[1], met: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(said, ts.Stdout()), io.MultiWriter(said, ts.Stderr())
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-said.met:
	case err := <-ended:
		ts.Fatalf("ended before it wrote %q: %v", args[1], err)
	case <-time.After(patience):
		cmd.Process.Kill()
		ts.Fatalf("did not write %q within %v", args[1], patience)
	}
	time.Sleep(settle)
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	select {
	case err := <-ended:
		checkExit(ts, args[0], err)
	case <-time.After(patience):
		cmd.Process.Kill()
		ts.Fatalf("did not end within %v of SIGINT", patience)
	}
}

// checkExit checks the exit code. want is the right one, or several, as in 0|4.
func checkExit(ts *testscript.TestScript, want string, err error) {
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if !slices.Contains(strings.Split(want, "|"), strconv.Itoa(code)) {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

func findProgram(ts *testscript.TestScript, name string) string {
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), ":") {
		if path := dir + "/" + name; exec.Command(path).Err == nil {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	ts.Fatalf("there is no program %s", name)
	return ""
}

// awaited is a writer that closes met once the text has been written to it.
type awaited struct {
	text string
	met  chan struct{}
	mu   sync.Mutex
	all  []byte
	done bool
}

func (a *awaited) Write(piece []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, piece...)
	if !a.done && bytes.Contains(a.all, []byte(a.text)) {
		a.done = true
		close(a.met)
	}
	return len(piece), nil
}

// elf-header FILE writes the beginning of a shared library for another machine.
func elfHeader(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: elf-header FILE")
	}
	header := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_S390), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Shentsize: 64}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	var out bytes.Buffer
	ts.Check(binary.Write(&out, binary.LittleEndian, &header))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o755))
}
