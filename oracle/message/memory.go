package message

import "strings"

// noMemory are what processes write when they get no memory, in lower case: allocators, C++, Rust, Java, Python, Go.
// C++ throws std::length_error if the size of a table exceeds what a container may have, above all after the
// size has overflowed.
var noMemory = []string{
	"out of memory", "bad_alloc", "std::length_error", "bad_array_new_length", "memory allocation of", "capacity overflow",
	"outofmemoryerror", "negativearraysizeexception", "memoryerror", "makeslice: len out of range",
}

// SaysNoMemory reports whether a process wrote, before it died, that it got no more memory or asked for more than
// there can be.
func SaysNoMemory(stderr string) bool {
	said := strings.ToLower(stderr)
	for _, words := range noMemory {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}
