package source

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestRegularProfiles: the regular profiles have their traces from the start, in the lane itself and without a bound on
// their share of the time, unless the user chose a profile or a bound. The traces avoid nothing and replace no traces
// of another kind.
func TestRegularProfiles(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name                  string
		model                 *apimodel.Model
		config                gen.Config
		long, marathon, crowd int
	}{
		{"a SAT solver", apimodel.IPASIR, gen.Config{}, 20, 20, 5},
		{"a MaxSAT solver", apimodel.IPAMIR, gen.Config{}, 20, 10, 5},
		{"features to avoid", apimodel.IPASIR, gen.Config{Without: []string{"gaps"}}, 20, 20, 5},
		{"a profile", apimodel.IPASIR, gen.Config{Profile: "tiny"}, 0, 0, 0},
		{"a bound", apimodel.IPASIR, gen.Config{Bounds: gen.Bounds{MaxVars: 9}}, 0, 0, 0},
		{"a QBF solver", apimodel.QBF, gen.Config{}, 0, 0, 0},
	} {
		stream := NewStream(&Cell{Target: &replay.Target{Model: row.model}, Generate: row.config}, 0, 1, 0, nil)
		stream.hasProofs, stream.isTuned = true, true // as for a target with many options and proofs
		count := make(map[string]int)
		for number := range uint64(10_000) {
			seed := gen.Seed(1, 0, number)
			choice := stream.Chosen([]Lesson{{Needs: [][]string{{"havoc"}}, Grown: true}}, number, seed)
			count[choice.Profile]++
			if regularAt(choice.Profile) < 0 {
				continue
			}
			if choice.IsExtra() || choice.IsLarger() || choice.Without != nil {
				t.Errorf("%s: trace %d is %+v", row.name, number, choice)
			}
			if number%ProofShare == proofAt || number%tunedStride >= tunedFrom || number%LargerShare == largerAt {
				t.Errorf("%s: trace %d would be of another kind", row.name, number)
			}
		}
		if count["long"] != row.long || count["marathon"] != row.marathon || count["crowd"] != row.crowd {
			t.Errorf("%s: %d traces of long, %d of marathon, %d of crowd", row.name, count["long"], count["marathon"],
				count["crowd"])
		}
	}
}

// TestPartsOfTheTime: the larger profiles have parts of the time, 13% in all.
func TestPartsOfTheTime(t *testing.T) {
	sum := 0.0
	for _, x := range largerProfiles {
		choice := Choice{Profile: x.Profile}
		if !choice.IsLarger() || choice.Extra() != x || x.Part <= 0 {
			t.Errorf("%s: %+v, larger: %v", x.Profile, choice.Extra(), choice.IsLarger())
		}
		sum += x.Part
	}
	if all := sum * cost.Share; all < 0.129 || all > 0.131 {
		t.Errorf("larger profiles have %v of the time", all)
	}
}
