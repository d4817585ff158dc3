package draw

import "math"

// SmallWeight is the highest of the small weights.
const SmallWeight = 12

// EdgeWeights are the weights at which some integer type or a float ends.
var EdgeWeights = [...]uint64{
	1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 53, 1<<53 + 1,
	1<<62 - 1, 1 << 62, 1<<62 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1,
}
