package targets

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNameOfHere checks that the working directory has a name as a target, which finds it again.
func TestNameOfHere(t *testing.T) {
	parent := t.TempDir()
	real, link := filepath.Join(parent, "mysolver"), filepath.Join(parent, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(link)
	for _, name := range []string{".", "./", "./."} {
		if got, ok := nameOfHere(name); !ok || got != "../mysolver" {
			t.Errorf("%q: %q, %v", name, got, ok)
		} else if info, err := os.Stat(got); err != nil || !info.IsDir() {
			t.Errorf("%q is not the directory: %v", got, err)
		}
	}
	for _, name := range []string{"", "..", "./lib.so", "../mysolver"} {
		if got, ok := nameOfHere(name); ok {
			t.Errorf("%q: %q", name, got)
		}
	}
	t.Chdir("/")
	if got, ok := nameOfHere("."); ok {
		t.Errorf("the root is %q", got)
	}
}
