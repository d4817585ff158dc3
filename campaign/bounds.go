package campaign

import "github.com/ipafuzz/ipafuzz/oracle"

// room reports whether a failure of that key may be looked at: whether it is
// known, or there is room for another one.
func (c *Campaign) room(key oracle.Key) bool {
	if c.attempts[key] > 0 || c.failed[key] > 0 || len(c.attempts) < mostKinds && len(c.found) < mostFound {
		return true
	}
	c.beyond++
	return false
}

// What a campaign keeps in memory does not grow with its traces. It may grow with
// the different failures that they show, of which a target may have ever more: an
// address in a message is enough. So these are bounded. What is beyond is
// counted, and said.
const (
	mostKinds       = 1 << 14 // of failures of which something is kept
	mostFound       = 5000    // findings
	mostUnconfirmed = 1000
)
