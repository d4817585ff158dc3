package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Stored is the content of a campaign directory.
type Stored struct {
	Dir      string
	Record   Record
	Findings []FindingRecord

	// The state of a campaign that has not ended, or why it cannot be read.
	state       *State
	stateDamage error
}

// A StoredError reports that a directory is not a campaign directory.
type StoredError struct {
	Dir string
	Err error
}

// Error returns the message.
func (e *StoredError) Error() string {
	return fmt.Sprintf("%s is not a campaign directory: %v", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *StoredError) Unwrap() error { return e.Err }

// A DamagedError reports a finding that cannot be read.
type DamagedError struct {
	Dir string // of the finding
	Err error
}

// Error returns the message.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("the finding in %s cannot be read: %v (move it away to continue without it)", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// A TwiceError reports a directory that was given twice.
type TwiceError struct{ First, Second string }

// Error returns the message.
func (e *TwiceError) Error() string {
	return fmt.Sprintf("%s and %s are the same directory, which would be counted twice; name each once", e.First, e.Second)
}

// Distinct returns a TwiceError if two of the directories are the same.
func Distinct(dirs []string) error {
	for i, dir := range dirs {
		if at := slices.IndexFunc(dirs[:i], func(other string) bool { return sameDirectory(other, dir) }); at >= 0 {
			return &TwiceError{dirs[at], dir}
		}
	}
	return nil
}

// ReadStored reads a campaign directory. The campaign may still be running.
func ReadStored(dir string) (*Stored, error) {
	s := &Stored{Dir: dir}
	if err := readJSON(filepath.Join(dir, "campaign.json"), &s.Record); err != nil {
		return nil, &StoredError{dir, err}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "findings"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &StoredError{dir, err}
	}
	for _, entry := range entries {
		f, err := ReadFinding(filepath.Join(dir, "findings", entry.Name()))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
			continue // a campaign did not write it
		}
		if err != nil {
			return nil, err
		}
		s.Findings = append(s.Findings, f)
	}
	if s.Record.Ended == nil {
		s.soFar()
	}
	return s, nil
}

// ReadFinding reads the directory of a finding.
func ReadFinding(dir string) (FindingRecord, error) {
	f := FindingRecord{Dir: dir}
	if err := readJSON(filepath.Join(dir, "finding.json"), &f); err != nil {
		return f, &DamagedError{dir, err}
	}
	if f.Cell < 0 {
		return f, &DamagedError{dir, fmt.Errorf("its cell is %d, want 0 or more", f.Cell)}
	}
	return f, nil
}

// Avoided returns the features and traits that the campaign avoided, if the finding is still in the
// directory of its campaign.
func (f *FindingRecord) Avoided() []string {
	var r Record
	err := readJSON(filepath.Join(filepath.Dir(filepath.Dir(f.Dir)), "campaign.json"), &r)
	if err != nil || r.Run != f.Run || f.Cell >= len(r.Cells) {
		return nil
	}
	return slices.Concat(r.Avoid, r.Cells[f.Cell].Generate.Without)
}

// Has reports whether this campaign made the finding, and not an earlier one in the same directory.
func (s *Stored) Has(f *FindingRecord) bool {
	return slices.ContainsFunc(s.parts(), func(p Part) bool { return p.Run == f.Run })
}

// soFar takes the counts from the last state, for a campaign that is running or was killed.
func (s *Stored) soFar() {
	s.state, s.stateDamage = readState(s.Dir)
	now := s.state
	if now == nil || now.Run != s.Record.Run || len(now.Cells) != len(s.Record.Cells) {
		return
	}
	r := &s.Record
	r.Stats, r.Tally, r.Hits = now.stats(r), &now.Tally, now.allHits()
	r.Measures, r.Disputed = now.Measures, now.Disputes.All
	if r.Measures == nil {
		r.Measures = new(stats.Measures)
	}
	r.Measures.Profiles = make(map[string]*stats.ProfileUse)
	for i := range now.Cells {
		stats.JoinProfiles(r.Measures.Profiles, now.Cells[i].Profiles)
	}
	maps.DeleteFunc(r.Measures.Firsts, func(key oracle.Key, _ map[string]stats.First) bool { return r.Hits[key] == 0 })
	r.unconfirmed(now.Unconfirmed)
}

// readJSON reads a file with one JSON value.
func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
