package store

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A MergeError reports why directories cannot be merged.
type MergeError struct{ Why string }

// Error returns the message.
func (e *MergeError) Error() string { return "the runs cannot be merged: " + e.Why }

func cannotMerge(format string, args ...any) error {
	return &MergeError{fmt.Sprintf(format, args...)}
}

// A Part is a shard in a merged directory.
type Part struct {
	Shard uint64 `json:"shard"`
	Run   string `json:"run"`
	Dir   string `json:"dir"` // where it was before merging
	// Unended says that the run did not come to its end: somebody ended or killed it.
	Unended bool `json:"unended,omitempty"`
}

// A merger merges the directories of the shards of one campaign.
type merger struct {
	dirs    []*Stored
	record  Record
	out     string // a temporary directory, renamed to final when it is complete
	program string
	final   string
}

// Merge merges the directories of different shards of one campaign into a new directory: each finding once,
// with its smallest trace, and the sums of all counts. It does not change the given directories.
func Merge(dirs []string, out, program string) (*Stored, error) {
	m := &merger{program: program, final: out}
	for _, dir := range dirs {
		if err := atRest(dir); err != nil {
			return nil, err
		}
		stored, err := ReadStored(dir)
		if err != nil {
			return nil, err
		}
		m.dirs = append(m.dirs, stored)
	}
	if err := m.belong(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &DirectoryError{Dir: out, Err: err}
	}
	if len(entries) > 0 {
		return nil, &DirectoryError{Dir: out, Err: errors.New("it is not empty")}
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, &DirectoryError{Dir: out, Err: err}
	}
	if m.out, err = os.MkdirTemp(filepath.Dir(out), ".merge-"); err != nil {
		return nil, &DirectoryError{Dir: out, Err: err}
	}
	defer os.RemoveAll(m.out)
	if err := m.write(); err != nil {
		return nil, &DirectoryError{Dir: out, Err: err}
	}
	if len(entries) == 0 {
		os.Remove(out) // it is empty, if it exists
	}
	if err := os.Rename(m.out, out); err != nil {
		return nil, &DirectoryError{Dir: out, Err: err}
	}
	return ReadStored(out)
}

// atRest returns an error if a campaign is writing to the directory.
func atRest(dir string) error {
	lock, err := lockShared(dir)
	if err != nil {
		return cannotMerge("%s: %v", dir, err)
	}
	if lock != nil {
		unlock(lock)
	}
	return nil
}

// parts returns the shards of a directory.
func (s *Stored) parts() []Part {
	if len(s.Record.Parts) > 0 {
		return s.Record.Parts
	}
	return []Part{{s.Record.Shard, s.Record.Run, s.Dir, s.Record.Ended == nil || s.Record.Interrupted}}
}

func sameDirectory(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// belong checks that the directories hold different shards of one campaign.
func (m *merger) belong() error {
	first := m.dirs[0]
	m.record = first.Record
	m.record.Parts, m.record.Shard = nil, 0
	where := make(map[uint64]string)
	for _, s := range m.dirs {
		if why := unlike(&first.Record, &s.Record); why != "" {
			return cannotMerge("%s and %s are of different campaigns: %s", first.Dir, s.Dir, why)
		}
		for _, p := range s.parts() {
			if there := where[p.Shard]; there != "" {
				if sameDirectory(there, s.Dir) {
					return cannotMerge("%s and %s are the same directory; name each once", there, s.Dir)
				}
				return cannotMerge("%s and %s both have the traces of %s; run them with --shard 1/2 and so on",
					there, s.Dir, shardName(p.Shard, s.Record.Of))
			}
			where[p.Shard] = s.Dir
			m.record.Parts = append(m.record.Parts, p)
		}
	}
	slices.SortFunc(m.record.Parts, func(a, b Part) int { return cmp.Compare(a.Shard, b.Shard) })
	return nil
}

// unlike says why two runs are not shards of one campaign; "" if they are. The paths of targets do not
// matter, since they may differ between machines.
func unlike(a, b *Record) string {
	plain := func(r *Record) *Record {
		c := *r
		c.Shard = 0
		c.Targets, c.Against = slices.Clone(r.Targets), slices.Clone(r.Against)
		for _, targets := range [][]TargetRecord{c.Targets, c.Against} {
			for i := range targets {
				targets[i].Path = ""
			}
		}
		return &c
	}
	return differs(plain(a), plain(b))
}

// Missing returns the shards of the campaign that the directory lacks.
func (s *Stored) Missing() (missing []uint64) {
	for shard := uint64(1); shard <= s.Record.Of; shard++ {
		if !slices.ContainsFunc(s.parts(), func(p Part) bool { return p.Shard == shard }) {
			missing = append(missing, shard)
		}
	}
	return missing
}

func (m *merger) write() error {
	m.sum()
	if err := os.Chmod(m.out, 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(m.out, "findings"), 0o755); err != nil {
		return err
	}
	byKey := make(map[oracle.Key][]*FindingRecord)
	for _, s := range m.dirs {
		for i := range s.Findings {
			f := &s.Findings[i]
			byKey[f.Key] = append(byKey[f.Key], f)
		}
	}
	for _, of := range byKey {
		varieties, err := varietiesOf(of)
		if err != nil {
			return err
		}
		for i, same := range varieties {
			name, err := m.writeFinding(same, i == 0)
			if err != nil {
				return err
			}
			m.record.Findings = append(m.record.Findings, name)
		}
	}
	slices.Sort(m.record.Findings)
	m.record.Stats.Findings = len(m.record.Findings)
	for i, s := range m.dirs {
		if err := copyTraces(s, "disputes", m.out, fmt.Sprintf("part-%d-", i+1)); err != nil {
			return err
		}
		if err := copyTraces(s, "unconfirmed", m.out, ""); err != nil {
			return err
		}
		if err := copyArchives(s.Dir, m.out, fmt.Sprintf("part-%d-", i+1)); err != nil {
			return err
		}
	}
	whole := &Store{Dir: m.out}
	return errors.Join(archiveFindings(m.out), whole.write("campaign.json", m.record), nameFaults(m.out),
		atomicfile.SyncDir(m.out))
}

// sum adds up the counts of the shards.
func (m *merger) sum() {
	r := &m.record
	r.Run, r.Workers, r.Disputed, r.Hard, r.Hits, r.Unconfirmed = rand.Text(), 0, 0, 0, make(map[oracle.Key]uint64), nil
	r.Stats, r.Tally, r.Measures, r.Findings = new(stats.Stats), nil, nil, nil
	reasons := make(map[oracle.Key]string)
	var last time.Time
	for _, s := range m.dirs {
		is := &s.Record
		if is.Started.Before(r.Started) {
			r.Started = is.Started
		}
		if is.Ended != nil && is.Ended.After(last) {
			last = *is.Ended
		}
		r.Workers += is.Workers
		r.Disputed += is.Disputed
		r.Hard += is.Hard
		for key, hits := range is.Hits {
			r.Hits[key] += hits
		}
		r.Unconfirmed = append(r.Unconfirmed, is.Unconfirmed...)
		maps.Copy(reasons, is.Reasons)
		r.Stats.Join(is.Stats)
		if is.Tally != nil {
			if r.Tally == nil {
				r.Tally = new(oracle.Tally)
			}
			r.Tally.Add(*is.Tally)
		}
		r.Measures = r.Measures.Joined(is.Measures)
	}
	if r.Ended = &last; last.IsZero() {
		now := time.Now().UTC()
		r.Ended = &now
	}
	slices.SortFunc(r.Unconfirmed, oracle.Key.Compare)
	r.Unconfirmed = slices.DeleteFunc(slices.Compact(r.Unconfirmed), func(key oracle.Key) bool { return r.Hits[key] > 0 })
	r.Stats.Unconfirmed = len(r.Unconfirmed)
	r.Reasons = reasons
	maps.DeleteFunc(r.Reasons, func(key oracle.Key, _ string) bool { return r.Hits[key] > 0 })
}

// copyTraces copies the traces in a folder of a shard and adds a prefix to their names.
func copyTraces(s *Stored, folder, out, prefix string) error {
	paths, err := filepath.Glob(filepath.Join(s.Dir, folder, "*.trace"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := copyFile(path, filepath.Join(out, folder, prefix+filepath.Base(path))); err != nil {
			return err
		}
	}
	return nil
}
