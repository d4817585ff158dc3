package campaign

import (
	"maps"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
)

func (c *Campaign) newMeasures() *stats.Measures {
	m := &stats.Measures{Firsts: make(map[oracle.Key]map[string]stats.First)}
	for i := range c.subjects {
		m.Targets = append(m.Targets, stats.TargetUse{Target: c.subjects[i].Name})
	}
	return m
}

// showed notes that a trace of the profile showed a failure.
func (l *lane) showed(key oracle.Key, from source.Origin) {
	l.showings = append(l.showings, showing{key, from})
	of := l.measures.Firsts[key]
	if of == nil {
		of = make(map[string]stats.First)
		l.measures.Firsts[key] = of
	}
	f, known := of[l.profile]
	if !known {
		f.Traces, f.Seconds = l.c.judged.Load(), time.Since(l.c.begun).Seconds()
	}
	f.Hits++
	of[l.profile] = f
}

// measured are the measures of all cells, with the firsts of confirmed findings
// alone.
func (c *Campaign) measured() *stats.Measures {
	kept := c.measures.Clone()
	kept.Profiles = make(map[string]*stats.ProfileUse)
	for _, of := range c.cells {
		stats.JoinProfiles(kept.Profiles, of.profiles)
	}
	maps.DeleteFunc(kept.Firsts, func(key oracle.Key, _ map[string]stats.First) bool { return c.byKey[key] == nil })
	return kept
}
