package quantified

// A History keeps the last answers of one solver. Two answers may contradict each other, although nobody knows which
// one is wrong: a formula that follows from a true one is not false.
type History struct {
	answers [8]Answer
	used    int
	next    int
}

// An Answer is what a solve answered.
type Answer struct {
	Question
	Call    int
	Claimed Truth
	Known   Truth // what is proven, or Unknown
}

// Reset forgets all answers.
func (h *History) Reset() { h.used, h.next = 0, 0 }

// Next returns the answer that Keep will add. If the history is full, that overwrites the oldest answer, so the
// history does not compare the two.
func (h *History) Next() *Answer { return &h.answers[h.next] }

// Keep adds the answer that Next returned.
func (h *History) Keep() {
	h.used = max(h.used, h.next+1)
	h.next = (h.next + 1) % len(h.answers)
}

// others calls visit for the kept answers, the last one first, until it returns true.
func (h *History) others(visit func(a *Answer) bool) {
	for i := 1; i < len(h.answers); i++ {
		at := (h.next - i + len(h.answers)) % len(h.answers)
		if at < h.used && at != h.next && visit(&h.answers[at]) {
			return
		}
	}
}

// Implied returns the truth of the next question if an earlier answer, whose truth is proven, implies it. It also
// returns that answer.
func (h *History) Implied() (truth Truth, by *Answer) {
	answer := h.Next()
	h.others(func(a *Answer) bool {
		switch {
		case a.Known == True && a.Implies(&answer.Question):
			truth = True
		case a.Known == False && answer.Implies(&a.Question):
			truth = False
		default:
			return false
		}
		by = a
		return true
	})
	return truth, by
}

// Refuted returns an earlier answer of unknown truth that the proven truth of the next one disproves, or nil.
func (h *History) Refuted() (refuted *Answer) {
	answer := h.Next()
	if answer.Known == Unknown {
		return nil
	}
	h.others(func(a *Answer) bool {
		if a.Known == Unknown && a.Claimed != answer.Known && related(answer, a, answer.Known) {
			refuted = a
		}
		return refuted != nil
	})
	return refuted
}

// Contradicted returns an earlier answer that contradicts the next one, if the truth of both is unknown, or nil.
func (h *History) Contradicted() (contradicted *Answer) {
	answer := h.Next()
	if answer.Known != Unknown {
		return nil
	}
	h.others(func(a *Answer) bool {
		if a.Known == Unknown && a.Claimed != answer.Claimed && related(answer, a, answer.Claimed) {
			contradicted = a
		}
		return contradicted != nil
	})
	return contradicted
}

// related reports whether the truth carries over: if the first question has it, the other one has it, too.
func related(first, other *Answer, truth Truth) bool {
	if truth == True {
		return first.Implies(&other.Question)
	}
	return other.Implies(&first.Question)
}
