package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
)

// All hits of a finding are counted, but these limits bound what is stored about them.
const (
	MoreOriginals = 5    // generated traces in addition to the first
	HitsKept      = 1000 // seeds
)

// A Hit is a trace that showed a finding.
type Hit struct {
	Cell   int    `json:"cell"`
	Shard  uint64 `json:"shard,omitempty"`
	Number uint64 `json:"number"`
	Seed   string `json:"seed"`
	// Without lists features that the trace lacks, in the form of 'gen --avoid'.
	Without string `json:"without,omitempty"`
	// Larger is the profile of the trace, if it differs from that of the cell.
	Larger string `json:"larger,omitempty"`
}

// ReadHits reads a file of hits. It ignores an incomplete last line.
func ReadHits(path string) ([]Hit, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var hits []Hit
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		var h Hit
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// appendWhole appends to a file. If it fails, it removes what it has written.
func appendWhole(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err == nil {
		var size int64
		if info, failed := file.Stat(); failed == nil {
			size = info.Size()
		}
		if _, err = file.Write(text); err != nil {
			file.Truncate(size)
		}
		err = errors.Join(err, file.Close())
	}
	return err
}

// mend removes an incomplete last line, which a killed run may leave.
func mend(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if whole := bytes.LastIndexByte(text, '\n') + 1; whole < len(text) {
		return os.Truncate(path, int64(whole))
	}
	return nil
}

// AddHits adds hits to a finding, up to HitsKept, and the traces of the first MoreOriginals. traceOf
// returns the trace of hit i, or nil if it cannot be generated again.
func (s *Store) AddHits(dir string, hits []Hit, traceOf func(i int) *trace.Trace) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	path := filepath.Join(dir, "hits.jsonl")
	if err := mend(path); err != nil {
		return s.failed(err)
	}
	there, err := ReadHits(path)
	if err != nil {
		return s.failed(err)
	}
	var lines []byte
	for i, h := range hits {
		if len(there) >= HitsKept {
			break
		}
		if slices.Contains(there, h) { // the trace ran twice
			continue
		}
		line, err := json.Marshal(h)
		if err != nil {
			return err
		}
		lines, there = append(append(lines, line...), '\n'), append(there, h)
		if n := len(there); n <= MoreOriginals {
			if err := putOriginal(filepath.Join(dir, "originals"), n, traceOf(i)); err != nil {
				return s.failed(err)
			}
		}
	}
	return s.failed(appendWhole(path, lines))
}

func putOriginal(dir string, n int, t *trace.Trace) error {
	if t == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, fmt.Sprintf("%d.trace", n)), t.AppendText(nil))
}
