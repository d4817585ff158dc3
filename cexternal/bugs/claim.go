package bugs

import (
	"fmt"
	"strings"
)

// A Claim says what replays of a row showed in one version.
type Claim struct {
	Version  string
	IsAbsent bool   // the version does not have the fault
	Note     string // why this is not certain, such as "lacks `flips`", or a rate
}

// String returns the claim as the page has it.
func (c Claim) String() string {
	text := strings.TrimSpace(c.Version + " " + c.Note)
	if c.IsAbsent {
		return "not " + text
	}
	return text
}

// IsCertain reports whether all runs agreed.
func (c Claim) IsCertain() bool { return c.Note == "" }

// Claims reads the column versions.
func (r *Row) Claims() (claims []Claim) {
	for entry := range strings.SplitSeq(r.Versions, ", ") {
		rest, isAbsent := strings.CutPrefix(entry, "not ")
		version, note, _ := strings.Cut(rest, " ")
		claims = append(claims, Claim{Version: version, IsAbsent: isAbsent, Note: note})
	}
	return claims
}

// Claim returns what the page says about a version, if it says something.
func (r *Row) Claim(version string) (Claim, bool) {
	for _, c := range r.Claims() {
		if c.Version == version {
			return c, true
		}
	}
	return Claim{}, false
}

// Set writes the column versions, and the column CI that follows from it.
func (r *Row) Set(claims []Claim, all *Versions) error {
	var texts []string
	for _, c := range claims {
		texts = append(texts, c.String())
	}
	r.Versions = strings.Join(texts, ", ")
	guarded, err := all.Guarded(r)
	if err != nil {
		return err
	}
	r.CI = describe(len(guarded), claims, guarded)
	return nil
}

// describe returns the column CI: yes, no, or the versions whose claims tests check.
func describe(count int, claims []Claim, guarded []Place) string {
	switch count {
	case 0:
		return "no"
	case len(claims):
		return "yes"
	}
	var versions []string
	for _, place := range guarded {
		versions = append(versions, place.Version)
	}
	return strings.Join(versions, ", ")
}

// A Place is where a row is replayed: a target that is one version of a solver.
type Place struct {
	Version        string
	Folder, Target string // none: it cannot be had
	Package        string // the package of PyPI that replaces the target's own
	Why            string // why there is no target
}

func (p Place) String() string { return fmt.Sprintf("%s/%s", p.Folder, p.Target) }
