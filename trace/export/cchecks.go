package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// comment writes a comment that says what the next lines assert, and why.
func (p *cProgram) comment(format string, args ...any) {
	p.line("/* %s */", harmless(fmt.Sprintf(format, args...)))
}

// harmless returns the text for a C comment: without control characters, ends of comments and
// trigraphs.
func harmless(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	return strings.NewReplacer("*/", "* /", "??", "? ?").Replace(text)
}

func (p *cProgram) expect(call int, what, format string, args ...any) {
	p.asserted++
	p.line("expect (%s, %s, %s);", fmt.Sprintf(format, args...), quoted(place(p.t, call)), quoted(what))
}

// solve writes a solve and the assertion about its status.
func (p *cProgram) solve(s *solver, i int) {
	v := s.solve(p.t, i, &p.o)
	v.formula = p.formula(s)
	a := answerOf(v)
	if s.stops || p.uses("stopper", s) {
		p.line("stopper_%d.calls = stopper_%d.more_calls = 0;", s.instance, s.instance)
	}
	if p.uses("listener", s) {
		p.line("listener_%d.calls = listener_%d.too_long = 0; listener_%d.used = 0;", s.instance, s.instance, s.instance)
	}
	others := p.callbacksOfOthers(s)
	for _, callback := range others {
		p.line("%s.calls = 0;", callback)
	}
	p.line("%s.status = %s (s%d);", a, p.function("solve"), s.instance)
	for _, callback := range others {
		p.expect(i, "no call of a callback of another instance", "!%s.calls", callback)
	}
	p.status(v, a)
	if p.weighted() {
		p.line("refused (%s.status, %s);", a, quoted(place(p.t, i)))
	}
	p.assertCallbacks(v, a)
	p.repeated(v, a)
}

// callbacksOfOthers returns the callbacks that a solve must not call, if the program checks that.
func (p *cProgram) callbacksOfOthers(s *solver) []string {
	var names []string
	for _, instance := range p.started {
		if !p.want.apart || instance == s.instance {
			continue
		}
		for _, callback := range []string{"stopper", "listener"} {
			if p.uses(callback, &solver{instance: instance}) {
				names = append(names, fmt.Sprintf("%s_%d", callback, instance))
			}
		}
	}
	return names
}

// uses reports whether the trace ever sets the callback for the instance.
func (p *cProgram) uses(callback string, s *solver) bool {
	op := apimodel.OpTerminate
	if callback == "listener" {
		op = apimodel.OpLearn
	}
	return p.callbacks[s.instance][op]
}

func (p *cProgram) status(v *solve, a string) {
	if p.want.known {
		if p.weighted() {
			p.expect(v.call, "the status is 0, 10, 20, 30 or 40",
				"%s.status == 0 || %s.status == 10 || %s.status == 20 || %s.status == 30 || %s.status == 40", a, a, a, a, a)
		} else {
			p.expect(v.call, "the status is 0, 10 or 20", "%s.status == 0 || %s.status == 10 || %s.status == 20", a, a, a)
		}
	}
	early := ""
	if v.mayStop {
		early = fmt.Sprintf(" || (said_stop (&stopper_%d) && %s.status == 0)", v.solver.instance, a)
		if p.weighted() && v.right.Status != apimodel.Unsatisfiable {
			early += fmt.Sprintf(" || (said_stop (&stopper_%d) && %s.status == 10)", v.solver.instance, a)
		}
	}
	switch {
	case p.want.status && v.isRight && final(v.right.Status, p.weighted()):
		p.comment("What is right: %s.", v.rightText(p.weighted()))
		p.expect(v.call, fmt.Sprintf("status %d", v.right.Status), "%s.status == %d%s", a, v.right.Status, early)
	case p.want.status:
		// The right status is not known, but nothing may end the search early.
		finals := fmt.Sprintf("%s.status == 20 || %s.status == %d", a, a, finalWithSolution(p.weighted()))
		p.expect(v.call, "a complete answer: nothing told the search to stop", "%s%s", finals, early)
	case p.want.claims && v.isRight && v.right.Status == apimodel.Unsatisfiable:
		_, no := p.verdicts()
		p.comment("What is right: %s.", no)
		p.expect(v.call, "status 20: "+no, "%s.status != 10 && %s.status != 30", a, a)
	case p.want.claims && v.isRight:
		yes, _ := p.verdicts()
		p.comment("What is right: %s%s.", yes, v.modelText())
		p.expect(v.call, "another status than 20: "+yes, "%s.status != 20", a)
	}
}

// verdicts says in words what the statuses 10 and 20 mean.
func (p *cProgram) verdicts() (yes, no string) {
	if p.t.Model == apimodel.QBF {
		return "the formula is true", "the formula is false"
	}
	return "there is a solution", "there is no solution"
}

func finalWithSolution(weighted bool) int {
	if weighted {
		return apimodel.Optimum
	}
	return apimodel.Satisfiable
}

func final(status int32, weighted bool) bool {
	return status == apimodel.Unsatisfiable || status == int32(finalWithSolution(weighted))
}

func (v *solve) modelText() string {
	if len(v.right.Model) == 0 || len(v.right.Model) > 100 {
		return ""
	}
	return ": " + strings.Trim(fmt.Sprint(v.right.Model), "[]")
}

func (v *solve) rightText(weighted bool) string {
	switch {
	case v.right.Status == apimodel.Unsatisfiable:
		return "there is no solution"
	case weighted && v.priced:
		return fmt.Sprintf("the best solution costs %d%s", v.right.Objective, v.modelText())
	}
	return "there is a solution" + v.modelText()
}

// assertCallbacks writes assertions about what the callbacks have seen.
func (p *cProgram) assertCallbacks(v *solve, a string) {
	s := v.solver
	stopper := fmt.Sprintf("stopper_%d", s.instance)
	if p.want.stop && p.uses("stopper", s) {
		switch {
		case !s.stops:
			p.expect(v.call, "no call of a callback that was taken away", "!%s.calls", stopper)
		case p.o.Policies["terminate-stop"] == "prompt":
			p.comment("The library promises to end as soon as the callback says stop.")
			p.expect(v.call, "no further call of the callback", "!%s.more_calls", stopper)
			p.expect(v.call, "an interrupted solve", "!said_stop (&%s) || %s.status == 0%s", stopper, a,
				map[bool]string{true: " || " + a + ".status == 10"}[p.weighted()])
		default:
			p.expect(v.call, "the end of the search, soon after the callback said stop", "%s.more_calls <= 100000", stopper)
		}
		if s.stops && p.o.Policies["terminate-called"] == "every-solve" {
			p.expect(v.call, "at least one call of the callback", "%s.calls", stopper)
		}
	}
	if !p.uses("listener", s) {
		return
	}
	listener := fmt.Sprintf("listener_%d", s.instance)
	switch {
	case p.want.stop && !s.listens:
		p.expect(v.call, "no learned clause for a callback that was taken away", "!%s.calls", listener)
	case p.want.tooLong && s.listens:
		p.expect(v.call, fmt.Sprintf("learned clauses of at most %d literals", s.longest), "!%s.too_long", listener)
	}
	if p.want.learned && s.listens {
		p.expect(v.call, "learned clauses that follow from the clauses that were added", "implied (&%s, &%s)", p.problem(v),
			listener)
	}
}

func (p *cProgram) repeated(v *solve, a string) {
	if p.want.repeat && v.same != nil {
		b := answerOf(v.same)
		p.comment("The same problem as that of call %d.", v.same.call+1)
		p.expect(v.call, fmt.Sprintf("the status of call %d", v.same.call+1), "%s.status == %s.status || !%s || !%s", a, b,
			isFinal(a, p.weighted()), isFinal(b, p.weighted()))
	}
}

func isFinal(a string, weighted bool) string {
	return fmt.Sprintf("(%s.status == 20 || %s.status == %d)", a, a, finalWithSolution(weighted))
}

func answerOf(v *solve) string { return fmt.Sprintf("a%d", v.call+1) }

// asking returns a function that writes a query in a block with the condition that the last status makes it legal.
// write gets the name of the last answer and the place of the query, and reports whether it wrote a query.
func asking(write func(p *cProgram, s *solver, i int, a, where string) bool) func(*cProgram, *solver, int) {
	return func(p *cProgram, s *solver, i int) {
		if s.asked == nil {
			return // the query is never legal: there is no solve before it
		}
		a := answerOf(s.asked)
		switch {
		case p.t.Model.Quantified():
			p.under(fmt.Sprintf("%s.status == 10 || %s.status == 20", a, a))
		case asksOf(p.t.Calls[i].Op).core:
			p.under(a + ".status == 20")
		case p.weighted():
			p.under(fmt.Sprintf("%s.status == 10 || %s.status == 30", a, a))
		default:
			p.under(a + ".status == 10")
		}
		if write(p, s, i, a, quoted(place(p.t, i))) && p.want.answers() && (p.want.values || p.want.failed) {
			p.asserted++
		}
	}
}

func (p *cProgram) val(s *solver, i int, a, where string) bool {
	lit := p.t.Lit(&p.t.Calls[i])
	call := fmt.Sprintf("%s (s%d, %d)", p.valFunction(), s.instance, lit)
	switch {
	case p.isNew && p.want.unseen:
		p.expect(i, "0: no call named the variable before", "%s == 0", call)
	case p.want.answers():
		p.line("value (&%s, %s, %d, %s);", a, where, lit, call)
	default:
		p.line("%s;", call)
	}
	return true
}

func (p *cProgram) model(s *solver, _ int, a, where string) bool {
	p.line("for (int i = 0; i < %d; i++)", len(p.named[s.instance]))
	table := p.namedTable(s)
	call := fmt.Sprintf("%s (s%d, %s[i])", p.valFunction(), s.instance, table)
	if p.want.answers() {
		call = fmt.Sprintf("value (&%s, %s, %s[i], %s)", a, where, table, call)
	}
	p.line("  %s;", call)
	return true
}

func (p *cProgram) obj(s *solver, _ int, a, where string) bool {
	call := fmt.Sprintf("ipamir_val_obj (s%d)", s.instance)
	if p.want.answers() {
		call = fmt.Sprintf("objective (&%s, %s, %s)", a, where, call)
	}
	p.line("%s;", call)
	return true
}

func (p *cProgram) failed(s *solver, i int, a, where string) bool {
	lit := p.t.Lit(&p.t.Calls[i])
	call := fmt.Sprintf("%s (s%d, %d)", p.function("failed"), s.instance, lit)
	if p.want.answers() {
		wasAssumed := 0
		if slices.Contains(s.asked.assumed, lit) {
			wasAssumed = 1
		}
		call = fmt.Sprintf("failed (&%s, %s, %d, %d, %s)", a, where, lit, wasAssumed, call)
	}
	p.line("%s;", call)
	return true
}

func (p *cProgram) core(s *solver, _ int, a, where string) bool {
	if len(s.asked.assumed) == 0 {
		return false
	}
	table := p.assumedTable(s.asked)
	call := fmt.Sprintf("%s (s%d, %s[i])", p.function("failed"), s.instance, table)
	if p.want.answers() {
		call = fmt.Sprintf("failed (&%s, %s, %s[i], 1, %s)", a, where, table, call)
	}
	p.line("for (int i = 0; i < %d; i++)", len(s.asked.assumed))
	p.line("  %s;", call)
	return true
}

func (p *cProgram) valFunction() string {
	if p.weighted() {
		return "ipamir_val_lit"
	}
	return p.function("val")
}

// close writes the assertions that need the answers to all queries after a solve.
func (p *cProgram) close(s *solver) {
	if s == nil || s.asked == nil || !p.want.answers() {
		return
	}
	v := s.asked
	s.asked = nil
	has := p.queriesOf(v)
	a := answerOf(v)
	if v.formula != nil {
		p.closeQuantified(v, a, has)
		return
	}
	solution := a + ".status == 10"
	if p.weighted() {
		solution += " || " + a + ".status == 30"
	}
	if p.want.model && has.values {
		p.under(solution)
		p.comment("The values fulfil all clauses and assumptions.")
		p.expect(v.call, "values that fulfil all clauses and assumptions", "fits (&%s, &%s)", p.problem(v), a)
	}
	if has.core && p.want.core {
		p.under(a + ".status == 20")
		p.comment("The assumptions that failed contradict the clauses, or each other.")
		p.expect(v.call, "failed assumptions that contradict the clauses, or each other", "is_core (&%s, &%s)", p.problem(v),
			a)
	}
	p.closeWeights(v, a, has, solution)
	p.unguard()
}

func (p *cProgram) closeWeights(v *solve, a string, has questions, solution string) {
	if !p.weighted() || !v.sum {
		return
	}
	if p.want.cost && has.objective {
		p.under(solution)
		p.comment("The objective is what the values cost.")
		p.expect(v.call, "the objective is the cost of the model", "costs (&%s, &%s, %s.objective)", p.problem(v), a, a)
	}
	if p.want.optimum && v.priced && v.right.Status == apimodel.Optimum && (has.objective || has.values) {
		p.under(a + ".status == 30")
		p.comment("What is right: %s.", v.rightText(true))
		if has.objective {
			p.expect(v.call, fmt.Sprintf("the optimum %d as the objective", v.right.Objective), "%s.objective == %s", a,
				unsigned(v.right.Objective))
		} else {
			p.expect(v.call, fmt.Sprintf("a model that costs the optimum %d", v.right.Objective), "costs (&%s, &%s, %s)",
				p.problem(v), a, unsigned(v.right.Objective))
		}
	}
	if p.want.repeat && v.same != nil && has.objective && p.queriesOf(v.same).objective {
		b := answerOf(v.same)
		p.under(a + ".status == 30")
		p.expect(v.call, fmt.Sprintf("the objective of call %d", v.same.call+1),
			"%s.status != 30 || %s.objective == %s.objective", b, a, b)
	}
}

// A questions says what the client asks about an answer.
type questions struct{ values, objective, core bool }

func (p *cProgram) queriesOf(v *solve) (has questions) {
	for i := v.call + 1; i < len(p.t.Calls) && !changes(p.t, i, v.solver.instance); i++ {
		if p.t.Calls[i].Instance == v.solver.instance {
			asks := asksOf(p.t.Calls[i].Op)
			has.values = has.values || asks.values
			has.objective = has.objective || asks.objective
			has.core = has.core || asks.core
		}
	}
	return has
}

func asksOf(op apimodel.Op) questions {
	if !op.AsksAnswer() {
		return questions{}
	}
	reply := op.Reply()
	return questions{values: reply == apimodel.ReplyLit || reply == apimodel.ReplyModel,
		objective: reply == apimodel.ReplyWeight, core: reply == apimodel.ReplyFlag || reply == apimodel.ReplyCore}
}
