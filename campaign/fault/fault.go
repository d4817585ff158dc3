// Package fault groups the findings of campaigns by the defect that causes them.
//
// A finding is what was observed; a fault is what has to be fixed. Records alone decide which findings have
// one fault: the place of a crash, the cause that experiments found, and the minimal trace. So a running
// campaign and its stored directory give the same groups, and so do separate shards and their merged
// directory.
package fault

import (
	"path/filepath"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Fault is a group of findings with one cause.
type Fault struct {
	// Name is the same in all campaigns that reduce the simplest finding to the same trace. Faults of
	// different targets may share a name.
	Name     string
	Target   string
	Cause    cause.Cause      // of the simplest finding whose cause is known; "" unknown
	Sentence string           // says the cause in plain English; "" unknown
	Location string           // where it crashes; "" if it does not crash or the place is unknown
	Findings []*store.Finding // the simplest comes first, if possible one whose experiments are about its own failure
	Possibly []string         // names of faults of the target that may be the same
	KnownAs  string           // the name that an earlier run gave to this fault; "" if the fault is new
	Under    string           // the name of the fault in Possibly under which a reader finds this one; "" if none

	input cause.Input // that it needs
}

// Hits returns how often the findings were seen. A run that shows two of them counts twice.
func (f *Fault) Hits() (sum uint64) {
	for _, of := range f.Findings {
		sum += of.Hits
	}
	return sum
}

// Has reports whether a finding of the fault is stored in the directory.
func (f *Fault) Has(dir string) bool {
	return dir != "" && slices.ContainsFunc(f.Findings, func(of *store.Finding) bool { return of.Dir == dir })
}

// Group groups findings by their fault. Their order does not matter. The faults are in the order of arrange.
func Group(findings []*store.Finding) (faults []Fault) {
	targets := make(map[string][]*store.Finding)
	for _, f := range findings {
		targets[f.Target] = append(targets[f.Target], f)
	}
	for target, of := range targets {
		faults = append(faults, groupOne(target, of)...)
	}
	return arrange(faults)
}

// Recognise sets KnownAs of the faults that findings of earlier runs show, too: a failure with a new key
// may have a known fault.
func Recognise(faults []Fault, known map[oracle.Key][]*store.Finding) {
	for i := range faults {
		f := &faults[i]
		var names []string
		for _, withKey := range known {
			for _, k := range withKey {
				isIt := func(g *store.Finding) bool { return g.IsOf(k) }
				if k.Fault != "" && k.Target == f.Target && slices.ContainsFunc(f.Findings, isIt) {
					names = append(names, k.Fault)
				}
			}
		}
		if len(names) > 0 {
			f.KnownAs = slices.Min(names)
		}
	}
}

// groupOne groups the findings of one target.
func groupOne(target string, findings []*store.Finding) (faults []Fault) {
	findings = slices.SortedFunc(slices.Values(findings), (*store.Finding).Simpler)
	failures := make([]*cause.Failure, len(findings))
	for i, f := range findings {
		failures[i] = f.Failure()
	}
	for _, g := range cause.Group(failures) {
		f := Fault{Name: g.Name, Target: target, Location: failures[g.Failures[0]].Location, Possibly: g.Possibly}
		for _, i := range g.Failures {
			f.Findings = append(f.Findings, findings[i])
		}
		showOwn(f.Findings)
		if at := slices.IndexFunc(f.Findings, func(of *store.Finding) bool { return of.Cause() != "" }); at >= 0 {
			f.Cause, f.Sentence = f.Findings[at].Cause(), f.Findings[at].Diagnosis.Sentence
		}
		faults = append(faults, f)
	}
	return faults
}

// showOwn moves a finding to the front that needs as little as the first one and whose experiments are about its own
// failure. A reader should not see a trace that was kept for one failure beside experiments with another.
func showOwn(findings []*store.Finding) {
	about := func(of *store.Finding) string {
		if of.Diagnosis == nil {
			return ""
		}
		return of.Diagnosis.Of
	}
	if about(findings[0]) == "" {
		return
	}
	needs := len(findings[0].Cause().Needs())
	for i, of := range findings {
		if of.Cause() != "" && len(of.Cause().Needs()) == needs && about(of) == "" {
			copy(findings[1:i+1], findings[:i])
			findings[0] = of
			return
		}
	}
}

// IsOpen reports whether the cause of all findings is open because time ran out. Then it may be one of the other
// faults.
func (f *Fault) IsOpen() bool {
	return !slices.ContainsFunc(f.Findings, func(of *store.Finding) bool { return !of.Undecided })
}

// severity returns the severity of the worst finding.
func (f *Fault) severity() (worst int) {
	for _, of := range f.Findings {
		worst = max(worst, of.Class.Severity())
	}
	return worst
}

// Of returns the fault of a finding, or nil.
func Of(faults []Fault, finding *store.Finding) *Fault {
	for i := range faults {
		if slices.Contains(faults[i].Findings, finding) {
			return &faults[i]
		}
	}
	return nil
}

// New returns the indices of the faults that a campaign found, are not known, and had no finding in its directory
// before.
func New(dir string, found []Fault) (indices []int, err error) {
	fresh := make(map[string]bool) // directories of findings that no earlier run made
	for i := range found {
		for _, f := range found[i].Findings {
			if found[i].KnownAs == "" && !f.Again && f.Dir != "" {
				fresh[filepath.Base(f.Dir)] = true
			}
		}
	}
	isNew := make(map[string]bool) // directories of findings of new faults
	if len(fresh) > 0 {
		stored, err := store.ReadStored(dir)
		if err != nil {
			return nil, err
		}
		faults, err := Read(stored.Findings)
		if err != nil {
			return nil, err
		}
		for _, f := range faults {
			isOld := func(of *store.Finding) bool { return !fresh[filepath.Base(of.Dir)] }
			if !slices.ContainsFunc(f.Findings, isOld) {
				for _, of := range f.Findings {
					isNew[filepath.Base(of.Dir)] = true
				}
			}
		}
	}
	for i := range found {
		if found[i].KnownAs == "" && slices.ContainsFunc(found[i].Findings, func(of *store.Finding) bool {
			return of.Dir == "" || isNew[filepath.Base(of.Dir)]
		}) {
			indices = append(indices, i)
		}
	}
	return indices, nil
}

// Read groups the findings of campaign directories by fault. It reads their traces from the directories.
func Read(stored []store.FindingRecord) ([]Fault, error) {
	var findings []*store.Finding
	for i := range stored {
		f, err := stored[i].Finding()
		if err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	return Group(findings), nil
}
