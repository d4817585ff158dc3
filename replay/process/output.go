package process

import (
	"math"
	"os"
)

// MaxExcerpt is how much of the output of a dead process is kept.
const MaxExcerpt = 16 << 10

// OutputSize returns how much the process has written since its file was last cut.
func (c *Child) OutputSize() int64 { return Size(c.Output) }

// Size returns the size of a file that holds output.
func Size(file *os.File) int64 {
	stat, err := file.Stat()
	if err != nil {
		return 0
	}
	return stat.Size()
}

// TailFrom returns the end of the output behind a position.
func (c *Child) TailFrom(from int64) string { return c.Tail(from, math.MaxInt64) }

// Tail returns the end of the output between two positions.
func (c *Child) Tail(from, to int64) string {
	stat, err := c.Output.Stat()
	if err != nil {
		return ""
	}
	to = min(to, stat.Size())
	from = max(from, to-MaxExcerpt, 0)
	if from >= to {
		return ""
	}
	return c.between(from, to)
}

// HeadAndTail returns the output between two positions; of a long text, its
// beginning and its end.
func (c *Child) HeadAndTail(from, to int64) string {
	if from < 0 || from >= to {
		return ""
	}
	if to-from <= 2*MaxExcerpt {
		return c.between(from, to)
	}
	return c.between(from, from+MaxExcerpt) + "\n" + c.between(to-MaxExcerpt, to)
}

func (c *Child) between(from, to int64) string {
	text := make([]byte, to-from)
	n, _ := c.Output.ReadAt(text, from)
	return string(text[:n])
}

// LastWords returns the end of the output for an error message, "" when the
// process was silent.
func (c *Child) LastWords() string {
	if text := c.TailFrom(0); text != "" {
		return "; it wrote:\n" + text
	}
	return ""
}
