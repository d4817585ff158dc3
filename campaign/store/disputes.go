package store

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Disagreement is a solve that targets answer differently, and nothing proves which one is right. It is
// not a finding, but it is stored because it deserves a look.
type Disagreement struct {
	Target string // the fuzzed one
	Number uint64 // of the trace
	Seed   uint64
	Call   int // of the trace with the queries that the campaign added
	About  string
	Says   []string // "target: answer"
	Dir    string   // where it is stored; "" if it is not
}

// PutDispute stores the trace of a disagreement under disputes and returns its path.
func (s *Store) PutDispute(name string, t *trace.Trace) (string, error) {
	return s.putTrace(filepath.Join("disputes", name+".trace"), t)
}

// PutUnconfirmed stores the trace of an unconfirmed failure and returns the file.
func (s *Store) PutUnconfirmed(u *Unconfirmed, t *trace.Trace) (string, error) {
	t.Notes = append(t.Notes, notes.Unconfirmed(fmt.Sprintf("%s: %s", u.Key, u.Reason())))
	return s.putTrace(filepath.Join("unconfirmed", u.Key.Slug()+".trace"), t)
}

// putTrace stores a trace under a name in the directory and returns its path.
func (s *Store) putTrace(name string, t *trace.Trace) (string, error) {
	path := filepath.Join(s.Dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = atomicfile.Write(path, t.AppendText(nil))
	}
	if err != nil {
		return "", s.failed(err)
	}
	return path, nil
}
