package source

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestLongShare: one trace in longShare has long clauses from the start, in the lane itself and without a bound on
// its share of the time, unless the user chose a profile or a bound. It avoids nothing and replaces no trace of
// another kind.
func TestLongShare(t *testing.T) {
	for _, row := range []struct {
		name   string
		model  *apimodel.Model
		config gen.Config
		want   int
	}{
		{"a SAT solver", apimodel.IPASIR, gen.Config{}, 20},
		{"a MaxSAT solver", apimodel.IPAMIR, gen.Config{}, 20},
		{"features to avoid", apimodel.IPASIR, gen.Config{Without: []string{"gaps"}}, 20},
		{"a profile", apimodel.IPASIR, gen.Config{Profile: "tiny"}, 0},
		{"a bound", apimodel.IPASIR, gen.Config{Bounds: gen.Bounds{MaxVars: 9}}, 0},
		{"a QBF solver", apimodel.QBF, gen.Config{}, 0},
	} {
		stream := NewStream(&Cell{Target: &replay.Target{Model: row.model}, Generate: row.config}, 0, 1, 0, nil)
		stream.hasProofs, stream.isTuned = true, true // as for a target with many options and proofs
		long := 0
		for number := range uint64(20 * longShare) {
			seed := gen.Seed(1, 0, number)
			choice := stream.Chosen([]Lesson{{Needs: [][]string{{"havoc"}}, Grown: true}}, number, seed)
			if choice.Profile != longProfile {
				continue
			}
			long++
			if choice.IsExtra() || choice.IsLarger() || choice.Without != nil {
				t.Errorf("%s: trace %d is %+v", row.name, number, choice)
			}
			if number%ProofShare == proofAt || number%tunedStride >= tunedFrom || number%LargerShare == largerAt {
				t.Errorf("%s: trace %d would be of another kind", row.name, number)
			}
		}
		if long != row.want {
			t.Errorf("%s: %d traces have long clauses, want %d", row.name, long, row.want)
		}
	}
}
