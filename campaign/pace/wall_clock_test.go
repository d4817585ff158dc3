package pace

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wallClock matches uses of the clock that people set: in Go, whatever strips the monotonic reading of a
// time or does without one; in C, every clock but the monotonic one.
var wallClock = map[string]*regexp.Regexp{
	".go": regexp.MustCompile(`\.(Unix|UnixNano|UnixMilli|UnixMicro)\(\)|\.Round\(0\)|time\.Unix\(`),
	".c":  regexp.MustCompile(`CLOCK_REALTIME|\bgettimeofday\b|\btime \((0|NULL)\)|\bFUTEX_CLOCK_REALTIME\b`),
}

// allowed lists the places that do not measure time.
var allowed = map[string]string{
	"replay/native/symbolize.go": "tells builds of a file apart by the time of its change",
}

// TestNoWallClock checks that only the monotonic clock measures time, so that a clock that jumps changes no
// limit, share or standstill. Times of day are for people.
func TestNoWallClock(t *testing.T) {
	root, looked := "../..", 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		pattern := wallClock[filepath.Ext(name)]
		foreign := strings.HasPrefix(name, "build") || strings.HasPrefix(name, "cexternal/hostile") ||
			strings.HasSuffix(name, "_test.go")
		if entry.IsDir() || pattern == nil || foreign || allowed[name] != "" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		for i, line := range bytes.Split(text, []byte("\n")) {
			if pattern.Match(line) {
				t.Errorf("%s:%d takes the wall clock: %s", name, i+1, bytes.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || looked < 100 {
		t.Fatalf("looked at %d files: %v", looked, err)
	}
}
