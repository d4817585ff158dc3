package sources

import (
	"errors"
	"os"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// Placed adds the place in the named file to an error about a call that a target refuses. It returns
// err unchanged if it is another error, or if name is not a file with one trace or formula.
func Placed(name string, err error) error {
	refused, ok := errors.AsType[*trace.CheckError](err)
	if !ok {
		return err
	}
	if info, failed := os.Stat(name); failed != nil || !info.Mode().IsRegular() {
		return err // a pipe cannot be read again
	}
	file, failed := os.Open(name)
	if failed != nil {
		return err
	}
	defer file.Close()
	if located := format.Locate(file, name, refused); located != nil {
		return located
	}
	return err
}
