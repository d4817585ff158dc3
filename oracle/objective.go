package oracle

import "fmt"

// objectiveCheck compares the three numbers of the published classification: the objective that the solver claims, the
// cost of its model, and the optimum.
type objectiveCheck struct{}

// Details that several checks report.
const (
	notOptimal        = "not optimal"
	modelNotOptimal   = "model is not optimal"
	claimsSolution    = "claims a solution"
	claimsNoSolution  = "claims no solution"
	harderHasSolution = "a harder problem has a solution"
)

// Details that concern the objective alone.
const (
	ObjectiveNotOptimal   = "objective is not the optimum"
	ObjectiveOfNoSolution = "no solution has this objective"
)

func (objectiveCheck) explain(_ *Judge, in *instance, _ proof) string {
	known := "the weights: if both literals of a variable have one, every model pays for one of them"
	if in.SoftClauses() > 0 {
		known += ", and every model pays for empty soft clauses"
	}
	return known
}

func (c objectiveCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	if !j.weighted || !s.solution || s.truth.feasible == no || !j.weightsClear(in) {
		return
	}
	if s.optimal && (s.hasValues || s.objective.known) {
		in.optimum()
	}
	if hi, floor := in.floorOf(s); hi == 0 && s.optimal && !s.truth.least.known && s.truth.atMost.known &&
		s.truth.atMost.cost == floor {
		s.truth.least = bound{true, floor, j.proof(s.call)}
	}
	c.compare(j, in, &s.truth)
}

// floorOf returns a lower bound on the cost of every solution, as a number of 128 bits. If the bound cannot help,
// because the optimum is known or no solution is, it returns 2^64 and saves the time.
func (in *instance) floorOf(s *solved) (hi, lo uint64) {
	if s.truth.least.known || !s.truth.atMost.known {
		return 1, 0
	}
	return in.Floor()
}

// compare judges objective and model by the optimum in truth, which a check has proven or the trace states. It reports
// whether it could decide.
func (c objectiveCheck) compare(j *Judge, in *instance, truth *truth) bool {
	s := &in.answer
	m := &s.model
	hasObjective := s.objective.known && !s.objective.contested
	hasModel := m.holds != no && (m.exact || m.leastOnly)
	if hasModel && m.hi != 0 {
		return false // the model costs 2^64 or more, which no objective can express
	}
	modelSays := m.cost
	agree := hasObjective && hasModel && m.exact && m.cost == s.objective.value
	if hasObjective && !m.exact {
		switch m.fits {
		case yes:
			agree, hasModel, modelSays = true, true, s.objective.value
		case unknown:
			hasModel = false
		}
	}
	var f Finding
	switch {
	case hasObjective && (hasModel || m.fits == no) && !agree:
		f = Finding{Class: OneValueDiffers, Detail: "objective is not the cost of the model",
			Observed: fmt.Sprintf("objective %d, cost of the model %s", s.objective.value, m.costText()),
			Expected: "the same number", Known: "the weights of the trace"}
		if s.optimal && hasModel && truth.differs(s.objective.value) && truth.differs(modelSays) {
			f.Class = AllValuesDiffer
		}
		if best := truth.best(); s.optimal && best.known {
			f.Expected += fmt.Sprintf(", the optimum %s", truth.bestText())
			f.Known += "; " + j.known(in, best.by)
		}
	case agree && s.optimal && truth.differs(modelSays):
		f = Finding{Class: NotOptimal, Detail: notOptimal,
			Observed: fmt.Sprintf("optimum claimed, objective and model cost %d", modelSays)}
	case !hasModel && hasObjective && s.optimal && truth.differs(s.objective.value):
		f = Finding{Class: OneValueDiffers, Detail: ObjectiveNotOptimal,
			Observed: fmt.Sprintf("optimum claimed, objective %d", s.objective.value)}
	case !hasObjective && hasModel && s.optimal && truth.differs(modelSays):
		f = Finding{Class: OneValueDiffers, Detail: modelNotOptimal,
			Observed: "optimum claimed, cost of the model " + m.costText()}
	case !hasModel && hasObjective && !s.optimal && in.noSolutionCosts(s.objective.value):
		f = Finding{Class: OneValueDiffers, Detail: ObjectiveOfNoSolution,
			Observed: fmt.Sprintf("objective %d", s.objective.value),
			Expected: "the cost of a solution", Known: j.known(in, s.truth.feasibleBy)}
	default:
		decided := agree && !s.optimal || (hasObjective || hasModel) && s.optimal && truth.least.known
		if decided {
			j.decide()
			s.truth.decided = true
		}
		return decided
	}
	if f.Known == "" {
		f.Expected, f.Known = truth.bestText(), j.known(in, truth.best().by)
	}
	f.Call = s.lastCall()
	if s.objective.known {
		f.Call = max(f.Call, s.objective.call)
	}
	j.decide()
	s.truth.decided = true
	j.report(in, f)
	return true
}

func (in *instance) noSolutionCosts(cost uint64) bool {
	if in.Beyond || in.answer.truth.feasible == unknown {
		return false
	}
	costs := in.ObjectiveOf()
	return costs != nil && !costs.Exactly(&in.Feasible, &in.answer.truth.condition, cost)
}

func (m *modelVerdict) costText() string {
	switch {
	case m.exact:
		return fmt.Sprint(m.cost)
	case m.leastOnly:
		return fmt.Sprintf("%d for the cheapest completion of its values", m.cost)
	}
	return "different for every completion of its values"
}

func (t *truth) bestText() string {
	if t.least.known {
		return fmt.Sprint(t.least.cost)
	}
	return fmt.Sprintf("at most %d", t.atMost.cost)
}
