package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Put stores a finding, unless the directory has its key from an earlier run. Then it sets
// Again. A proven finding replaces one that only a vote supports, but not before its
// reduction has ended: until then it may be dropped.
func (s *Store) Put(f *Finding) error {
	f.Dir = s.DirOf(f)
	if text, err := os.ReadFile(filepath.Join(f.Dir, "finding.json")); err == nil {
		var there FindingRecord
		if f.Voted || f.NotMinimal == BeingReduced || json.Unmarshal(text, &there) != nil || !there.Voted {
			f.Again = true
			return nil
		}
	}
	return s.Replace(f)
}

// Replace stores a finding, whether or not the directory has its key.
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

// DirOf returns the directory of a finding, whether or not it is stored.
func (s *Store) DirOf(f *Finding) string {
	return filepath.Join(s.Dir, "findings", slugOf(f.Finding.Key(f.Target), f.Variety))
}

// findingBeside begins the name of a directory that is about to become the directory of a
// finding.
const findingBeside = ".finding-"

// slugOf names the directory of a finding.
func slugOf(key oracle.Key, variety string) string {
	if variety == "" {
		return key.Slug()
	}
	return key.Slug() + "_" + variety
}

// putNew writes a finding beside its place and renames the directory, so that a
// finding is complete or absent.
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
	files, err := s.filesOf(f)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(beside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := writeSynced(path, text); err != nil {
			return err
		}
	}
	// An exchange leaves the previous finding in the temporary directory.
	err = unix.Renameat2(unix.AT_FDCWD, beside, unix.AT_FDCWD, f.Dir, unix.RENAME_EXCHANGE)
	if err != nil {
		err = os.Rename(beside, f.Dir)
	}
	if err != nil {
		return err
	}
	for _, name := range []string{"hits.jsonl", "originals"} { // still true of the key
		if err := os.Rename(filepath.Join(beside, name), filepath.Join(f.Dir, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return atomicfile.SyncDir(filepath.Dir(f.Dir))
}

// filesOf returns the files of a finding.
func (s *Store) filesOf(f *Finding) (map[string][]byte, error) {
	record, err := json.MarshalIndent(s.recordOf(f), "", "  ")
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
	return files, nil
}
