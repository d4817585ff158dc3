package search

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// report handles a failure of the current trace: it emits a suspect, unless the registry knows the key.
func (l *lane) report(target int, t *trace.Trace, f oracle.Finding, from source.Origin, before int) {
	if f.IsTimeLimit() && target == l.targets[0] && l.isTooLong(t) {
		l.finished += l.took // the search did not stand still
		return
	}
	name := l.s.All[target].Name
	key := f.Key(name)
	l.showed(key, from)
	l.failed = true
	l.s.Learner.Witness(key, name, t)
	if f.Suspects > 1 {
		l.suspect(target, t, f, key, from)
		return
	}
	if l.wants(key, !f.Voted) {
		x := l.newSuspect(suspect.Failed, target, t, f, from)
		x.Run.History = l.historyOf(before)
		if target == l.targets[0] { // l.judged is its run
			x.Run.Cut = cutAt(f.Call, t, l.judged)
		}
		l.s.Emit(x)
		return
	}
	l.examine(target, t, f, key, from)
}

// wants reports whether to follow up on a failure of the current trace.
func (l *lane) wants(key oracle.Key, proven bool) bool {
	if !l.s.Registry.Wants(key, proven) {
		return false
	}
	if !l.s.Pacer.HasCapacity() {
		l.s.Registry.Withdraw(key, proven)
		return false
	}
	l.s.Pacer.News()
	l.costs.Found(l.kind)
	return true
}

// newSuspect returns a suspect for a failure of the current trace.
func (l *lane) newSuspect(
	kind suspect.Kind, target int, t *trace.Trace, f oracle.Finding, from source.Origin,
) *suspect.Suspect {
	found := store.New(l.s.ctx, l.s.All[target].Name, f, t, from)
	found.Made = l.kind
	l.s.Registry.Stamp(found)
	return &suspect.Suspect{Kind: kind, Target: l.targets[0], From: from, Found: found,
		Run: suspect.Run{End: l.judged.End, Took: l.took, Asleep: l.judged.Death.Asleep,
			Starved: message.SaysNoMemory(l.judged.Death.Stderr), Growth: l.limits.Growth}}
}

// historyOf returns the last traces that the lane ran, as many as its process had run before the failure.
func (l *lane) historyOf(before int) []source.Origin {
	if before = min(before, len(l.ran)); l.s.Way != replay.Persistent {
		return nil
	}
	return slices.Clone(l.ran[len(l.ran)-before:])
}

// cutAt returns how much of the trace to confirm, given the run that showed the failure; nil for all of it.
func cutAt(failed int, t *trace.Trace, run *trace.Run) *suspect.Cut {
	if !run.End.IsLimit() || failed >= run.Call || run.Call >= len(t.Calls) || trial.RunsAtOnce(t) {
		return nil
	}
	return &suspect.Cut{Calls: run.Call, Took: run.SolveTime()}
}

// isTooLong reports whether the trace being judged has more solves than the user's time limit allows, although they
// take no longer than usual. More time, up to that limit, would show nothing else.
func (l *lane) isTooLong(t *trace.Trace) bool {
	own := l.s.Limits
	took, cut := trial.CutSolve(t, l.judged)
	return l.limits.CPU == own.CPU && l.limits.Wall == own.Wall && cut && l.costs.IsUsualSolve(took)
}

// examine emits a failure with a known key, if no known cause explains it. It also samples the explained failures: a
// trace that has a known cause may fail for another reason.
func (l *lane) examine(target int, t *trace.Trace, f oracle.Finding, key oracle.Key, from source.Origin) {
	if f.IsTimeLimit() {
		l.sampleHang(target, t, f, key, from)
	}
	if !l.s.Others || !registry.CanExamine(&f) {
		return
	}
	features := l.kind.Features
	location := f.CrashedAt(l.judged.End, &l.judged.Death)
	known := l.s.Registry.Examine(key, location, registry.Held{From: from, Features: features})
	if known == nil || !known.Wants(features, false) {
		return
	}
	explained := cause.Explain(known.Known, t)
	left := l.s.Budgets.ToExamine(explained)
	if !known.Wants(features, explained) || left <= 0 || !l.s.Pacer.HasCapacity() ||
		!l.s.Registry.Examining(key, features) {
		return
	}
	x := l.newSuspect(suspect.Known, target, t, f, from)
	x.Known, x.Explained = known, explained
	if explained {
		x.Limit = left
	}
	l.s.Emit(x)
}

// sampleHang emits a trace that was set aside, of whose call a hang is known. It may hang for that reason, but it may
// also fail in another way, somewhat later than the search waits. While the hang is being confirmed, samples would
// delay it.
func (l *lane) sampleHang(target int, t *trace.Trace, seen oracle.Finding, key oracle.Key, from source.Origin) {
	if l.s.Budgets.Hangs.Left() > 0 && !l.s.Registry.Decides(key) && l.s.Pacer.HasCapacity() &&
		l.s.Registry.Examining(key, 0) {
		l.s.Emit(l.newSuspect(suspect.Hung, target, t, seen, from))
	}
}

// A suspicion is an error message of which it is known only that one of several consecutive traces wrote
// it.
type suspicion struct {
	key         oracle.Key
	target      int
	stream      *source.Stream
	first, last uint64 // numbers of the suspects
	wanted      bool   // the registry wants the key
	suspects    []*suspect.Suspect
}

// suspect adds a trace to those that may have written a message.
func (l *lane) suspect(target int, t *trace.Trace, f oracle.Finding, key oracle.Key, from source.Origin) {
	s := &l.suspicion
	first := from.Number - uint64(f.Suspect)
	if s.key != key || s.stream != from.Stream || s.first != first || s.target != target {
		l.endSuspicion(from, 0, true)
		*s = suspicion{key: key, target: target, stream: from.Stream, first: first,
			last: first + uint64(f.Suspects) - 1, wanted: l.wants(key, !f.Voted)}
	}
	if s.wanted {
		s.suspects = append(s.suspects, l.newSuspect(suspect.Failed, target, t, f, from))
	}
}

// endSuspicion emits the traces that may have written a message, once the last of them has been judged. If none
// writes it alone, the last may need the traces before it.
func (l *lane) endSuspicion(from source.Origin, before int, now bool) {
	s := &l.suspicion
	if !s.wanted || !now && from.Stream == s.stream && from.Number < s.last {
		return
	}
	s.wanted = false
	first, last := s.suspects[0], s.suspects[len(s.suspects)-1]
	last.Run.History = l.historyOf(before)
	l.s.Emit(&suspect.Suspect{Kind: suspect.Wrote, Target: l.targets[0], From: first.From, Found: last.Found,
		OneOf: s.suspects})
}

// checkLeak emits a trace that left the heap larger.
func (l *lane) checkLeak(t *trace.Trace, from source.Origin) {
	finding := trial.HeapFinding(t)
	if key := finding.Key(l.s.All[l.targets[0]].Name); l.s.Pacer.HasCapacity() && l.s.Registry.WantsLeakCheck(key) {
		l.s.Emit(l.newSuspect(suspect.Leaked, l.targets[0], t, finding, from))
	}
}

// checkExit emits a trace to run in a process that exits normally, so that the destructors of the library run. Lanes
// kill their processes.
func (l *lane) checkExit(t *trace.Trace, from source.Origin) {
	kind := l.s.All[l.targets[0]].Kind
	if kind == replay.Pipe || kind == replay.File || l.s.Way == replay.Fork || !l.s.Pacer.HasCapacity() {
		return
	}
	l.exited = true
	l.s.Emit(&suspect.Suspect{Kind: suspect.Exits, Target: l.targets[0], From: from, Made: l.kind, Trace: t.Clone()})
}

// Runs of single instances cost a process each.
const (
	aloneStride = 4
	aloneMost   = 4096 // traces in a campaign
)

// checkAlone emits a trace whose instances gave answers that no check decided.
func (l *lane) checkAlone(t *trace.Trace, from source.Origin) {
	if from.Number%aloneStride != 0 || t.Instances() < 2 || !l.s.Pacer.HasCapacity() || l.s.Alone.Add(1) > aloneMost {
		return
	}
	l.s.Emit(&suspect.Suspect{Kind: suspect.Mixed, Target: l.targets[0], From: from, Made: l.kind, Trace: t.Clone()})
}

// memoryBatches bounds how often a lane has the traces of a batch weighed; each trace costs a process. The
// peak memory of a persistent process covers all its traces, so if it jumps, every trace of the batch is a
// suspect.
const memoryBatches = 8

// peakJumped records the peaks of the processes and returns the members of the group whose peak has jumped.
func (l *lane) peakJumped(b *numbered) (members []int) {
	if len(l.rivals) < 2 || len(b.Traces) == 0 {
		return nil
	}
	last := len(b.Traces) - 1
	for k := range 1 + len(l.rivals) {
		peak := b.Runs[last].Usage.PeakKB
		if k > 0 {
			peak = b.others[k-1].Runs[last].Usage.PeakKB
		}
		if l.peaks == nil {
			l.peaks = make(map[int]uint64)
		}
		if peak > l.peaks[k]+trial.LeapKB && l.weighed < memoryBatches {
			l.weighed++
			members = append(members, k)
		}
		l.peaks[k] = max(l.peaks[k], peak)
	}
	return members
}

// weighLater emits a batch at which a member's peak jumped.
func (l *lane) weighLater(member int, b *numbered) {
	traces := make([]*trace.Trace, len(b.Traces))
	for i, t := range b.Traces {
		traces[i] = t.Clone()
	}
	l.s.Emit(&suspect.Suspect{Kind: suspect.Grew, Target: l.targets[0], From: b.origin(0), Member: member, Batch: traces})
}
