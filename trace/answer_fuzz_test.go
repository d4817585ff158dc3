package trace

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// FuzzReadAnswer: what a runner answers is an error or an answer that can be written.
func FuzzReadAnswer(f *testing.F) {
	for _, line := range []string{"=", "= ?", "= 10", "= 0 effort 7", "= -1", "= 1 -2 3 0", "= \"a\\x00\" 5", "= 1e9"} {
		f.Add(line, uint16(3), uint8(0))
	}
	models := apimodel.AllModels()
	f.Fuzz(func(t *testing.T, line string, which uint16, op uint8) {
		calls := models[int(op)%len(models)].Calls
		call := &calls[int(which)%len(calls)]
		var a Answer
		var all Answers
		if err := ReadAnswer([]byte(line), call, &a, &all); err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		if end := uint64(a.Pos) + uint64(a.Len); a.Len > 0 && end > uint64(max(len(all.Lits), len(all.Text))) {
			t.Errorf("%q: the answer ends at %d of %d numbers and %d bytes", line, end, len(all.Lits), len(all.Text))
		}
	})
}
