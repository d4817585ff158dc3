package native

import (
	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/trace"
)

// uncut reads output that was written when the file had been cut that many times; "" if it
// has been cut since.
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

// hasFlooded reports whether the target has written more since a position than a trace may
// write.
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

// handOut gives the first runs of a slot their output. The worker looks at a library that
// has long been silent only every few traces; output found then goes to all of these
// traces.
func (s *stream) handOut(slot *worker.Slot, runs []trace.Run) {
	if len(runs) == 0 {
		return
	}
	begin, end := slot.Output(0), slot.Output(len(runs))
	if begin.From == end.From && begin.Cuts == end.Cuts {
		return // it wrote nothing, as nearly always
	}
	for i := 0; i < len(runs); {
		next := i + 1
		for next < len(runs) && !slot.Output(next).Looked {
			next++
		}
		to := slot.Output(next)
		if !to.Looked {
			return // it died among these: its death has the output
		}
		if text := s.process.written(slot.Output(i), to); text != "" {
			for k := i; k < next; k++ {
				runs[k].Output = trace.Output{Text: text, Of: next - i, At: k - i}
			}
		}
		i = next
	}
}
