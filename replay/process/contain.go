package process

import (
	"path/filepath"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
)

// contained tells whether new targets are contained.
var contained atomic.Bool

// Contain turns the containment of targets on or off, for targets that are started from now
// on. A contained target may write only in a directory of its own. Contain returns what the
// kernel lacks for that, or "".
func Contain(targets bool) (missing string) {
	contained.Store(targets)
	if targets && !warden.CanContain() {
		return "this kernel has no Landlock, so only system calls that name a file elsewhere are caught"
	}
	return ""
}

// ContainIn makes the warden contain the process in dir, if targets are contained. If dir is
// "", ContainIn makes a directory and returns it; the caller removes it with RemoveTempDir.
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
