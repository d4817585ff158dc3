package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// IsOf reports whether a finding has the fault of a known one. Crashes have one fault if they have one key: another
// build crashes in other places.
func (f *Finding) IsOf(known *Finding) bool {
	if f.Location != "" {
		return f.Failure().Key == known.Failure().Key
	}
	return cause.Compare(f.Failure(), known.Failure()) == cause.Same
}

// ReadKnown reads the findings of earlier campaigns, without where they crash: another build has other places. Failures
// that they explain are counted, but not confirmed or reduced again. A finding may have lost its traces.
func ReadKnown(dirs ...string) (map[oracle.Key][]*Finding, error) {
	known := make(map[oracle.Key][]*Finding)
	for _, dir := range dirs {
		stored, err := ReadStored(dir)
		if err != nil {
			return nil, err
		}
		for i := range stored.Findings {
			record := &stored.Findings[i]
			f := record.finding()
			f.Location = ""
			if record.Cause != "" {
				f.Diagnosis = &cause.Diagnosis{Cause: record.Cause, Sentence: record.Sentence, Mistake: record.Mistake}
			}
			for name, into := range map[string]**trace.Trace{"minimal.trace": &f.Minimal, "normal.trace": &f.Normal} {
				file := filepath.Join(f.Dir, name)
				text, err := os.ReadFile(file)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return nil, fmt.Errorf("a known finding cannot be read: %w", err)
				}
				if err == nil {
					if *into, err = trace.Parse(bytes.NewReader(text), file); err != nil {
						return nil, err
					}
				}
			}
			known[f.Key] = append(known[f.Key], f)
		}
	}
	return known, nil
}
