package trial

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
)

// TestTableBytes checks the slope of a library whose tables have 100 bytes for each
// variable, and of one that has none.
func TestTableBytes(t *testing.T) {
	for _, row := range []struct {
		target      string
		least, most float64
	}{{"ref:burden=tables", 80, 250}, {"ref", 0, 0}} {
		got, err := TableBytes(t.Context(), targetOf(t, row.target), replay.DefaultLimits)
		if err != nil || got < row.least || got > row.most {
			t.Errorf("%s: %.1f bytes for a variable, %v; want %g to %g", row.target, got, err, row.least, row.most)
		}
	}
}
