package campaign

import (
	"context"
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

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
		if of == nil || of.Again || c.originOf(of) == s.from || c.hitLog.kept[s.key] >= store.HitsKept || c.store == nil {
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
		if err := c.store.AddHits(dirs[key], c.hitsOf(of), func(i int) *trace.Trace { return c.remake(of[i]) }); err != nil {
			return err
		}
	}
	return nil
}

func (c *Campaign) hitsOf(origins []source.Origin) []store.Hit {
	var hits []store.Hit
	for _, from := range origins {
		hits = append(hits, store.Hit{Cell: from.Stream.Index, Shard: from.Stream.Shard, Number: from.Number,
			Seed: fmt.Sprintf("%#016x", from.Seed()), Without: strings.Join(from.Without(), ",")})
	}
	return hits
}

// remake returns the trace as it was generated, nil if an external generator,
// which made it once, does not make it again.
func (c *Campaign) remake(from source.Origin) *trace.Trace {
	traces, err := from.Source()
	if err != nil {
		return nil
	}
	t := new(trace.Trace)
	if _, err := from.Make(context.Background(), traces, t); err != nil {
		return nil
	}
	t.Notes = c.notes(from)
	return t
}
