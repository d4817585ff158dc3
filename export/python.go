package export

import (
	"io"

	"github.com/ipafuzz/ipafuzz/trace"
)

func writePython(w io.Writer, t *trace.Trace, o Options) error { return nil }
func writeJava(w io.Writer, t *trace.Trace, o Options) error   { return nil }
