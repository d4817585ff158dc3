package oracle

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// omits notes that the target answered a solve and did not tell what the client asked about it.
func (s *solved) omits(op apimodel.Op) {
	switch op.Reply() {
	case apimodel.ReplyLit, apimodel.ReplyModel:
		s.noValues = true
	case apimodel.ReplyWeight:
		s.noCost = true
	}
}

// leftOpen returns why the answer of a solve is not checked completely, if it is not. Each answer counts once.
func (j *Judge) leftOpen(in *instance) (reason unchecked.Reason, open bool) {
	s := &in.answer
	switch {
	case s.solution && s.noValues && !s.hasValues && s.model.holds != no:
		return unchecked.NoValues, true
	case s.solution && s.noCost && !s.objective.known:
		return unchecked.NoObjective, true
	case s.truth.decided:
		return 0, false
	case s.status == apimodel.Interrupted:
		return unchecked.GaveUp, true
	case j.weighted && (in.SumHi != 0 || !j.weightsClear(in)):
		return unchecked.NotDefined, true
	}
	return unchecked.TooHard, true
}

// leaveOpen counts a proof that stays unchecked, and notes why.
func (j *Judge) leaveOpen(call int, reason unchecked.Reason, why string) {
	j.unchecked[reason]++
	j.notes = append(j.notes, unchecked.Note{Call: call, Reason: reason, Why: why})
}
