package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestResumeReadsOnce resumes a campaign with findings and counts how often each JSON file of its directory is opened.
func TestResumeReadsOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	fuzz := func(more ...string) {
		t.Helper()
		args := append([]string{"fuzz", "--target", "ref:defect=redeclare-adds", "--seed", "1", "--workers", "1",
			"--out", dir}, more...)
		text, err := exec.Command("ipafuzz", args...).CombinedOutput()
		if err == nil || !bytes.Contains(text, []byte("Fault 1")) {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	fuzz("--traces", "300")
	findings, err := filepath.Glob(filepath.Join(dir, "findings", "*"))
	if err != nil || len(findings) < 2 {
		t.Fatalf("%d findings, %v", len(findings), err)
	}
	events, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(events)
	watched := make(map[int32]string)
	for _, folder := range append(findings, dir) {
		watch, err := unix.InotifyAddWatch(events, folder, unix.IN_OPEN)
		if err != nil {
			t.Fatal(err)
		}
		watched[int32(watch)] = folder
	}
	fuzz("--traces", "400", "--resume")
	opened := make(map[string]int)
	for buffer := make([]byte, 1<<20); ; {
		n, err := unix.Read(events, buffer)
		if err == unix.EAGAIN {
			break
		}
		if err != nil {
			t.Fatal(os.NewSyscallError("read", err))
		}
		for event := buffer[:n]; len(event) > 0; {
			folder := watched[int32(binary.NativeEndian.Uint32(event))]
			length := unix.SizeofInotifyEvent + binary.NativeEndian.Uint32(event[12:])
			name := string(bytes.TrimRight(event[unix.SizeofInotifyEvent:length], "\x00"))
			if event = event[length:]; strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
				opened[filepath.Join(folder, name)]++
			}
		}
	}
	for _, name := range []string{"campaign.json", "state.json"} {
		if opened[filepath.Join(dir, name)] == 0 {
			t.Errorf("%s was not read", name)
		}
	}
	for path, times := range opened {
		if times > 1 {
			t.Errorf("%s was opened %d times", path, times)
		}
	}
}
