package bugs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Versions are the targets that are one solver in several versions: cexternal/bugs/versions.toml.
type Versions struct {
	Built   []string // the targets of cexternal/current that 'make test' builds
	Solvers []Solver `toml:"solver"`
}

// A Solver has releases, the newest first.
type Solver struct {
	Name     string
	Registry string // and the package in it: which release is the newest
	Releases []Release
}

// A Release has a target for each of the solver's, in the same order.
type Release struct {
	Version string
	Named   string   // in the registry, if other than Version
	Targets []string // folder/name; "": none
	Package string   // replaces Targets: those of the first release run with this package of PyPI
	Why     string   // why targets are missing
}

// ReadVersions reads the table of the repository at root.
func ReadVersions(root string) (*Versions, error) {
	all := new(Versions)
	read, err := toml.DecodeFile(filepath.Join(root, "cexternal", "bugs", "versions.toml"), all)
	if err != nil {
		return nil, err
	}
	if unknown := read.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("versions.toml: unknown key %s", unknown[0])
	}
	for _, s := range all.Solvers {
		for _, release := range s.Releases {
			if release.Package == "" && len(release.Targets) != len(s.Releases[0].Targets) {
				return nil, fmt.Errorf("versions.toml: %s %s has another number of targets", s.Name, release.Version)
			}
		}
	}
	return all, nil
}

// Of returns the solver that a row is about, and the places for the row.
func (v *Versions) Of(r *Row) (*Solver, []Place, error) {
	name := r.Folder + "/" + r.Target
	for i := range v.Solvers {
		s := &v.Solvers[i]
		for _, release := range s.Releases {
			if at := slices.Index(release.Targets, name); at >= 0 {
				return s, s.places(at), nil
			}
		}
	}
	return nil, nil, fmt.Errorf("cexternal/bugs/versions.toml has no target %s", name)
}

func (s *Solver) places(at int) (places []Place) {
	for _, release := range s.Releases {
		place := Place{Version: release.Version, Package: release.Package, Why: release.Why}
		target := release.Targets
		if release.Package != "" {
			target = s.Releases[0].Targets
		}
		if target[at] != "" {
			place.Folder, place.Target, _ = strings.Cut(target[at], "/")
			place.Why = ""
		}
		places = append(places, place)
	}
	return places
}

// Guarded returns the places at which tests of CI replay a row and compare the result with the page.
func (v *Versions) Guarded(r *Row) (guarded []Place, err error) {
	checked, err := v.Checked(r)
	for _, place := range checked {
		if place.Folder != "current" || slices.Contains(v.Built, place.Target) {
			guarded = append(guarded, place)
		}
	}
	return guarded, err
}

// Checked returns the places at which tests replay a row, if the target is there: those that every run agrees on.
func (v *Versions) Checked(r *Row) (checked []Place, err error) {
	_, places, err := v.Of(r)
	for _, place := range places {
		if c, ok := r.Claim(place.Version); ok && c.IsCertain() && place.Target != "" && place.Package == "" {
			checked = append(checked, place)
		}
	}
	return checked, err
}
