package draw

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

func TestRandIsForEver(t *testing.T) {
	t.Parallel()
	r := New(0)
	want := [...]uint64{0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0, 0x6aa594f1262d2d2c}
	for i, w := range want {
		if got := r.Uint64(); got != w {
			t.Errorf("number %d of seed 0 is %#x, want %#x", i, got, w)
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	r := New(start)
	for _, n := range []uint32{1, 2, 3, 10, 1000, 1<<31 + 1, 1<<32 - 1} {
		for range 1000 {
			if got := r.Below(n); got >= n {
				t.Fatalf("Below(%d) is %d", n, got)
			}
		}
	}
	var count [6]int
	const draws = 600_000
	for range draws {
		count[r.Below(6)]++
	}
	for face, n := range count {
		if n < draws/6*98/100 || n > draws/6*102/100 {
			t.Errorf("face %d came %d times in %d", face, n, draws)
		}
	}
	// Remainders of 32-bit numbers modulo 3<<30 would favour the low third.
	low := 0
	for range draws {
		if r.Below(3<<30) < 1<<30 {
			low++
		}
	}
	if low < draws/3*98/100 || low > draws/3*102/100 {
		t.Errorf("the low third came %d times in %d", low, draws)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	a := New(5)
	b := New(5)
	left, right := a.Split(), b.Split()
	for range 100 {
		a.Uint64() // must not change the numbers of left
	}
	for range 100 {
		if left.Uint64() != right.Uint64() {
			t.Fatal("draws from the parent change the numbers of the split source")
		}
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	seen := make(map[uint64]bool)
	for campaign := range uint64(10) {
		for shard := range uint64(20) {
			for number := range uint64(500) {
				seed := Seed(campaign, shard, number)
				if seen[seed] {
					t.Fatalf("campaign %d shard %d number %d has the seed of another trace", campaign, shard, number)
				}
				seen[seed] = true
			}
		}
	}
	if got, want := Seed(1, 2, 3), uint64(0x67651c1c4b00f064); got != want {
		t.Errorf("Seed(1, 2, 3) is %#x, want %#x", got, want)
	}
}
