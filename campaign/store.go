package campaign

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

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A store is the directory of a campaign:
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
type store struct {
	dir    string
	c      *Campaign
	lock   *os.File // held while the campaign runs
	record campaignRecord

	mu sync.Mutex // held while a finding or what belongs to it is written
}

// openStore makes the directory, so that one that cannot be written is said at
// the beginning and not with the first finding.
func (c *Campaign) openStore() (*store, error) {
	config := &c.config
	s := &store{dir: config.Out, c: c, record: campaignRecord{Run: rand.Text(), Seed: config.Seed, Shard: config.Shard, Of: config.Of, Way: config.Way, Avoid: config.Avoid,
		Workers: config.Workers, Fair: config.Fair, Started: time.Now().UTC()}}
	for i := range c.subjects {
		record := recordOfTarget(&c.subjects[i])
		if i < c.fuzzed {
			s.record.Targets = append(s.record.Targets, record)
		} else {
			s.record.Against = append(s.record.Against, record)
		}
	}
	for _, of := range c.cells {
		s.record.Cells = append(s.record.Cells, cellRecord{of.Target.Name, of.Kind(), of.Seed, of.Record()})
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "findings"), 0o755); err != nil {
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	lock, err := lockDir(s.dir)
	if err != nil {
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	s.lock, c.store = lock, s
	if config.Resume {
		if c.resumed, err = c.resume(); err != nil {
			lock.Close()
			return nil, err
		}
	}
	if err = s.write("campaign.json", s.record); err == nil && !c.resumed {
		err = s.forget()
	}
	if err != nil {
		lock.Close()
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	return s, nil
}

// forget removes what an earlier run has counted. Its findings stay.
func (s *store) forget() error {
	for _, name := range []string{"state.json", "stats.jsonl"} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// targetOf is the record of the target that the finding is about.
func (s *store) targetOf(f *Found) targetRecord {
	return slices.Concat(s.record.Targets, s.record.Against)[f.target]
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

// finish writes down how the run ended, and lets go of the directory.
func (c *Campaign) finish(summary Summary) error {
	err := errors.Join(c.saveOnce(true), c.archivist.finish())
	if unkept := archiveFindings(c.store.dir); unkept != nil {
		err = errors.Join(err, &DirectoryError{Dir: c.store.dir, Err: unkept})
	}
	return errors.Join(err, c.store.finish(summary))
}

func (s *store) finish(summary Summary) error {
	defer s.lock.Close()
	now := time.Now().UTC()
	s.record.Ended, s.record.Stats, s.record.Disputed = &now, &summary.Stats, summary.Disputed
	s.record.Measures, s.record.Tally, s.record.Hits = summary.Measures, &summary.Tally, make(map[oracle.Key]uint64)
	for _, u := range summary.Unconfirmed {
		s.record.Unconfirmed = append(s.record.Unconfirmed, u.Key)
	}
	for _, f := range summary.Found {
		s.record.Hits[f.Key] = f.Hits
		if f.Dir == "" {
			continue
		}
		s.record.Findings = append(s.record.Findings, filepath.Base(f.Dir))
	}
	if err := s.write("campaign.json", s.record); err != nil {
		return &DirectoryError{Dir: s.dir, Err: err}
	}
	return nil
}

// put stores a finding. One that is there from an earlier run stays as it is,
// unless it rests on a vote and this one is proven.
func (s *store) put(f *Found) error {
	f.Dir = s.dirOf(f)
	if text, err := os.ReadFile(filepath.Join(f.Dir, "finding.json")); err == nil {
		var there findingRecord
		if f.Voted || json.Unmarshal(text, &there) != nil || !there.Voted {
			f.Again = true
			return nil
		}
	}
	return s.replace(f)
}

// replace stores a finding in the place of what may be there.
func (s *store) replace(f *Found) error {
	f.Dir = s.dirOf(f)
	if err := s.putNew(f); err != nil {
		f.Dir = ""
		return &DirectoryError{Dir: s.dir, Err: err}
	}
	return nil
}

func (s *store) dirOf(f *Found) string {
	return filepath.Join(s.dir, "findings", f.Finding.Key(f.Target).Slug())
}

func (s *store) putNew(f *Found) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	beside, err := os.MkdirTemp(s.dir, ".finding-")
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
	minimal.Notes = append(minimal.Notes, f.result(s.c.config.Limits).Notes()...)
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
		if err := os.Rename(filepath.Join(beside, name), filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return syncDir(filepath.Dir(f.Dir))
}

// putDisagreement keeps what a report of a bug of ours needs, and returns where.
func (s *store) putDisagreement(d *trial.DisagreementError) string {
	dir := filepath.Join(s.dir, "internal-error")
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

// putViolation keeps the trace in which a runner broke the protocol, and says where.
func (s *store) putViolation(err error, t *trace.Trace) error {
	path := filepath.Join(s.dir, "violation.trace")
	if failed := writeSynced(path, t.AppendText(nil)); failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w; the trace is kept in %s", err, path)
}

func (s *store) write(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, name)
	fresh := fmt.Sprintf("%s.new-%d", path, os.Getpid())
	err = writeSynced(fresh, append(text, '\n'))
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
	}
	return err
}

func writeSynced(path string, text []byte) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
