package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A KnownFault is a finding of an earlier campaign. Failures that it explains are counted, but not
// confirmed or reduced again.
type KnownFault struct {
	Key    oracle.Key
	Target string
	Dir    string
	Fault  string      // the name of its fault; "" unknown
	Cause  cause.Cause // "" unknown

	Mistake cause.Mistake // "" unknown
	Minimal *trace.Trace
	Normal  *trace.Trace // nil: same as Minimal
}

// Failure returns what tells the fault from other faults of its target.
func (k *KnownFault) Failure() *cause.Failure {
	return &cause.Failure{Symptom: cause.Symptom(k.Key.Class, k.Key.Detail), Cause: k.Cause,
		Minimal: cmp.Or(k.Normal, k.Minimal), Key: k.Key.Failure(), Mistake: k.Mistake}
}

// IsOf reports whether a finding has the fault. Crashes have one fault if they have one key: another build
// crashes in other places.
func (k *KnownFault) IsOf(f *Finding) bool {
	if f.Location != "" {
		return f.Failure().Key == k.Key.Failure()
	}
	return cause.Compare(f.Failure(), k.Failure()) == cause.Same
}

// ReadKnown reads the findings of earlier campaigns.
func ReadKnown(dirs ...string) (map[oracle.Key][]*KnownFault, error) {
	known := make(map[oracle.Key][]*KnownFault)
	for _, dir := range dirs {
		stored, err := ReadStored(dir)
		if err != nil {
			return nil, err
		}
		for i := range stored.Findings {
			f := &stored.Findings[i]
			fault := &KnownFault{Key: f.Key, Target: f.Target.Name, Dir: f.Dir, Fault: f.Fault, Cause: f.Cause,
				Mistake: f.Mistake}
			for name, into := range map[string]**trace.Trace{"minimal.trace": &fault.Minimal,
				"normal.trace": &fault.Normal} {
				file := filepath.Join(f.Dir, filepath.FromSlash(name))
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
			known[f.Key] = append(known[f.Key], fault)
		}
	}
	return known, nil
}
