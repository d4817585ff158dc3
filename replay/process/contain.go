package process

import (
	"path/filepath"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
)

// contained is whether targets are contained.
var contained atomic.Bool

// Contain keeps the targets that are started from now on to directories of their own. The
// program decides it. What the kernel cannot do is returned as text.
func Contain() (missing string) {
	contained.Store(true)
	if !warden.CanContain() {
		return "this kernel has no Landlock, so only system calls that name a file elsewhere are caught"
	}
	return ""
}

// Release ends what Contain began, for the targets that are started from now on.
func Release() { contained.Store(false) }

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
