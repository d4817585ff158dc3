package ulimit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestExplain meets limits, in processes that have them.
func TestExplain(t *testing.T) {
	if kind := os.Getenv("ULIMIT_TEST"); kind != "" {
		fmt.Println(Explain(provoke(kind)))
		return
	}
	for kind, c := range map[string]struct{ limit, says string }{
		"write": {"-f 8", " bytes here, in every directory. Start ipafuzz without that limit (ulimit -f)."},
		"open":  {"-n 20", "At most 20 files may be open here."},
		"other": {"-f 8", ""},
		// Such an error has another reason, such as a file system of small files.
		"unlimited": {"-f unlimited", ""},
	} {
		command := exec.Command("sh", "-c", "ulimit "+c.limit+"; exec \"$0\" -test.run=TestExplain", os.Args[0])
		command.Env = append(os.Environ(), "ULIMIT_TEST="+kind)
		text, err := command.Output()
		if line, _, _ := strings.Cut(string(text), "\n"); err != nil || !strings.Contains(line, c.says) ||
			(c.says == "") != (line == "") {
			t.Errorf("%s: %v, %q; want %q", kind, err, text, c.says)
		}
	}
}

// provoke returns the error of a call that meets a limit.
func provoke(kind string) error {
	dir, err := os.MkdirTemp("", "ulimit")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	switch kind {
	case "write":
		return fmt.Errorf("writing: %w", os.WriteFile(filepath.Join(dir, "large"), make([]byte, 1<<20), 0o600))
	case "open":
		for {
			if _, err := os.Open(os.DevNull); err != nil {
				return err
			}
		}
	case "unlimited":
		return syscall.EFBIG
	}
	return errors.New("something else")
}
