package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Put stores a finding. If the directory has one with the same key that may have the same fault, Put only
// sets Again. If that one is of an earlier run and has another fault, Put stores the finding beside it. A
// proven finding replaces a voted one.
//
// A finding that is still being reduced replaces nothing and counts as having the same fault: its fault is
// not known yet, and it may be dropped. An undecided finding counts as having the fault of an earlier run's
// finding, and becomes that one: the next run sees its failure again.
func (s *Store) Put(f *Finding) error {
	f.Dir = s.DirOf(f)
	there, err := ReadFinding(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if err := s.setAside(f.Dir); err != nil {
			return s.failed(err)
		}
	}
	if err != nil {
		return s.Replace(f)
	}
	done := f.NotMinimal != BeingReduced
	if done && there.Voted && !f.Voted {
		return s.Replace(f)
	}
	if f.Undecided && there.Run != s.Record.Run {
		f.adopt(&there)
		return nil
	}
	if done && f.Variety == "" && there.Run != s.Record.Run && !s.mayHave(f, &there) {
		f.Variety = f.Failure().Variety()
		return s.Put(f)
	}
	f.Again = true
	return nil
}

// adopt replaces the trace of f, and what is known about it, by those of a stored finding with the same key.
func (f *Finding) adopt(stored *FindingRecord) {
	f.Again, f.Undecided = true, stored.Undecided
	if was, err := stored.Finding(); err == nil {
		f.Finding, f.Others, f.Original, f.Minimal, f.Normal = was.Finding, was.Others, was.Original, was.Minimal, was.Normal
		f.Diagnosis, f.Location, f.Rate, f.Tests, f.Reducing = was.Diagnosis, was.Location, was.Rate, was.Tests, was.Reducing
		f.IsMinimal, f.NotMinimal, f.History, f.Resumed = was.IsMinimal, was.NotMinimal, was.History, true
	}
}

// setAside moves a finding that cannot be read to the directory damaged, to make room for a new one.
func (s *Store) setAside(dir string) error {
	to := filepath.Join(s.Dir, "damaged")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for n := 1; ; n++ {
		path := filepath.Join(to, fmt.Sprintf("%s-%d", filepath.Base(dir), n))
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(dir, path)
		} else if err != nil {
			return err
		}
	}
}

// mayHave reports whether a stored finding with the key of f may have the same fault. If so, it sets f.Dir
// to that finding's directory. The first stored finding is given.
func (s *Store) mayHave(f *Finding, first *FindingRecord) bool {
	folder := filepath.Dir(first.Dir)
	beside, err := os.ReadDir(folder)
	if err != nil {
		return true
	}
	all := []FindingRecord{*first}
	for _, entry := range beside {
		if !strings.HasPrefix(entry.Name(), slugOf(f.Key, "")+"_") {
			continue
		}
		if stored, err := ReadFinding(filepath.Join(folder, entry.Name())); err == nil && stored.Key == f.Key {
			all = append(all, stored)
		}
	}
	is := f.Failure()
	for i := range all {
		was, err := all[i].Finding()
		if err != nil {
			return true
		}
		failure := was.Failure()
		now := *is
		if all[i].Target.Identity != s.targetOf(f).Identity { // another build has other places
			now.Location, failure.Location = "", ""
		}
		if now.MayBe(failure) {
			f.Dir = all[i].Dir
			return true
		}
	}
	return false
}

// Replace stores a finding, even if the directory has its key.
func (s *Store) Replace(f *Finding) error {
	f.Dir = s.DirOf(f)
	if err := s.putNew(f); err != nil {
		f.Dir = ""
		return s.failed(err)
	}
	return nil
}

// Drop removes a stored finding.
func (s *Store) Drop(f *Finding) error { return os.RemoveAll(s.DirOf(f)) }

// DirOf returns the directory for a finding, which need not be stored.
func (s *Store) DirOf(f *Finding) string {
	return filepath.Join(s.Dir, "findings", slugOf(f.Finding.Key(f.Target), f.Variety))
}

// findingBeside is the prefix of a directory that will be renamed to the directory of a finding.
const findingBeside = ".finding-"

// slugOf names the directory of a finding.
func slugOf(key oracle.Key, variety string) string {
	if variety == "" {
		return key.Slug()
	}
	return key.Slug() + "_" + variety
}

// putNew writes a finding to another directory and renames that, so that a finding is complete or absent.
func (s *Store) putNew(f *Finding) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	beside, err := os.MkdirTemp(s.Dir, findingBeside)
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	if err := os.Chmod(beside, 0o755); err != nil {
		return err
	}
	record := s.recordOf(f)
	files, err := s.filesOf(f, &record)
	if err != nil {
		return err
	}
	if err := writeSynced(beside, files); err != nil {
		return err
	}
	if err := carryOver(f.Dir, beside); err != nil {
		return err
	}
	// After the exchange, the temporary directory has the previous finding.
	err = unix.Renameat2(unix.AT_FDCWD, beside, unix.AT_FDCWD, f.Dir, unix.RENAME_EXCHANGE)
	if err != nil {
		err = os.Rename(beside, f.Dir)
	}
	if err != nil {
		return err
	}
	f.record = &record
	return atomicfile.SyncDir(filepath.Dir(f.Dir))
}

// carryOver links into the directory to what stays true when a finding is replaced: its hits and further
// originals. Both directories have them until the previous one is removed, so a kill in between loses
// nothing.
func carryOver(from, to string) error {
	names := []string{"hits.jsonl"}
	originals, err := os.ReadDir(filepath.Join(from, "originals"))
	if err == nil {
		err = os.Mkdir(filepath.Join(to, "originals"), 0o755)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, original := range originals {
		names = append(names, filepath.Join("originals", original.Name()))
	}
	for _, name := range names {
		err := os.Link(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // not every file system has links
			err = copyFile(filepath.Join(from, name), filepath.Join(to, name))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// filesOf returns the files of a finding with the given record.
func (s *Store) filesOf(f *Finding, of *FindingRecord) (map[string][]byte, error) {
	record, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return nil, err
	}
	minimal := f.Minimal.Clone()
	minimal.Notes = append(minimal.Notes, f.result(s.limits).Notes()...)
	files := map[string][]byte{
		"original.trace": f.Original.AppendText(nil),
		"minimal.trace":  minimal.AppendText(nil),
		"minimal.log":    minimal.AppendLog(nil, &f.Run),
		"finding.json":   append(record, '\n'),
	}
	if f.Normal != nil {
		files["normal.trace"] = f.Normal.AppendText(nil)
	}
	if f.Diagnosis != nil {
		maps.Copy(files, experimentFiles(f.Diagnosis))
	}
	if c := f.Certificate; c != nil {
		var formula bytes.Buffer
		if err := c.WriteFormula(&formula); err != nil {
			return nil, err
		}
		files["certificate.cnf"], files["certificate.lrat"] = formula.Bytes(), c.Proof
	}
	maps.Copy(files, proofFiles(f))
	for i, s := range f.Siblings {
		files[fmt.Sprintf("original-%d.trace", i+2)] = s.Original.AppendText(nil)
		files[fmt.Sprintf("minimal-%d.trace", i+2)] = s.Minimal.AppendText(nil)
	}
	if f.Program != nil {
		files[f.Program.Name] = f.Program.Text
		if f.Program.Original != nil {
			files["original"+filepath.Ext(f.Program.Name)] = f.Program.Original
		}
	}
	if said := cmp.Or(f.Run.Death.Stderr, f.Run.Output.Text); said != "" {
		files["stderr.txt"] = []byte(said)
	}
	return files, nil
}

// copyFile copies a file of any size and creates its new directory.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, source)
	return errors.Join(err, file.Sync(), file.Close())
}
