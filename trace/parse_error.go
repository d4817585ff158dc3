package trace

import (
	"cmp"
	"strconv"
)

// A ParseError reports where a text is not a trace, what was found there and what
// was expected. Columns count bytes from 1.
type ParseError struct {
	File         string
	Line, Column int
	Got, Want    string
	Err          error // the error of the reader, the *apimodel.IllegalCall or the *Misuse; usually nil
}

// Error returns the message.
func (e *ParseError) Error() string {
	file := cmp.Or(e.File, "trace")
	return file + ":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column) + ": want " + e.Want + ", got " + e.Got
}

// Unwrap returns the cause of the error, if it is not the text.
func (e *ParseError) Unwrap() error { return e.Err }
