package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// What a campaign's directory holds, as others read it.
type (
	Record        = campaignRecord
	FindingRecord = findingRecord
	TargetRecord  = targetRecord
)

// A Stored is a campaign that was run, as its directory has it.
type Stored struct {
	Dir      string
	Record   Record
	Findings []StoredFinding
}

// A StoredFinding is one finding. Its directory has the traces.
type StoredFinding struct {
	Dir string
	FindingRecord
}

// A StoredError is a directory that is none of a campaign's.
type StoredError struct {
	Dir string
	Err error
}

func (e *StoredError) Error() string {
	return fmt.Sprintf("%s is no directory of a run of 'ipafuzz fuzz': %v", e.Dir, e.Err)
}

func (e *StoredError) Unwrap() error { return e.Err }

// ReadStored reads a campaign's directory. The campaign may still run.
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
		f := StoredFinding{Dir: filepath.Join(dir, "findings", entry.Name())}
		err := readJSON(filepath.Join(f.Dir, "finding.json"), &f.FindingRecord)
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody else's
		}
		if err != nil {
			return nil, &StoredError{dir, err}
		}
		s.Findings = append(s.Findings, f)
	}
	return s, nil
}

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
