package gen

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestNth compares nth with counting.
func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, rand.Uint64()), 1))
	check := func(set, n uint32) {
		rest := set
		for range n {
			rest &= rest - 1
		}
		if got, want := nth(set, n), uint8(bits.TrailingZeros32(rest)); got != want {
			t.Fatalf("nth(%#x, %d) = %d, want %d", set, n, got, want)
		}
	}
	check(0, 0)
	for range 1000 {
		set := r.Uint32() >> r.IntN(32) & r.Uint32()
		for n := range uint32(bits.OnesCount32(set)) {
			check(set, n)
		}
	}
}
