package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
)

// PutDisagreement stores the trace of an internal error and returns its directory; "" if it cannot be
// written.
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
		if atomicfile.Write(filepath.Join(dir, name), text) != nil {
			return ""
		}
	}
	return dir
}

// PutViolation stores the trace in which a runner broke the protocol or made a mistake, and adds its path to the error.
func (s *Store) PutViolation(err error, t *trace.Trace) error {
	path := filepath.Join(s.Dir, "violation.trace")
	if failed := atomicfile.Write(path, t.AppendText(nil)); failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w; the trace is kept in %s", err, path)
}
