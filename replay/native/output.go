package native

import (
	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/trace"
)

// uncut reads output from a time when the worker had truncated the file cuts times. It returns
// "" if the worker has truncated the file again: then that output is gone.
func (p *workerProcess) uncut(cuts uint32, read func(from, to int64) string, from, to int64) string {
	if cuts != p.memory.OutputCuts() {
		return ""
	}
	text := read(from, to)
	if cuts != p.memory.OutputCuts() {
		return ""
	}
	return text
}

// hasFlooded reports whether the output from a position on exceeds the limit for a trace.
func (p *workerProcess) hasFlooded(from int64) bool {
	most := p.limits.Load().Output
	return most > 0 && uint64(max(0, p.OutputSize()-from)) > most
}

// written returns the output between two positions.
func (p *workerProcess) written(from, to worker.Output) string {
	if from.Cuts != to.Cuts {
		return ""
	}
	return p.uncut(from.Cuts, p.HeadAndTail, from.From, to.From)
}

// handOut gives the first runs of a slot their output. If a library has long been silent, the
// worker looks for output only every few traces; handOut then gives output to all of the traces
// since the last look.
func (s *stream) handOut(slot *worker.Slot, runs []trace.Run) {
	if len(runs) == 0 {
		return
	}
	begin, end := slot.Output(0), slot.Output(len(runs))
	if begin.From == end.From && begin.Cuts == end.Cuts {
		return // no output, the usual case
	}
	for i := 0; i < len(runs); {
		next := i + 1
		for next < len(runs) && !slot.Output(next).Looked {
			next++
		}
		to := slot.Output(next)
		if !to.Looked {
			return // the process died in one of these traces: the output is in trace.Death
		}
		if text := s.process.written(slot.Output(i), to); text != "" {
			for k := i; k < next; k++ {
				runs[k].Output = trace.Output{Text: text, Of: next - i, At: k - i}
			}
		}
		i = next
	}
}
