package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A KnownFault is a finding of an earlier campaign. Its hits are counted; it is
// neither confirmed nor reduced again.
type KnownFault struct {
	Key    oracle.Key
	Target string
	Dir    string
	Hits   uint64

	Minimal *trace.Trace
}

// ReadKnown reads the findings of earlier campaigns.
func ReadKnown(dirs ...string) (map[oracle.Key]*KnownFault, error) {
	known := make(map[oracle.Key]*KnownFault)
	for _, dir := range dirs {
		stored, err := ReadStored(dir)
		if err != nil {
			return nil, err
		}
		for i := range stored.Findings {
			f := &stored.Findings[i]
			fault := &KnownFault{Key: f.Key, Target: f.Target.Name, Dir: f.Dir}
			file := filepath.Join(f.Dir, "minimal.trace")
			text, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("a known finding cannot be read: %w", err)
			}
			if err == nil {
				if fault.Minimal, err = trace.Parse(bytes.NewReader(text), file); err != nil {
					return nil, err
				}
			}
			known[f.Key] = fault
		}
	}
	return known, nil
}
