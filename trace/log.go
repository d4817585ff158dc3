package trace

import (
	"slices"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// AppendLog appends the log of a run: the text of the trace with the answers of the run after
// '=', so that a log is a trace, too. If an answer differs from the right one, the right one
// follows. Comments tell the effort of every solve, and where and how a run ended early.
func (t *Trace) AppendLog(dst []byte, run *Run) []byte {
	dst = t.appendHead(dst, FormatVersion)
	for i := range t.Calls {
		want := &t.Want
		if !t.unmet(i, &run.Answers) {
			want = nil
		}
		dst = t.appendLine(dst, i, &run.Answers, want)
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
	if e.OthersPolled {
		dst = append(dst, " others-polls"...)
	}
	if e.OthersLearned {
		dst = append(dst, " others-learned"...)
	}
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

// unmet reports whether the trace has the right answer to call i, and answers another one.
func (t *Trace) unmet(i int, answers *Answers) bool {
	got, want := answers.At(i), t.Want.At(i)
	return got.Kind != NotAnswered && want.Kind != NotAnswered &&
		!equalAnswers(t.replyOf(i), answers, got, &t.Want, want)
}

// Unmet returns the answers of a run that differ from the right ones in the trace, or the zero
// Answers if none does.
func (t *Trace) Unmet(run *Run) Answers {
	var wrong Answers
	for i := range t.Calls {
		if !t.unmet(i, &run.Answers) {
			continue
		}
		if len(wrong.Of) == 0 {
			wrong = Answers{Of: make([]Answer, len(t.Calls)), Lits: slices.Clone(run.Answers.Lits),
				Text: slices.Clone(run.Answers.Text)}
		}
		wrong.Of[i] = *run.Answers.At(i)
		wrong.Of[i].effort = 0
	}
	return wrong
}
