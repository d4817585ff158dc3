package process

import (
	"path/filepath"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
)

// contained is whether targets are contained.
var contained atomic.Bool

// Contain keeps the targets that are started from now on to directories of their own, or
// no longer does. It says what the kernel cannot do.
func Contain(targets bool) (missing string) {
	contained.Store(targets)
	if targets && !warden.CanContain() {
		return "this kernel has no Landlock, so only system calls that name a file elsewhere are caught"
	}
	return ""
}

// ContainIn has the process contained in a directory, if targets are. It makes one if dir
// is "", which the caller removes with RemoveTempDir.
func (c *Child) ContainIn(dir string) (string, error) {
	if !contained.Load() || c.Uncontained {
		return "", nil
	}
	made := ""
	if dir == "" {
		var err error
		if dir, err = TempDir(); err != nil {
			return "", err
		}
		made = dir
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return made, err
	}
	c.Ward.Contain, c.Ward.Directory = true, real
	c.Ward.Variables = append(c.Ward.Variables, "TMPDIR="+real)
	return made, nil
}
