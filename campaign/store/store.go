package store

import (
	"bytes"
	"cmp"
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

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Store is the directory of a campaign:
//
//	campaign.json                  what was run, and how it ended
//	state.json                     what a run that goes on needs, written every second
//	stats.jsonl                    what had been counted, a line now and then
//	.lock                          locked by the run that writes here, with its process number
//	archive/findings.traces.zst    the traces of all findings
//	archive/run-0001.traces.zst    every trace of the run, if it is to be kept
//	findings/<slug>/original.trace as it was generated
//	findings/<slug>/minimal.trace  what is left of it
//	findings/<slug>/original-2.trace, minimal-2.trace   another trace of the same key, and so on
//	findings/<slug>/minimal.log    the same with the answers that were observed
//	findings/<slug>/originals/     up to five other traces that showed it, as they were generated
//	findings/<slug>/hits.jsonl     which traces showed it: the first thousand
//	findings/<slug>/repro.c        a program of its own that shows the fault
//	findings/<slug>/finding.json   everything that is known
//	findings/<slug>/stderr.txt     what a dying target wrote
//	findings/<slug>/certificate.cnf, certificate.lrat   a formula without solutions that
//	                               shows what is right, and the proof
//
// A finding appears whole or not at all: it is written beside its place, synced
// and renamed.
type Store struct {
	Dir      string
	Record   Record // of campaign.json
	commands Commands
	limits   replay.Limits
	lock     *os.File // held while the campaign runs

	mu sync.Mutex // held while a finding or what belongs to it is written
}

// Commands are the commands that a stored finding names.
type Commands interface {
	Replay(f *Finding) string   // shows the finding again
	Generate(f *Finding) string // makes its original trace
}

// Open makes and locks the directory of a campaign that runs with these
// limits. Nothing is written yet.
func Open(dir string, record Record, commands Commands, limits replay.Limits) (*Store, error) {
	record.Run, record.Started = rand.Text(), time.Now().UTC()
	s := &Store{Dir: dir, Record: record, commands: commands, limits: limits}
	if err := os.MkdirAll(filepath.Join(s.Dir, "findings"), 0o755); err != nil {
		return nil, s.failed(err)
	}
	lock, err := lockDir(s.Dir)
	if err != nil {
		return nil, s.failed(err)
	}
	s.lock = lock
	return s, nil
}

// Begin writes campaign.json. A run that does not continue another one removes
// what that one has counted; findings stay.
func (s *Store) Begin(resumed bool) error {
	err := s.write("campaign.json", s.Record)
	if err == nil && !resumed {
		err = s.forget()
	}
	return s.failed(err)
}

// Continue takes over the identity of the run that the directory has.
func (s *Store) Continue(was *Stored) error {
	s.Record.Run, s.Record.Started = was.Record.Run, was.Record.Started
	return s.failed(mend(filepath.Join(s.Dir, "stats.jsonl")))
}

// Close releases the directory.
func (s *Store) Close() error { return s.lock.Close() }

func (s *Store) failed(err error) error {
	if err == nil {
		return nil
	}
	return &DirectoryError{Dir: s.Dir, Err: err}
}

// forget removes what an earlier run has counted. Its findings stay.
func (s *Store) forget() error {
	for _, name := range []string{"state.json", "stats.jsonl"} {
		if err := os.Remove(filepath.Join(s.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// targetOf is the record of the target that the finding is about.
func (s *Store) targetOf(f *Finding) TargetRecord {
	all := slices.Concat(s.Record.Targets, s.Record.Against)
	return all[slices.IndexFunc(all, func(t TargetRecord) bool { return t.Name == f.Target })]
}

// A DirectoryError is a directory for findings that cannot be used.
type DirectoryError struct {
	Dir string
	Err error
}

func (e *DirectoryError) Error() string {
	return fmt.Sprintf("findings cannot be stored in %s: %v (name another directory with --out)", e.Dir, e.Err)
}

func (e *DirectoryError) Unwrap() error { return e.Err }

// An End is how a campaign ended, for campaign.json.
type End struct {
	Stats       *stats.Stats
	Tally       *oracle.Tally
	Measures    *stats.Measures
	Disputed    uint64
	Unconfirmed []oracle.Key
	Findings    []*Finding
}

// Finish writes how the run ended, archives the traces of its findings and
// releases the directory.
func (s *Store) Finish(end End) error {
	defer s.lock.Close()
	archived := s.failed(archiveFindings(s.Dir))
	now := time.Now().UTC()
	s.Record.Ended, s.Record.Stats, s.Record.Disputed = &now, end.Stats, end.Disputed
	s.Record.Measures, s.Record.Tally, s.Record.Unconfirmed = end.Measures, end.Tally, end.Unconfirmed
	s.Record.Hits = make(map[oracle.Key]uint64)
	for _, f := range end.Findings {
		s.Record.Hits[f.Key] = f.Hits
		if f.Dir != "" {
			s.Record.Findings = append(s.Record.Findings, filepath.Base(f.Dir))
		}
	}
	return errors.Join(archived, s.failed(s.write("campaign.json", s.Record)))
}

// Put stores a finding. One that is there from an earlier run stays as it is,
// unless it rests on a vote and this one is proven.
func (s *Store) Put(f *Finding) error {
	f.Dir = s.DirOf(f)
	if text, err := os.ReadFile(filepath.Join(f.Dir, "finding.json")); err == nil {
		var there FindingRecord
		if f.Voted || json.Unmarshal(text, &there) != nil || !there.Voted {
			f.Again = true
			return nil
		}
	}
	return s.Replace(f)
}

// Replace stores a finding in the place of what may be there.
func (s *Store) Replace(f *Finding) error {
	f.Dir = s.DirOf(f)
	if err := s.putNew(f); err != nil {
		f.Dir = ""
		return &DirectoryError{Dir: s.Dir, Err: err}
	}
	return nil
}

// Drop removes a finding that was stored and is not to be kept.
func (s *Store) Drop(f *Finding) error { return os.RemoveAll(s.DirOf(f)) }

func (s *Store) DirOf(f *Finding) string {
	return filepath.Join(s.Dir, "findings", f.Finding.Key(f.Target).Slug())
}

func (s *Store) putNew(f *Finding) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	beside, err := os.MkdirTemp(s.Dir, ".finding-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	if err := os.Chmod(beside, 0o755); err != nil {
		return err
	}
	record, err := json.MarshalIndent(s.recordOf(f), "", "  ")
	if err != nil {
		return err
	}
	minimal := f.Minimal.Clone()
	minimal.Notes = append(minimal.Notes, f.result(s.limits).Notes()...)
	files := map[string][]byte{
		"original.trace": f.Original.AppendText(nil),
		"minimal.trace":  minimal.AppendText(nil),
		"minimal.log":    minimal.AppendLog(nil, &f.Run),
		"finding.json":   append(record, '\n'),
	}
	if c := f.Certificate; c != nil {
		var formula bytes.Buffer
		if err := c.WriteFormula(&formula); err != nil {
			return err
		}
		files["certificate.cnf"], files["certificate.lrat"] = formula.Bytes(), c.Proof
	}
	for i, v := range f.Variants {
		files[fmt.Sprintf("original-%d.trace", i+2)] = v.Original.AppendText(nil)
		files[fmt.Sprintf("minimal-%d.trace", i+2)] = v.Minimal.AppendText(nil)
	}
	if f.Program != nil {
		files["repro.c"] = f.Program.Text
	}
	if said := cmp.Or(f.Run.Death.Stderr, f.Run.Output.Text); said != "" {
		files["stderr.txt"] = []byte(said)
	}
	for name, text := range files {
		if err := writeSynced(filepath.Join(beside, name), text); err != nil {
			return err
		}
	}
	// A finding that it takes the place of is then beside, and goes with that.
	err = unix.Renameat2(unix.AT_FDCWD, beside, unix.AT_FDCWD, f.Dir, unix.RENAME_EXCHANGE)
	if err != nil {
		err = os.Rename(beside, f.Dir)
	}
	if err != nil {
		return err
	}
	for _, name := range []string{"hits.jsonl", "originals"} { // it keeps those
		if err := os.Rename(filepath.Join(beside, name), filepath.Join(f.Dir, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return atomicfile.SyncDir(filepath.Dir(f.Dir))
}

// PutDisagreement keeps what a report of a bug of ours needs, and returns where.
func (s *Store) PutDisagreement(d *trial.DisagreementError) string {
	dir := filepath.Join(s.Dir, "internal-error")
	if os.MkdirAll(dir, 0o755) != nil {
		return ""
	}
	for name, text := range map[string][]byte{
		"disagreement.trace": d.Trace.AppendText(nil),
		"disagreement.log":   d.Trace.AppendLog(nil, &d.Run),
		"error.txt":          []byte(d.Err.Error() + "\n"),
	} {
		if writeSynced(filepath.Join(dir, name), text) != nil {
			return ""
		}
	}
	return dir
}

// PutViolation keeps the trace in which a runner broke the protocol, and says where.
func (s *Store) PutViolation(err error, t *trace.Trace) error {
	path := filepath.Join(s.Dir, "violation.trace")
	if failed := writeSynced(path, t.AppendText(nil)); failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w; the trace is kept in %s", err, path)
}

func (s *Store) write(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.Dir, name), append(text, '\n'))
}

func writeSynced(path string, text []byte) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}
