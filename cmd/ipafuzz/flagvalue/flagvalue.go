// Package flagvalue has the types of values of flags.
package flagvalue

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// A Duration is a positive duration, or "0" for no limit.
type Duration struct{ time.Duration }

// UnmarshalText reads a duration with a unit, such as 90s or 2h.
func (d *Duration) UnmarshalText(text []byte) error {
	value, err := time.ParseDuration(string(text))
	if err != nil || value < 0 {
		return fmt.Errorf("want a duration such as 30s, 5m or 1h30m, got %q", text)
	}
	d.Duration = value
	return nil
}

// A Size is a number of bytes with an optional unit K, M or G (powers of 1024).
type Size uint64

// UnmarshalText reads a number of bytes with an optional unit.
func (s *Size) UnmarshalText(text []byte) error {
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
	*s = Size(n * factor)
	return nil
}

// A Seed is a 64-bit number, decimal or hexadecimal.
type Seed uint64

// UnmarshalText reads a seed.
func (s *Seed) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 0, 64)
	if err != nil {
		return fmt.Errorf("want a number below 2^64, decimal or 0x..., got %q", text)
	}
	*s = Seed(n)
	return nil
}

// A Shard is a shard of a campaign: I/N, with I from 1 to N.
type Shard struct{ Number, Of uint64 }

// UnmarshalText reads I/N.
func (s *Shard) UnmarshalText(text []byte) error {
	shard, shards, _ := strings.Cut(string(text), "/")
	i, err := strconv.ParseUint(shard, 10, 32)
	n, failed := strconv.ParseUint(shards, 10, 32)
	if err != nil || failed != nil || i < 1 || i > n {
		return fmt.Errorf("want a shard such as 3/16, got %q", text)
	}
	*s = Shard{i, n}
	return nil
}

// WordMapper reads words as they are. The parser of command lines passes words through JSON, which loses every byte
// that is not UTF-8, and file names are bytes.
func WordMapper(ctx *kong.DecodeContext, target reflect.Value) error {
	word, err := popWord(ctx)
	if err == nil {
		target.SetString(word)
	}
	return err
}

// PathMapper makes a path absolute. An empty path is a mistake, such as an unset variable in a script, and
// does not stand for the current directory.
func PathMapper(ctx *kong.DecodeContext, target reflect.Value) error {
	word, err := popWord(ctx)
	if err != nil {
		return err
	}
	if word == "" {
		return errors.New("the path is empty (the current directory is .)")
	}
	target.SetString(kong.ExpandPath(word))
	return nil
}

func popWord(ctx *kong.DecodeContext) (string, error) {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return "", err
	}
	word, ok := token.Value.(string)
	if !ok {
		return "", errors.New("want a word")
	}
	return word, nil
}
