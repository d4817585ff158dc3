package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
)

// NameFault writes the name of the fault into the record of a stored finding.
func (s *Store) NameFault(f *Finding, name string) error {
	if f.Dir == "" || f.Again || f.Fault == name {
		return nil
	}
	f.Fault = name
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.failed(nameFault(f.Dir, name, f.Hits, f.Variety != ""))
}

// nameFault changes the record of the finding in a directory. It does nothing if the finding has been moved
// away.
func nameFault(dir, name string, hits uint64, variety bool) error {
	var record FindingRecord
	err := readJSON(filepath.Join(dir, "finding.json"), &record)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	record.Fault = name
	if variety {
		record.Hits = hits
	}
	return (&Store{Dir: dir}).write("finding.json", record)
}

// nameFaults names the faults of the findings of a merged directory.
func nameFaults(dir string) error {
	stored, err := ReadStored(dir)
	if err != nil {
		return err
	}
	targets := make(map[string][]*Finding)
	for i := range stored.Findings {
		f, err := stored.Findings[i].Finding()
		if err != nil {
			return err
		}
		targets[f.Target] = append(targets[f.Target], f)
	}
	for _, of := range targets {
		slices.SortFunc(of, (*Finding).Simpler)
		var failures []*cause.Failure
		for _, f := range of {
			failures = append(failures, f.Failure())
		}
		for _, fault := range cause.Group(failures) {
			for _, i := range fault.Failures {
				if err := nameFault(of[i].Dir, fault.Name, of[i].Hits, of[i].Variety != ""); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
