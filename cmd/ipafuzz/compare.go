package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// lookAtHangs adds to a time limit that was met what the reference library needs
// for the trace. When that is no thousandth of the limit, the problem may be
// hard, and it is no finding.
func (result *replayed) lookAtHangs(ctx context.Context, limits replay.Limits) error {
	limit := limits.CPU
	if result.run.End == trace.OutOfTime {
		limit = limits.Wall
	}
	var kept []oracle.Finding
	for _, f := range result.findings {
		if f.Class == oracle.TooSlow && f.Check == "end" {
			took, why, err := campaign.ReferenceTime(ctx, result.trace, limit)
			if err != nil {
				return err
			}
			if why != "" {
				result.slow = append(result.slow, f.Observed+"; "+why)
				continue
			}
			f.Observed = fmt.Sprintf("no answer %s within %v", f.Detail, limit)
			f.Known = fmt.Sprintf("the built-in reference library, which needs %v for all calls of the trace", took)
		}
		kept = append(kept, f)
	}
	result.findings = kept
	return nil
}

// comparedTrace is one trace on all targets.
type comparedTrace struct {
	results  []*replayed // by target
	compared oracle.Comparison
	asked    []oracle.Dispute // what the trace was run again for, with more questions
}

// compare runs every trace on all targets.
func (r *replayCommand) compare(ctx context.Context) error {
	if !(r.Factor >= 1) {
		return badUse("--factor: want 1 or more, got %g", r.Factor)
	}
	var replayers []*replayer
	for i, spec := range r.Target {
		if slices.Contains(r.Target[:i], spec) {
			return badUse("--target %s: named twice; a comparison needs different targets", spec)
		}
		target, file, err := r.resolve(spec)
		if err != nil {
			return err
		}
		one := &replayer{command: r, file: file, target: target}
		defer one.close()
		replayers = append(replayers, one)
	}
	faulty := false
	for item, err := range sources.Read(r.Traces, traceSources()) {
		if err != nil {
			return err
		}
		c, err := r.compareTrace(ctx, replayers, item.Name, item.Trace)
		if err != nil {
			return err
		}
		for _, findings := range c.compared.Findings {
			faulty = faulty || len(findings) > 0
		}
		if err := r.printCompared(c); err != nil {
			return err
		}
	}
	if faulty {
		return errFindings
	}
	return nil
}

// compareTrace runs one trace on all targets. What they dispute is asked for once
// more, with the questions that prove who is right.
func (r *replayCommand) compareTrace(ctx context.Context, replayers []*replayer, name string, t *trace.Trace) (*comparedTrace, error) {
	c, err := r.compareSteadily(ctx, replayers, name, t)
	if err != nil || len(c.compared.Disputes) == 0 {
		return c, err
	}
	again, err := r.compareSteadily(ctx, replayers, name, oracle.Ask(t, c.compared.Disputes))
	if err != nil {
		return nil, err
	}
	again.asked = c.compared.Disputes
	return again, nil
}

// compareSteadily is compareOnce without targets that were slow by chance.
func (r *replayCommand) compareSteadily(ctx context.Context, replayers []*replayer, name string, t *trace.Trace) (*comparedTrace, error) {
	c, err := r.compareOnce(ctx, replayers, name, t)
	if err != nil {
		return nil, err
	}
	var runs []*trace.Run
	for _, result := range c.results {
		runs = append(runs, &result.run)
	}
	c.compared, err = campaign.Steady(c.compared, runs, func() (oracle.Comparison, error) {
		again, err := r.compareOnce(ctx, replayers, name, t)
		if err != nil {
			return oracle.Comparison{}, err
		}
		return again.compared, nil
	})
	for i, result := range c.results {
		result.findings = c.compared.Findings[i]
	}
	return c, err
}

func (r *replayCommand) compareOnce(ctx context.Context, replayers []*replayer, name string, t *trace.Trace) (*comparedTrace, error) {
	c := new(comparedTrace)
	var ballots []oracle.Ballot
	leaps := false
	for i, one := range replayers {
		result, err := one.replay(ctx, name, t)
		if err != nil {
			return nil, err
		}
		leaps = leaps || campaign.Leaps(result.run.Usage.PeakKB)
		result.run.Usage.PeakKB = 0 // of all traces of the process
		c.results = append(c.results, result)
		ballots = append(ballots, oracle.Ballot{Target: r.Target[i], Run: &result.run, Findings: result.findings, Solves: result.solves})
	}
	limits := r.limits()
	for i := range ballots {
		if !leaps || len(ballots) < 3 {
			break // a comparison of memory takes three targets, of which one needs much
		}
		one := replayers[i].open[t.Model.Name]
		alone, err := campaign.PeakGrowth(ctx, one.target, limits, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		ballots[i].Run.Usage.PeakKB = alone.Usage.PeakKB
	}
	limit := limits.CPU
	if limit == 0 || limits.Wall > 0 && limits.Wall < limit {
		limit = limits.Wall
	}
	c.compared = oracle.Compare(t, ballots)
	for i, findings := range (oracle.Resources{Factor: r.Factor, Limit: limit}).Compare(t, ballots) {
		for _, f := range findings {
			if !slices.ContainsFunc(c.compared.Findings[i], func(o oracle.Finding) bool { return o.Class == f.Class && o.Call == f.Call }) {
				c.compared.Findings[i] = append(c.compared.Findings[i], f)
			}
		}
	}
	return c, nil
}

func (r *replayCommand) printCompared(c *comparedTrace) error {
	if r.JSON {
		return r.encodeCompared(c)
	}
	out := new(bytes.Buffer)
	file := c.results[0].file
	if len(c.asked) > 0 {
		fmt.Fprintf(out, "%s: the targets disagree and nothing proves who is right; they were asked for models too\n", file)
	}
	if !r.Quiet {
		r.printDifferences(out, c)
	}
	for i, result := range c.results {
		for k := range result.findings {
			f := &result.findings[k]
			fmt.Fprintf(out, "%s: %s: %s: fault %s\n", file, r.Target[i], faultPlace(f.Call, len(result.trace.Calls)), faultTitle(f))
			fmt.Fprintf(out, "  observed  %s\n  expected  %s\n  known by  %s\n", f.Observed, f.Expected, f.Known)
			if r.Quiet {
				break // the worst
			}
		}
		for _, why := range result.slow {
			fmt.Fprintf(out, "%s: %s: no finding: %s\n", file, r.Target[i], why)
		}
		if len(result.findings) == 0 {
			fmt.Fprintf(out, "%s: %s: nothing wrong was found\n", file, r.Target[i])
		}
	}
	for _, d := range c.compared.Disputes {
		if !d.Outvoted {
			fmt.Fprintf(out, "%s: call %d: the targets disagree about the %s, and nothing proves who is right: %s\n", file, d.Call+1, d.About, r.whoSays(d))
		}
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}

func (r *replayCommand) whoSays(d oracle.Dispute) string {
	var says []string
	for i, answer := range d.Says {
		if answer != "" {
			says = append(says, r.Target[i]+": "+answer)
		}
	}
	return strings.Join(says, "; ")
}

// printDifferences prints the calls that targets answered differently, side by
// side. Different models and cores may all be right.
func (r *replayCommand) printDifferences(out *bytes.Buffer, c *comparedTrace) {
	t := c.results[0].trace
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "CALL\t\t%s\n", strings.Join(r.Target, "\t"))
	differ := 0
	for i := range t.Calls {
		request := string(t.AppendRequest(nil, i))
		var answers []string
		for _, result := range c.results {
			answers = append(answers, answerIn(t, i, request, &result.run))
		}
		if slices.ContainsFunc(answers, func(a string) bool { return a != answers[0] }) {
			differ++
			fmt.Fprintf(w, "%d\t%s\t%s\n", i+1, strings.TrimSpace(request), strings.Join(answers, "\t"))
		}
	}
	w.Flush()
	fmt.Fprintf(out, "%s: %d of %d calls were answered differently\n", c.results[0].file, differ, len(t.Calls))
	if differ > 0 {
		out.Write(table.Bytes())
	}
}

// answerIn is what the log of a run has behind the '=' of a call.
func answerIn(t *trace.Trace, call int, request string, run *trace.Run) string {
	if run.End != trace.Finished && call == run.Call {
		return "(" + run.End.String() + ")"
	}
	log := trace.Trace{Model: t.Model, Calls: t.Calls, Lits: t.Lits, Bytes: t.Bytes, Want: run.Answers}
	line := strings.TrimSpace(string(log.AppendCall(nil, call)))
	_, answer, _ := strings.Cut(strings.TrimPrefix(line, strings.TrimSpace(request)), "=")
	return strings.TrimSpace(answer)
}

type comparedRecord struct {
	File     string           `json:"file"`
	Targets  []replayRecord   `json:"targets"`
	Asked    bool             `json:"asked,omitempty"` // for models, since nothing else settled a dispute
	Disputes []disputeSummary `json:"disputes,omitempty"`
}

func (r *replayCommand) encodeCompared(c *comparedTrace) error {
	record := comparedRecord{File: c.results[0].file, Asked: len(c.asked) > 0}
	for i, result := range c.results {
		record.Targets = append(record.Targets, result.record(r.Target[i]))
	}
	for _, d := range c.compared.Disputes {
		if !d.Outvoted {
			record.Disputes = append(record.Disputes, disputeSummary{Call: d.Call + 1, About: d.About, Says: strings.Split(r.whoSays(d), "; ")})
		}
	}
	return json.NewEncoder(os.Stdout).Encode(record)
}
