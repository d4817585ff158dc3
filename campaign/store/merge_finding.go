package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/repro"
)

// varietiesOf groups findings of one key that may have one fault. Those of the simplest one come first, and undecided
// ones with them.
func varietiesOf(of []*FindingRecord) (varieties [][]*FindingRecord, err error) {
	read := make(map[*FindingRecord]*Finding)
	for _, stored := range of {
		if read[stored], err = stored.Finding(); err != nil {
			return nil, err
		}
	}
	effort := func(s *FindingRecord) int {
		switch {
		case s.Undecided:
			return math.MaxInt
		case s.Cause == "":
			return math.MaxInt - 1
		}
		return len(s.Cause.Needs())
	}
	of = slices.SortedStableFunc(slices.Values(of), func(a, b *FindingRecord) int {
		return cmp.Or(cmp.Compare(effort(a), effort(b)), read[a].Simpler(read[b]))
	})
	for _, stored := range of {
		at := slices.IndexFunc(varieties, func(same []*FindingRecord) bool {
			return stored.Undecided || read[stored].Failure().MayBe(read[same[0]].Failure())
		})
		if at < 0 {
			at, varieties = len(varieties), append(varieties, nil)
		}
		varieties[at] = append(varieties[at], stored)
	}
	return varieties, nil
}

// writeFinding copies the finding with the smallest minimal trace and returns the name of its directory.
// Proven findings take precedence over voted ones, then decided over undecided ones. The first variety of a
// key has no name.
func (m *merger) writeFinding(of []*FindingRecord, first bool) (string, error) {
	slices.SortStableFunc(of, func(a, b *FindingRecord) int {
		return cmp.Or(compareBool(a.Voted, b.Voted), compareBool(a.Undecided, b.Undecided),
			cmp.Compare(a.Minimal, b.Minimal), compareBool(!a.IsMinimal, !b.IsMinimal), cmp.Compare(a.Shard, b.Shard))
	})
	best := of[0]
	switch {
	case first:
		best.Variety = ""
	case best.Variety == "":
		f, err := best.Finding()
		if err != nil {
			return "", err
		}
		best.Variety = f.Failure().Variety()
	}
	name := slugOf(best.Key, best.Variety)
	dir := filepath.Join(m.out, "findings", name)
	if err := os.CopyFS(dir, os.DirFS(best.Dir)); err != nil {
		return "", err
	}
	final := filepath.Join(m.final, "findings", name)
	best.Replay = repro.ReplaysElsewhere(best.Replay, m.program, filepath.Join(final, "minimal.trace"))
	best.Continue = repro.ContinuesElsewhere(best.Continue, m.program, filepath.Base(best.Dir), final)
	if err := (&Store{Dir: dir}).write("finding.json", best); err != nil {
		return "", err
	}
	if err := addOriginals(dir, of[1:]); err != nil {
		return "", err
	}
	return name, addHits(dir, of[1:])
}

// addOriginals adds the generated traces of the same finding in other directories.
func addOriginals(dir string, others []*FindingRecord) error {
	originals, err := filepath.Glob(filepath.Join(dir, "originals", "*.trace"))
	if err != nil {
		return err
	}
	n := len(originals)
	for _, other := range others {
		more, err := filepath.Glob(filepath.Join(other.Dir, "originals", "*.trace"))
		if err != nil {
			return err
		}
		for _, path := range append([]string{filepath.Join(other.Dir, "original.trace")}, more...) {
			if n >= MoreOriginals {
				return nil
			}
			n++
			if err := copyFile(path, filepath.Join(dir, "originals", fmt.Sprintf("%d.trace", n))); err != nil {
				return err
			}
		}
	}
	return nil
}

// addHits adds the hits of the same finding in other directories.
func addHits(dir string, others []*FindingRecord) error {
	path := filepath.Join(dir, "hits.jsonl")
	if err := mend(path); err != nil {
		return err
	}
	hits, err := ReadHits(path)
	if err != nil {
		return err
	}
	had := len(hits)
	for _, o := range others {
		more, err := ReadHits(filepath.Join(o.Dir, "hits.jsonl"))
		if err != nil {
			return err
		}
		hits = append(hits, Hit{o.Cell, o.Shard, o.Number, o.Seed, strings.Join(o.Without, ","), o.Larger})
		hits = append(hits, more...)
	}
	hits = hits[:min(len(hits), HitsKept)]
	var lines []byte
	for _, h := range hits[min(had, len(hits)):] {
		line, err := json.Marshal(h)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	if len(lines) == 0 {
		return nil
	}
	return appendWhole(path, lines)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
