package replay

import (
	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/trace"
)

// headAndTail returns what the process wrote between two places of its output:
// of a long text the beginning and the end.
func (p *child) headAndTail(from, to int64) string {
	if from < 0 || from >= to {
		return ""
	}
	if to-from <= 2*stderrKept {
		return p.between(from, to)
	}
	return p.between(from, from+stderrKept) + "\n" + p.between(to-stderrKept, to)
}

func (p *child) between(from, to int64) string {
	text := make([]byte, to-from)
	n, _ := p.output.ReadAt(text, from)
	return string(text[:n])
}

// uncut is a text out of a worker's file, which had been cut so many times when
// it was written; "" when the file has been cut since.
func (p *process) uncut(cuts uint32, read func(from, to int64) string, from, to int64) string {
	if cuts != p.memory.OutputCuts() {
		return ""
	}
	text := read(from, to)
	if cuts != p.memory.OutputCuts() {
		return ""
	}
	return text
}

// written is what was written between two places of which each has its cuts.
func (p *process) written(from, to worker.Output) string {
	if from.Cuts != to.Cuts {
		return ""
	}
	return p.uncut(from.Cuts, p.headAndTail, from.From, to.From)
}

// handOut gives the first runs of a slot what the process wrote meanwhile. A
// library that was silent for long is looked at every few traces only; what it
// then wrote goes to all of these.
func (s *Stream) handOut(slot *worker.Slot, runs []trace.Run) {
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
			return // it died among these: what it wrote stands with its death
		}
		if text := s.process.written(slot.Output(i), to); text != "" {
			for k := i; k < next; k++ {
				runs[k].Output = trace.Output{Text: text, Of: next - i, At: k - i}
			}
		}
		i = next
	}
}
