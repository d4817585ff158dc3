package store

import (
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/trace"
)

// PutDispute keeps the trace of a disagreement under disputes.
func (s *Store) PutDispute(name string, t *trace.Trace) (string, error) {
	dir := filepath.Join(s.Dir, "disputes")
	path := filepath.Join(dir, name+".trace")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", &DirectoryError{Dir: s.Dir, Err: err}
	}
	if err := writeSynced(path, t.AppendText(nil)); err != nil {
		return "", &DirectoryError{Dir: s.Dir, Err: err}
	}
	return path, nil
}
