package gen

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestFailAllocations: FailAllocations adds one option to a trace of any model. The trace stays legal and is otherwise
// the same.
func TestFailAllocations(t *testing.T) {
	t.Parallel()
	for _, model := range apimodel.Propositional() {
		plain, err := New(Config{Model: model, Profile: "mixed"})
		if err != nil {
			t.Fatal(err)
		}
		failing, err := New(Config{Model: model, Profile: "mixed", FailAllocations: true})
		if err != nil {
			t.Fatal(err)
		}
		numbers := make(map[string]bool)
		for n := range uint64(300) {
			var a, b trace.Trace
			seed := Seed(7, 0, n)
			plain.Generate(seed, &a)
			failing.Generate(seed, &b)
			if err := trace.Check(&b); err != nil {
				t.Fatalf("%s: %v\n%s", model.Name, err, &b)
			}
			at := slices.IndexFunc(b.Calls, func(c trace.Call) bool {
				if c.Op != apimodel.OpOption {
					return false
				}
				name, value := b.Option(&c)
				numbers[value] = numbers[value] || name == apimodel.FailAllocation
				return name == apimodel.FailAllocation
			})
			if at < 0 {
				continue // the bound has no room for another call
			}
			b.Calls = slices.Delete(b.Calls, at, at+1)
			if a.String() != b.String() {
				t.Fatalf("%s: without the option\n%s\nwant\n%s", model.Name, &b, &a)
			}
		}
		if len(numbers) < 20 {
			t.Errorf("%s: the traces select only %d different allocations", model.Name, len(numbers))
		}
	}
}
