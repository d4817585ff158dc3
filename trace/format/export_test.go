package format

import (
	"io"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// ReadQDIMACS reads a formula without making a trace of it.
func ReadQDIMACS(r io.Reader, file string, limits trace.Limits) (f *qbf.Formula, notes []string, err error) {
	if limits == (trace.Limits{}) {
		limits = trace.DefaultLimits
	}
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case *trace.ParseError:
			f, notes, err = nil, nil, failed
		default:
			panic(failed)
		}
	}()
	f, notes = readQDIMACS(newScanner(r, file, limits), nil)
	return f, notes, nil
}

// WriteQDIMACS writes a formula.
func WriteQDIMACS(w io.Writer, f *qbf.Formula, notes []string) error {
	out := &text{to: w}
	writeQDIMACS(out, f, notes)
	return out.close()
}

// WriteSMTLIB writes a formula.
func WriteSMTLIB(w io.Writer, f *qbf.Formula, notes []string) error {
	out := &text{to: w}
	writeSMTLIB(out, f, notes)
	return out.close()
}
