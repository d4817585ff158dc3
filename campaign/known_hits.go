package campaign

import (
	"github.com/ipafuzz/ipafuzz/oracle"
)

// isKnown counts a failure whose key an earlier run has. The lock must be held.
func (c *Campaign) isKnown(key oracle.Key) bool {
	known := c.config.Known[key]
	if known == nil {
		return false
	}
	known.Hits++
	return true
}

// learnKnown learns from what earlier runs have made small.
func (c *Campaign) learnKnown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range c.config.Known {
		if known.Minimal != nil {
			c.learn(known.Key, known.Target, known.Minimal)
		}
	}
}

// knownHits are those of known faults that were seen. The lock must be held.
func (c *Campaign) knownHits() map[oracle.Key]uint64 {
	hits := make(map[oracle.Key]uint64)
	for key, known := range c.config.Known {
		if known.Hits > 0 {
			hits[key] = known.Hits
		}
	}
	return hits
}
