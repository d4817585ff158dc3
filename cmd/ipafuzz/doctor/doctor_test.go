package doctor

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestOptionsOfIPASIR2: a library of IPASIR-2 is told to list its options there, not to describe them.
func TestOptionsOfIPASIR2(t *testing.T) {
	var c Checkup
	c.notes(&replay.Target{Model: apimodel.IPASIR2, Kind: replay.Library}, new(apimodel.Description))
	for _, r := range c.Results {
		if strings.Contains(r.What, "ipasir2_options") && !strings.Contains(r.Detail, "docs/targets.md") {
			return
		}
	}
	t.Errorf("no advice about ipasir2_options: %+v", c.Results)
}
