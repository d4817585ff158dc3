// Package draw makes random numbers for generators. For a seed, they are the same forever: on every
// machine, with every later Go.
package draw

import (
	"math"
	"math/bits"
)

// Rand is a source of random numbers: xoshiro256** (Blackman and Vigna, 2018). Its
// state comes from splitmix64 (Steele, Lea and Flood, 2014), as its authors advise.
type Rand struct{ s0, s1, s2, s3 uint64 }

// New returns the source for a seed. Every seed is good, 0 included.
func New(seed uint64) Rand {
	var r Rand
	for _, word := range []*uint64{&r.s0, &r.s1, &r.s2, &r.s3} {
		seed += Golden
		*word = Mix(seed)
	}
	return r
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	result := bits.RotateLeft64(r.s1*5, 7) * 9
	t := r.s1 << 17
	r.s2 ^= r.s0
	r.s3 ^= r.s1
	r.s1 ^= r.s2
	r.s0 ^= r.s3
	r.s2 ^= t
	r.s3 = bits.RotateLeft64(r.s3, 45)
	return result
}

// Below returns a number from 0 to n-1, all equally likely. n must not be 0.
func (r *Rand) Below(n uint32) uint32 {
	number, _ := r.BelowAndBits(n)
	return number
}

// BelowAndBits returns a number below n and 32 random bits for the price of one draw. It uses
// Lemire's method: it takes the high half of a product, and draws again in the rare case that would
// favour some numbers.
func (r *Rand) BelowAndBits(n uint32) (number, bits uint32) {
	x := r.Uint64()
	product := (x >> 32) * uint64(n)
	if low := uint32(product); low < n {
		for limit := -n % n; low < limit; low = uint32(product) {
			x = r.Uint64()
			product = (x >> 32) * uint64(n)
		}
	}
	return uint32(product >> 32), uint32(x)
}

// Between returns a number from low to high, both included.
func (r *Rand) Between(low, high int) int { return low + int(r.Below(uint32(high-low+1))) }

// Chance returns true with the given chance in a thousand.
func (r *Rand) Chance(perMille uint32) bool { return r.Below(1000) < perMille }

// Flip returns true half the time.
func (r *Rand) Flip() bool { return r.Uint64()>>63 != 0 }

// Between64 returns a number from low to high, both included.
func (r *Rand) Between64(low, high uint64) uint64 {
	span := high - low + 1
	if span == 0 {
		return r.Uint64()
	}
	if span <= math.MaxUint32 {
		return low + uint64(r.Below(uint32(span)))
	}
	for limit := -span % span; ; { // numbers below it would favour some results
		if x := r.Uint64(); x >= limit {
			return low + x%span
		}
	}
}

// OneIn returns true once in n times.
func (r *Rand) OneIn(n uint32) bool { return r.Below(n) == 0 }

// Shuffle puts the list into a random order.
func Shuffle[T any](r *Rand, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.Below(uint32(i + 1))
		list[i], list[j] = list[j], list[i]
	}
}

// Split returns a new source. From then on, draws from one source do not change the numbers of the
// other.
func (r *Rand) Split() Rand { return New(r.Uint64()) }

// Seed returns the seed of a trace, from its campaign, its shard and its number in
// the shard:
//
//	mix(mix(mix(campaign + g) + shard*g + 1) + number*g + 2)
//
// where mix is the finalizer of splitmix64 and g is 2^64 divided by the golden
// ratio, made odd. For a fixed campaign and shard the seeds of all 2^64 numbers
// are distinct, since mix and the multiplication by g are bijections.
func Seed(campaign, shard, number uint64) uint64 {
	h := Mix(campaign + Golden)
	h = Mix(h + shard*Golden + 1)
	return Mix(h + number*Golden + 2)
}

// Golden is 2^64 divided by the golden ratio, made odd.
const Golden = 0x9e3779b97f4a7c15

// Mix is the finalizer of splitmix64, a bijection of the 64-bit numbers.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
