package store

import (
	"errors"
	"io/fs"
	"os"
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
	return s.failed(f.writeFault(name))
}

// writeFault writes the record of a stored finding with the name of its fault. It does nothing if the finding has been
// moved away.
func (f *Finding) writeFault(name string) error {
	if _, err := os.Stat(filepath.Join(f.Dir, "finding.json")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	record := *f.record
	record.Fault = name
	if f.Variety != "" {
		record.Hits = f.Hits
	}
	return (&Store{Dir: f.Dir}).write("finding.json", record)
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
				if err := of[i].writeFault(fault.Name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
