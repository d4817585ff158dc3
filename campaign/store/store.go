package store

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Store writes the directory of a campaign.
type Store struct {
	Dir      string
	Record   Record // the content of campaign.json
	commands Commands
	limits   replay.Limits
	past     *Past // what the directory held before

	// mu is held while the directory of a finding is replaced, and for reading while one of its files is. Nobody writes
	// the same file twice at a time.
	mu sync.RWMutex
}

// Commands returns the commands that finding.json quotes.
type Commands interface {
	Replay(f *Finding) string   // shows the finding again
	Continue(f *Finding) string // continues its reduction; "" if there is nothing to continue
	Generate(f *Finding) string // makes its original trace
}

// Open creates the directory of a campaign, unless it exists, and locks it. The only file that it writes is the lock.
// The limits become part of the notes of minimal traces.
func Open(past *Past, record Record, commands Commands, limits replay.Limits) (*Store, error) {
	record.Run, record.Started = rand.Text(), time.Now().UTC()
	s := &Store{Dir: past.Dir, Record: record, commands: commands, limits: limits, past: past}
	if err := os.MkdirAll(filepath.Join(s.Dir, "findings"), 0o755); err != nil {
		return nil, s.failed(err)
	}
	if past.lock == nil {
		if err := past.read(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Begin writes campaign.json. Unless the campaign is resumed, Begin removes the counts of an earlier one;
// the findings stay.
func (s *Store) Begin(resumed bool) error {
	err := s.write("campaign.json", s.Record)
	if err == nil && !resumed {
		err = s.forget()
	}
	return s.failed(err)
}

// Continue gives this campaign the identity of the one in the directory.
func (s *Store) Continue(was *Stored) error {
	s.Record.Run, s.Record.Started = was.Record.Run, was.Record.Started
	return s.failed(mend(filepath.Join(s.Dir, "stats.jsonl")))
}

// Close unlocks the directory.
func (s *Store) Close() error { return s.past.Close() }

func (s *Store) failed(err error) error { return unwritable(s.Dir, err) }

// forget removes the counts of an earlier campaign.
func (s *Store) forget() error {
	for _, name := range []string{"state.json", "stats.jsonl"} {
		if err := os.Remove(filepath.Join(s.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// targetOf returns the record of the target of a finding.
func (s *Store) targetOf(f *Finding) TargetRecord {
	all := slices.Concat(s.Record.Targets, s.Record.Against)
	return all[slices.IndexFunc(all, func(t TargetRecord) bool { return t.Name == f.Target })]
}

// A DirectoryError reports a campaign directory that cannot be written.
type DirectoryError struct {
	Dir string
	Err error
}

// Error returns the message.
func (e *DirectoryError) Error() string {
	return fmt.Sprintf("findings cannot be stored in %s: %v (name another directory with --out)", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *DirectoryError) Unwrap() error { return e.Err }

func unwritable(dir string, err error) error {
	if err == nil {
		return nil
	}
	return &DirectoryError{Dir: dir, Err: err}
}

// An End is what campaign.json gets when the campaign ends.
type End struct {
	Stats       *stats.Stats
	Tally       *oracle.Tally
	Measures    *stats.Measures
	Disputed    uint64
	Tables      map[string]float64
	Reserved    map[string]float64
	Unconfirmed []Unconfirmed
	Findings    []*Finding
	Interrupted bool // somebody ended the run
}

// Finish archives the traces of the findings, completes campaign.json and unlocks the directory.
func (s *Store) Finish(end End) error {
	defer s.past.Close()
	archived := s.failed(archiveFindings(s.Dir))
	now := time.Now().UTC()
	s.Record.Ended, s.Record.Stats, s.Record.Disputed = &now, end.Stats, end.Disputed
	s.Record.Interrupted = end.Interrupted
	s.Record.Measures, s.Record.Tally, s.Record.Tables = end.Measures, end.Tally, end.Tables
	s.Record.Reserved = end.Reserved
	s.Record.Hits = make(map[oracle.Key]uint64)
	for _, f := range end.Findings {
		s.Record.Hits[f.Key] += f.Hits
		if f.Dir != "" {
			s.Record.Findings = append(s.Record.Findings, filepath.Base(f.Dir))
		}
	}
	s.Record.unconfirmed(end.Unconfirmed)
	return errors.Join(archived, s.failed(s.write("campaign.json", s.Record)))
}

func (s *Store) write(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.Dir, name), append(text, '\n'))
}

// Writes writes files of a campaign directory at the same time.
type Writes = atomicfile.Group

// writeSynced writes files and waits until they are on the disk.
func writeSynced(dir string, files map[string][]byte) error {
	var writing atomicfile.Group
	for name, text := range files {
		writing.Do(func() error {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			file, err := os.Create(path)
			if err != nil {
				return err
			}
			_, err = file.Write(text)
			return errors.Join(err, file.Sync(), file.Close())
		})
	}
	return writing.Wait()
}
