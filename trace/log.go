package trace

import (
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// AppendLog appends the text of the trace with the observed answers as
// expectations, so a log is a trace. Comments hold the effort of every solve, and
// where and how a run ended early. Since a target may answer anything, ParseSyntax
// reads logs.
func (t *Trace) AppendLog(dst []byte, run *Run) []byte {
	dst = t.appendHead(dst)
	for i := range t.Calls {
		dst = t.appendLine(dst, i, &run.Answers)
		if a := run.Answers.At(i); a.Kind == Answered && t.Calls[i].Op == apimodel.OpSolve {
			dst = appendEffort(dst, run.Answers.EffortOf(a))
		}
		dst = append(dst, '\n')
		if run.End != Finished && run.Call == i {
			dst = appendEnd(append(dst, "# ended here: "...), run)
		}
	}
	if run.End != Finished && run.Call >= len(t.Calls) {
		dst = appendEnd(append(dst, "# ended in the final release: "...), run)
	}
	return dst
}

func appendEffort(dst []byte, e Effort) []byte {
	dst = appendNanos(append(dst, " # "...), e.Nanos)
	count := func(name string, n uint32) {
		if n != 0 {
			dst = append(dst, name...)
			dst = strconv.AppendUint(dst, uint64(n), 10)
		}
	}
	count(" polls=", e.Polls)
	count(" polls-after-stop=", e.PollsAfter)
	count(" learned=", e.Learned)
	count(" too-long=", e.Odd)
	return dst
}

// appendNanos appends a duration with one decimal in a suitable unit.
func appendNanos(dst []byte, nanos uint64) []byte {
	for _, unit := range []struct {
		nanos uint64
		name  string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}} {
		if nanos >= unit.nanos {
			dst = strconv.AppendUint(dst, nanos/unit.nanos, 10)
			dst = append(dst, '.', '0'+byte(nanos%unit.nanos/(unit.nanos/10)))
			return append(dst, unit.name...)
		}
	}
	return append(strconv.AppendUint(dst, nanos, 10), "ns"...)
}

func appendEnd(dst []byte, run *Run) []byte {
	switch run.End {
	case Killed:
		dst = append(dst, "killed by signal "...)
		dst = strconv.AppendInt(dst, int64(run.Death.Signal), 10)
	case Exited:
		dst = append(dst, "exited by itself with code "...)
		dst = strconv.AppendInt(dst, int64(run.Death.ExitCode), 10)
	default:
		dst = append(dst, run.End.String()...)
	}
	return append(dst, '\n')
}
