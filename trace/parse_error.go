package trace

import (
	"cmp"
	"strconv"
)

// A ParseError reports where a text is not a trace, what the parser found there, and what it
// expected. A column is the number of a byte in its line, from 1.
type ParseError struct {
	File         string
	Line, Column int
	Got, Want    string
	Err          error // an error of the reader, an *apimodel.IllegalCall or a *Misuse; usually nil
}

// Error returns the message.
func (e *ParseError) Error() string {
	file := cmp.Or(e.File, "trace")
	return file + ":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column) + ": want " + e.Want + ", got " + e.Got
}

// Unwrap returns Err.
func (e *ParseError) Unwrap() error { return e.Err }
