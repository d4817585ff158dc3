package campaign

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

// A KnownFault is a finding of an earlier run: it is counted, and neither
// confirmed nor made small again.
type KnownFault struct {
	Key    oracle.Key
	Target string
	Dir    string
	Hits   uint64

	minimal *trace.Trace
}

// ReadKnown reads the findings of directories that earlier runs have written.
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
				if fault.minimal, err = trace.Parse(bytes.NewReader(text), file); err != nil {
					return nil, err
				}
			}
			known[f.Key] = fault
		}
	}
	return known, nil
}

// isKnown counts a failure whose key an earlier run has. The lock must be held.
func (c *Campaign) isKnown(key oracle.Key) bool {
	known := c.config.Known[key]
	if known == nil {
		return false
	}
	known.Hits++
	return true
}

// learnKnown learns from what earlier runs have made small.
func (c *Campaign) learnKnown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range c.config.Known {
		if known.minimal != nil {
			c.learn(known.Key, known.Target, known.minimal)
		}
	}
}

// knownHits are those of known faults that were seen. The lock must be held.
func (c *Campaign) knownHits() map[oracle.Key]uint64 {
	hits := make(map[oracle.Key]uint64)
	for key, known := range c.config.Known {
		if known.Hits > 0 {
			hits[key] = known.Hits
		}
	}
	return hits
}
