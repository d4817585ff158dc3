package campaign

import (
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
)

func (c *Campaign) newMeasures() *stats.Measures {
	m := &stats.Measures{Firsts: make(map[oracle.Key]map[string]stats.First)}
	for i := range c.targets {
		m.Targets = append(m.Targets, stats.TargetUse{Target: c.targets[i].Name})
	}
	return m
}

// showed notes that a trace of the profile showed a failure.
func (l *lane) showed(key oracle.Key, from source.Origin) {
	l.hits = append(l.hits, registry.Hit{Key: key, From: from})
	of := l.measures.Firsts[key]
	if of == nil {
		of = make(map[string]stats.First)
		l.measures.Firsts[key] = of
	}
	f, known := of[l.profile]
	if !known {
		f.Traces, f.Seconds = l.c.book.judged.Load(), l.c.elapsed().Seconds()
	}
	f.Hits++
	of[l.profile] = f
}
