package process

import (
	"fmt"
	"math"
	"os"
)

// MaxExcerpt is how many bytes are kept of the beginning and of the end of long output.
const MaxExcerpt = 16 << 10

// OutputSize returns how many bytes the process has written since its file was last truncated.
func (c *Child) OutputSize() int64 { return Size(c.Output) }

// Size returns the size of a file that holds output.
func Size(file *os.File) int64 {
	stat, err := file.Stat()
	if err != nil {
		return 0
	}
	return stat.Size()
}

// TailFrom returns the output from a position on, at most its last MaxExcerpt bytes.
func (c *Child) TailFrom(from int64) string { return c.Tail(from, math.MaxInt64) }

// Tail returns the output between two positions, at most its last MaxExcerpt bytes.
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

// HeadAndTail returns the output between two positions. It shortens long output to its
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

// LastWords returns the end of the output for an error message, or "" if there is no output.
func (c *Child) LastWords() string {
	said := ""
	if text := c.TailFrom(0); text != "" {
		said = "; it wrote:\n" + text
	}
	if what := c.Refused(); what != "" {
		return fmt.Sprintf("; %s had been refused (--no-containment allows it)%s", what, said)
	}
	return said
}

// Explain returns the output of a process that died, from a position on, and before it what the process had to
// do without: that may be why it died.
func (c *Child) Explain(from int64) string {
	text := c.TailFrom(from)
	if what := c.Refused(); what != "" {
		return fmt.Sprintf("[%s was refused; --no-containment allows it]\n%s", what, text)
	}
	return text
}
