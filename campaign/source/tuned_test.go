package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestTunedShare: half of the traces for a SAT solver with many options set a share of all, unless the user chose
// a profile or excluded options. Some of them avoid something, and few are larger instead.
func TestTunedShare(t *testing.T) {
	lessons := []Lesson{{Needs: [][]string{{"havoc"}}, Grown: true}}
	for _, row := range []struct {
		name    string
		model   *apimodel.Model
		options int
		config  gen.Config
		half    bool
	}{
		{"few options", apimodel.IPASIR, 3, gen.Config{}, false},
		{"many options", apimodel.IPASIR, 90, gen.Config{}, true},
		{"many options, without them", apimodel.IPASIR, 90, gen.Config{Without: []string{"options"}}, false},
		{"many options, another profile", apimodel.IPASIR, 90, gen.Config{Profile: "smoke"}, false},
		{"a MaxSAT solver", apimodel.IPAMIR, 90, gen.Config{}, false},
		{"a QBF solver", apimodel.QBF, 90, gen.Config{}, false},
	} {
		var text strings.Builder
		for i := range row.options {
			fmt.Fprintf(&text, "option o%d bool 0\n", i)
		}
		d, err := apimodel.ParseDescription(text.String())
		if err != nil {
			t.Fatal(err)
		}
		cell := &Cell{Target: &replay.Target{Model: row.model}, Generate: row.config}
		stream := NewStream(cell, 0, 1, 0, d)
		tuned, avoiding, larger := 0, 0, 0
		const traces = 1000
		for number := range uint64(traces) {
			choice := stream.Chosen(lessons, number, gen.Seed(1, 0, number))
			switch {
			case choice.Profile == tunedProfile && choice.IsExtra():
				t.Fatal("tuned traces have a bounded share of the time")
			case choice.Profile == tunedProfile:
				tuned++
				avoiding += len(choice.Without)
			case choice.IsLarger():
				larger++
			}
		}
		if row.half != (tuned > traces/3) || !row.half && tuned > 0 {
			t.Errorf("%s: %d of %d traces are tuned", row.name, tuned, traces)
		}
		if row.half && (avoiding < traces/8 || larger == 0) {
			t.Errorf("%s: %d tuned traces avoid something, %d traces are larger", row.name, avoiding, larger)
		}
	}
}
