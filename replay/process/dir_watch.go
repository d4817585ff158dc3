package process

import (
	"io/fs"
	"path/filepath"
	"sync/atomic"
)

const (
	// looksPerWalk is how many looks of a watchdog take one walk through the directory.
	looksPerWalk = 10
	// mostEntries bounds a walk. A directory with more entries exceeds any limit.
	mostEntries = 20_000
)

// FilesPerOutput times the output limit is the limit on the files in a target's directory.
const FilesPerOutput = 4

// A DirWatch bounds what a contained target writes into its own directory.
type DirWatch struct {
	Dir   string // "": none
	looks int
	large atomic.Bool
}

// IsLarge reports whether the files had a part of what is allowed, at the last walk.
func (d *DirWatch) IsLarge() bool { return d.large.Load() }

// Exceeds reports whether the files in the directory have more than most bytes; 0 means no
// limit. It walks the directory only once in looksPerWalk calls, and otherwise returns false.
func (d *DirWatch) Exceeds(most uint64) bool {
	if d.looks++; d.Dir == "" || most == 0 || d.looks%looksPerWalk != 0 {
		return false
	}
	bytes, entries := uint64(0), 0
	filepath.WalkDir(d.Dir, func(_ string, entry fs.DirEntry, err error) error {
		if entries++; entries > mostEntries {
			return fs.SkipAll
		}
		if err != nil || !entry.Type().IsRegular() {
			return nil // gone, or unreadable: a target may do that to its directory
		}
		if info, err := entry.Info(); err == nil {
			bytes += uint64(info.Size())
		}
		return nil
	})
	const part = 4
	d.large.Store(bytes > most/part || entries > mostEntries/part)
	return bytes > most || entries > mostEntries
}
