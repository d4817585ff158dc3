package trial

import (
	"math"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
)

// TestTableBytes checks the slope for a library whose tables have 100 bytes for each variable, and for one
// without tables.
func TestTableBytes(t *testing.T) {
	for _, row := range []struct {
		target      string
		least, most float64
	}{{"ref:burden=tables", 80, 250}, {"ref", 0, 0}} {
		got, reserved, err := TableBytes(t.Context(), targetOf(t, row.target), replay.DefaultLimits)
		if reserved > 0 {
			t.Errorf("%s: reserves %.1f bytes for a variable", row.target, reserved)
		}
		if err != nil || got < row.least || got > row.most {
			t.Errorf("%s: %.1f bytes for a variable, %v; want %g to %g", row.target, got, err, row.least, row.most)
		}
	}
}

// TestLastSlope checks the slope of tables that are large from the start, like those of Intel SAT Solver,
// and that neither a jump nor a flat end has a slope.
func TestLastSlope(t *testing.T) {
	sizes := []float64{1 << 17, 1 << 19, 1 << 21, 1 << 23, 1 << 25}
	for _, row := range []struct {
		kilobytes []float64
		want      float64
	}{
		{[]float64{512, 640}, 0},
		{[]float64{512, 640, 6912}, 0},
		{[]float64{512, 640, 6912, 39680}, 5},
		{[]float64{512, 512, 512, 512, 512}, 0},
		{[]float64{512, 6912, 6912}, 0},
		{[]float64{512, 6912, 300_000}, 0},
	} {
		var at []float64
		for _, k := range row.kilobytes {
			at = append(at, k*1024)
		}
		if got := lastSlope(sizes[:len(at)], at); math.Round(got) != row.want {
			t.Errorf("lastSlope of %v KB: %g, want %g", row.kilobytes, got, row.want)
		}
	}
}
