package mutation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A size bounds a mutation run.
type size struct {
	traces int // of both models together
	places int // of each alteration in each trace, at most
}

// policySets are the policies of the runs; the number of the trace selects one. The generator obeys the
// policy, the built-in library may not: traces that it answers wrongly under a policy, or where the policy
// leaves the answer open, are not altered.
var policySets = []map[string]string{
	nil, // the standard's defaults
	{"failed-non-assumption": "zero", "terminate-stop": "prompt"}, // the built-in library's own
	nil,
	{"val-zero": "any"},
	{"failed-non-assumption": "zero", "terminate-stop": "prompt"},
	{"terminate-null": "any"},
	nil,
	{"give-up": "allowed"},
	{"redeclare": "any"},
	{"soft-zero": "rejected", "soft-unused": "rejected"},
	{"unseen-val": "zero"},
	{"unseen-val": "consistent"},
	{"weight-sum": "below-2^63"},
}

func allPolicies(set map[string]string) map[string]string {
	all := map[string]string{}
	for _, p := range apimodel.Policies() {
		all[p.Name] = p.Default
	}
	maps.Copy(all, set)
	return all
}

func policyNames() []string {
	var names []string
	for _, p := range apimodel.Policies() {
		names = append(names, p.Name)
	}
	return names
}

// A row counts the runs of one alteration, by what the truth and the oracle said.
type row struct {
	tried, wrong, caught, missed, right, flagged, open int
	accused                                            int // runs whose answers are open, but which have a finding
}

func (r *row) add(o *row) {
	r.tried += o.tried
	r.wrong += o.wrong
	r.caught += o.caught
	r.missed += o.missed
	r.right += o.right
	r.flagged += o.flagged
	r.open += o.open
	r.accused += o.accused
}

// A table has the counts of a mutation run: a row for the unaltered runs, then one for each alteration.
type table struct {
	traces, skipped, unfit int
	rows                   []row
}

func names() []string {
	list := []string{"unaltered"}
	for _, a := range append(slices.Clone(alterations), exchanges...) {
		list = append(list, a.name)
	}
	return list
}

// A bench runs generated traces and judges altered answers.
type bench struct {
	t       *testing.T
	configs []oracle.Config // each has a table of its own
	tables  []table
	exact   bool // the first config must miss nothing
	shown   map[string]int
	accused map[string]int // why the first config has findings about open answers
}

// run makes traces of both models and tries every alteration on the answers to those for which wanted returns
// true.
func (b *bench) run(n size, bounds gen.Bounds, wanted func(*trace.Trace) bool) {
	for range b.configs {
		b.tables = append(b.tables, table{rows: make([]row, len(names()))})
	}
	seed := testseed.Of(b.t, 1)
	for _, m := range apimodel.Models() {
		target, err := targets.Resolve("ref", m.Name, nil)
		if err != nil {
			b.t.Fatal(err)
		}
		runner, err := replay.Open(target, replay.Persistent, replay.DefaultLimits)
		if err != nil {
			b.t.Fatal(err)
		}
		description, err := runner.Description()
		if err != nil {
			b.t.Fatal(err)
		}
		var judging []*judges
		for _, set := range policySets {
			d := *description
			d.Policies = allPolicies(set)
			g, err := gen.New(gen.Config{Model: m, Description: &d, Profile: "tiny", Bounds: bounds})
			if err != nil {
				b.t.Fatal(err)
			}
			judging = append(judging, b.judges(g, d.Policies))
		}
		var t trace.Trace
		for number, done := uint64(0), 0; done < n.traces/2; number++ {
			js := judging[number%uint64(len(judging))]
			js.generator.Generate(gen.Seed(seed, 0, number), &t)
			if !wanted(&t) {
				b.count(func(x *table) { x.skipped++ })
				continue
			}
			done++
			b.count(func(x *table) { x.traces++ })
			var run trace.Run
			if err := runner.Run(context.Background(), &t, &run); err != nil {
				b.t.Fatal(err)
			}
			b.alter(js, &t, &run, number, n.places)
		}
		runner.Close()
	}
}

func (b *bench) count(change func(*table)) {
	for i := range b.tables {
		change(&b.tables[i])
	}
}

// judges are the truth and the oracle under one set of policies.
type judges struct {
	generator *gen.Generator
	policies  map[string]string
	truth     truth
	oracles   []*oracle.Judge
}

func (b *bench) judges(g *gen.Generator, policies map[string]string) *judges {
	js := &judges{generator: g, policies: policies, truth: truth{policies: policies, solver: &solver{}}}
	for _, c := range b.configs {
		c.Policies = policies
		js.oracles = append(js.oracles, oracle.New(c))
	}
	return js
}

// alter tries every alteration on some calls of one run.
func (b *bench) alter(js *judges, t *trace.Trace, run *trace.Run, number uint64, places int) {
	js.truth.solver.forget()
	if b.compare(js, 0, "unaltered", t, run, number) == wrong {
		b.count(func(x *table) { x.unfit++ })
		return
	}
	rand := draw.New(gen.Seed(number, 1, uint64(t.Model.ID)))
	for k, a := range append(slices.Clone(alterations), exchanges...) {
		from := rand.Below(uint32(len(t.Calls)))
		for n, done := 0, 0; n < len(t.Calls) && done < places; n++ {
			x := attempt{t: t, run: *run, rand: &rand, solver: js.truth.solver}
			x.run.Answers = run.Answers.Clone()
			if a.alter(&x, (int(from)+n)%len(t.Calls)) {
				done++
				b.compare(js, 1+k, a.name, t, &x.run, number)
			}
		}
	}
}

// compare lets the truth and the oracle judge one run, and counts the result.
func (b *bench) compare(js *judges, k int, name string, t *trace.Trace, run *trace.Run, number uint64) verdict {
	rulings := js.truth.judge(t, run)
	worst := right
	for i := range rulings {
		worst = max(worst, rulings[i].verdict)
	}
	for n, o := range js.oracles {
		findings := o.Judge(t, run)
		missed, flagged := differences(t, run, rulings, findings)
		r := &b.tables[n].rows[k]
		r.tried++
		switch worst {
		case wrong:
			r.wrong++
			if missed != "" {
				r.missed++
			} else {
				r.caught++
			}
		case right:
			r.right++
		case open:
			r.open++
			if len(findings) > 0 {
				r.accused++
				if n == 0 {
					b.accuse(why(rulings, open), findings)
				}
			}
		}
		if flagged != "" {
			r.flagged++
			b.show(fmt.Sprintf("right, and flagged with MaxVars %d", b.configs[n].MaxVars), name, flagged, t, run, findings,
				number, js)
		}
		if missed != "" && b.exact && n == 0 {
			b.show("wrong, and missed", name, missed, t, run, findings, number, js)
		}
	}
	return worst
}

// accuse counts findings of the oracle about answers that are open.
func (b *bench) accuse(why string, findings []oracle.Finding) {
	if b.accused == nil {
		b.accused = map[string]int{}
	}
	b.accused[fmt.Sprintf("%s; the finding: %s %s", why, findings[0].Class, findings[0].Detail)]++
}

func why(rulings []ruling, v verdict) string {
	for _, r := range rulings {
		if r.verdict == v {
			return r.why
		}
	}
	return ""
}

// differences compares rulings and findings: every wrong solve must have a finding, and every finding must be
// about a solve that is not right. Two different answers to one problem (5.4) prove that one of them is wrong,
// but not which one.
func differences(t *trace.Trace, run *trace.Run, rulings []ruling, findings []oracle.Finding) (missed, flagged string) {
	found := map[[2]int]bool{}
	for _, f := range findings {
		solve := f.Solve
		if f.Check == "end" {
			solve = -1
		}
		found[[2]int{int(f.Instance), solve}] = true
		backed := false
		for _, r := range rulings {
			same := r.call == solve && (solve < 0 || r.instance == f.Instance)
			if r.unpriced && same && (f.Class == oracle.NotOptimal || f.Class == oracle.AllValuesDiffer ||
				f.Class == oracle.OneValueDiffers) {
				break // a policy forbids it
			}
			backed = backed || r.verdict != right && (same || f.Class == oracle.AnswersDiffer && r.instance == f.Instance)
		}
		if !backed && flagged == "" {
			flagged = string(f.Class) + " " + f.Detail
		}
	}
	for _, r := range rulings {
		key := [2]int{int(r.instance), r.call}
		if r.call < 0 {
			continue
		}
		if r.verdict == wrong && !found[key] && missed == "" {
			missed = r.why
		}
	}
	if run.End != trace.Finished && !slices.ContainsFunc(findings,
		func(f oracle.Finding) bool { return f.Check == "end" }) {
		missed = "the end of the run"
	}
	return missed, flagged
}

const mostShown = 2 // runs of one kind

// show prints a run on which the truth and the oracle disagree.
func (b *bench) show(what, name, why string, t *trace.Trace, run *trace.Run, findings []oracle.Finding, number uint64,
	js *judges) {
	if b.shown == nil {
		b.shown = map[string]int{}
	}
	key := what + why
	if b.shown[key]++; b.shown[key] > mostShown {
		return
	}
	b.t.Errorf("%s: %s\n%s\ntrace %d of seed %d, policies %v\n%s\nfindings: %+v", what, why, name, number,
		testseed.Of(b.t, 1), js.policies, t.AppendLog(nil, run), findings)
}

// small reports whether every life of every instance has at most n variables.
func small(t *trace.Trace, n int) bool {
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpSolve && len(t.InUse(c.Instance, i)) > n {
			return false
		}
	}
	return true
}
