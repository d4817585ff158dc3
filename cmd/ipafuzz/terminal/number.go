package terminal

import "fmt"

// Count prints a number with separators: 1,234,567.
func Count(n uint64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Things prints how many there are of something with a regular plural.
func Things(n int, singular string) string {
	if n != 1 {
		singular += "s"
	}
	return Count(uint64(n)) + " " + singular
}
