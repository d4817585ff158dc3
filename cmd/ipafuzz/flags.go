package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A durationFlag is a duration above zero, or "0" for none.
type durationFlag struct{ time.Duration }

func (d *durationFlag) UnmarshalText(text []byte) error {
	value, err := time.ParseDuration(string(text))
	if err != nil || value < 0 {
		return fmt.Errorf("want a duration such as 30s, 5m or 1h30m, got %q", text)
	}
	d.Duration = value
	return nil
}

// A sizeFlag is a number of bytes with an optional unit K, M or G (powers of 1024).
type sizeFlag uint64

func (s *sizeFlag) UnmarshalText(text []byte) error {
	digits, factor := string(text), uint64(1)
	if i := strings.IndexByte("KMG", text[max(len(text)-1, 0)]&^0x20); len(text) > 1 && i >= 0 {
		digits, factor = digits[:len(digits)-1], 1<<(10*(i+1))
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > math.MaxUint64/factor {
		return fmt.Errorf("want a size such as 500M or 2G, got %q", text)
	}
	*s = sizeFlag(n * factor)
	return nil
}

// A seedFlag is a 64-bit number, decimal or hexadecimal.
type seedFlag uint64

func (s *seedFlag) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 0, 64)
	if err != nil {
		return fmt.Errorf("want a number below 2^64, decimal or 0x..., got %q", text)
	}
	*s = seedFlag(n)
	return nil
}
