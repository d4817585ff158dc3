package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/trace"
)

// finding returns a stored finding without its traces and experiments.
func (s *FindingRecord) finding() *Finding {
	f := &Finding{
		Finding: s.Record.Finding(),
		Key:     s.Key, Facts: s.Facts, Target: s.Target.Name, Hits: s.Hits, Dir: s.Dir, Resumed: true,
		Choice:   source.Choice{Without: s.Without, Profile: s.Larger},
		Elapsed:  time.Duration(s.Elapsed * float64(time.Second)),
		Reducing: time.Duration(s.Reducing * float64(time.Second)),
	}
	record := *s
	f.record = &record
	f.Seed, _ = strconv.ParseUint(s.Seed, 0, 64)
	f.Finding.Solve, f.Finding.Instance = s.Solve-1, s.Instance
	for i := range s.Also {
		f.Others = append(f.Others, s.Also[i].Finding())
	}
	return f
}

// Finding returns a stored finding with its traces, but without the run of its minimal trace.
func (s *FindingRecord) Finding() (*Finding, error) {
	f := s.finding()
	for _, file := range []struct {
		name string
		into **trace.Trace
	}{{"original.trace", &f.Original}, {"minimal.trace", &f.Minimal}, {"normal.trace", &f.Normal}} {
		path := filepath.Join(s.Dir, file.name)
		text, err := os.ReadFile(path)
		if file.into == &f.Normal && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			*file.into, err = trace.ParseSyntax(bytes.NewReader(text), path)
		}
		if err != nil {
			return nil, &DamagedError{Dir: s.Dir, Err: err}
		}
	}
	var err error
	if f.Diagnosis, err = s.diagnosis(); err != nil {
		return nil, &DamagedError{Dir: s.Dir, Err: err}
	}
	return f, nil
}
