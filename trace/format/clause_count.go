package format

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A clauseCount compares the clauses of a file with its header. It remembers where a final 0 may be missing. A clause
// may go on in the next line, so a reader notices only at the end of the file that there are too few clauses.
type clauseCount struct {
	in               *scanner
	announced, found uint64
	open             bool
	line, column     int // where the open clause begins
	unended          int // the first line with a clause that goes on in another one; 0: none
}

func (c *clauseCount) begin(field []byte) {
	if c.found == c.announced {
		panic(c.in.unexpected(field, "the end of the file after "+c.announcedClauses()))
	}
	c.open, c.line, c.column = true, c.in.number, c.in.start+1
}

func (c *clauseCount) end() {
	c.open = false
	c.found++
	if c.unended == 0 && c.line != c.in.number {
		c.unended = c.line
	}
}

// finish refuses a file that ends within a clause or has too few clauses.
func (c *clauseCount) finish() {
	if c.open {
		failed := c.in.unexpected(nil, "a 0 at the end of this clause")
		failed.Line, failed.Column = c.line, c.column
		panic(failed)
	}
	if c.found < c.announced {
		want := fmt.Sprintf("%s, not %d", c.announcedClauses(), c.found)
		if c.unended > 0 {
			want += fmt.Sprintf(" (is the final 0 of the clause in line %d missing?)", c.unended)
		}
		panic(c.in.unexpected(nil, want))
	}
}

func (c *clauseCount) announcedClauses() string {
	return printable.Things(int64(c.announced), "clause") + ", as the header says"
}
