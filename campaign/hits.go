package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Beside its own trace a finding has up to five others that showed it as they
// were generated, and the seeds of the first thousand. All are counted.
const (
	moreOriginals = 5
	hitsKept      = 1000
)

// A hit is a trace that showed a finding. That it did has been counted.
type hit struct {
	Cell   int    `json:"cell"`
	Shard  uint64 `json:"shard,omitempty"`
	Number uint64 `json:"number"`
	Seed   string `json:"seed"`
	// Without are the features that the trace was made without, as 'gen --without'
	// takes them.
	Without string `json:"without,omitempty"`
}

// hitLog are the hits that are not written yet, by key.
type hitLog struct {
	fresh map[oracle.Key][]source.Origin
	kept  map[oracle.Key]int // how many there are, with those that are written
}

// note takes the hits of a lane. Only those of known findings count: what never
// becomes one would be kept for ever.
func (c *Campaign) noteHits(showed []showing) {
	for _, s := range showed {
		of := c.byKey[s.key]
		if of == nil {
			of = c.reducing[s.key]
		}
		if of == nil || of.Again || of.from == s.from || c.hitLog.kept[s.key] >= hitsKept || c.store == nil {
			continue
		}
		if c.hitLog.fresh == nil {
			c.hitLog = hitLog{make(map[oracle.Key][]source.Origin), make(map[oracle.Key]int)}
		}
		c.hitLog.kept[s.key]++
		c.hitLog.fresh[s.key] = append(c.hitLog.fresh[s.key], s.from)
	}
}

// A showing is a failure that a trace has shown.
type showing struct {
	key  oracle.Key
	from source.Origin
}

// writeHits writes what was noted since the last time.
func (c *Campaign) writeHits() error {
	c.mu.Lock()
	fresh := make(map[oracle.Key][]source.Origin)
	dirs := make(map[oracle.Key]string)
	for key, of := range c.hitLog.fresh {
		if f := c.byKey[key]; f != nil { // else its directory is not there yet
			fresh[key], dirs[key] = of, f.Dir
			delete(c.hitLog.fresh, key)
		}
	}
	c.mu.Unlock()
	for key, of := range fresh {
		if dirs[key] == "" {
			continue
		}
		if err := c.writeHitsOf(dirs[key], of); err != nil {
			return &DirectoryError{Dir: c.store.dir, Err: err}
		}
	}
	return nil
}

func (c *Campaign) writeHitsOf(dir string, of []source.Origin) error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	path := filepath.Join(dir, "hits.jsonl")
	there, err := readHits(path)
	if err != nil {
		return err
	}
	var lines []byte
	for _, from := range of {
		if len(there) >= hitsKept {
			break
		}
		h := hit{from.Stream.Index, from.Stream.Shard, from.Number, fmt.Sprintf("%#016x", from.Seed()), strings.Join(from.Without(), ",")}
		if slices.Contains(there, h) { // it was run again
			continue
		}
		line, err := json.Marshal(h)
		if err != nil {
			return err
		}
		lines, there = append(append(lines, line...), '\n'), append(there, h)
		if n := len(there); n <= moreOriginals {
			if err := c.putOriginal(filepath.Join(dir, "originals"), n, from); err != nil {
				return err
			}
		}
	}
	return appendWhole(path, lines)
}

// putOriginal stores a trace as it was generated.
func (c *Campaign) putOriginal(dir string, n int, from source.Origin) error {
	traces, err := from.Source()
	if err != nil {
		return err
	}
	t := new(trace.Trace)
	if _, err := from.Make(context.Background(), traces, t); err != nil {
		return nil // another program, which made it once, does not
	}
	t.Notes = c.notes(from)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, fmt.Sprintf("%d.trace", n))
	fresh := path + ".new"
	if err := writeSynced(fresh, t.AppendText(nil)); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return os.Rename(fresh, path)
}

// readHits reads what is whole of a file of hits, and drops the rest.
func readHits(path string) ([]hit, error) {
	if err := mend(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var hits []hit
	for line := range strings.Lines(string(text)) {
		var h hit
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		hits = append(hits, h)
	}
	return hits, nil
}
