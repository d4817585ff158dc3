package cause

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// name names a fault by its simplest failure: by its place; or by its symptom, if the cause is unknown; or else by the
// rare inputs or, if there are none, all that it needs. The trace does not count, so other campaigns mostly find the
// same name.
func (f *Failure) name() string {
	switch {
	case f.Location != "" && f.Symptom == oracle.Deadlock.Info().Name:
		return dashed(f.Symptom) + "-" + digest(f.Location)
	case f.Location != "":
		return crash + "-" + digest(f.Location)
	case f.Cause == "":
		return dashed(cmp.Or(f.Symptom, "unknown")) + "-" + digest(f.Symptom+f.Key)
	}
	needs := f.Cause
	if rare := f.Cause.rareInputs(); rare != Nothing {
		needs = rare
	}
	return dashed(string(needs)) + "-" + digest(f.Symptom)
}

// fullName names a fault beside another one that has its name: it makes another mistake.
func (f *Failure) fullName() string { return f.renamed(f.Symptom + string(f.Mistake)) }

// Variety names a failure among others with its key: by its place or, if it has none, by its cause and
// minimal trace.
func (f *Failure) Variety() string {
	if f.Location != "" {
		return f.name()
	}
	return f.renamed(f.skeleton())
}

// renamed returns the name with the digest of another text.
func (f *Failure) renamed(text string) string {
	name := f.name()
	return name[:strings.LastIndexByte(name, '-')+1] + digest(text)
}

func dashed(text string) string { return strings.NewReplacer(joint, "+", " ", "-").Replace(text) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:3])
}

// skeleton returns the place, the symptom, the cause and the minimal trace as text, without queries.
func (f *Failure) skeleton() string {
	text := []byte(f.Location + "\n" + f.Symptom + "\n" + string(f.Cause) + "\n")
	if f.Cause == "" {
		text = append(text, f.Key+"\n"...)
	}
	if f.Minimal == nil {
		return string(text)
	}
	for _, i := range substance(f.Minimal) {
		text = append(f.Minimal.AppendRequest(text, i), '\n')
	}
	return string(text)
}
