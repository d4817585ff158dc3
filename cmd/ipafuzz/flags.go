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
	digits, factor := strings.ToUpper(string(text)), uint64(1)
	for i, unit := range []string{"K", "M", "G"} {
		if number, ok := strings.CutSuffix(digits, unit); ok {
			digits, factor = number, 1<<(10*(i+1))
			break
		}
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
