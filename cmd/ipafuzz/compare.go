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
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// compare runs every trace on all targets.
func (r *replayCommand) compare(ctx context.Context) error {
	if !(r.Factor >= 1) {
		return exit.Misusef("--factor: want 1 or more, got %g", r.Factor)
	}
	var replayers []*trial.Replayer
	for i, spec := range r.Target {
		if slices.Contains(r.Target[:i], spec) {
			return exit.Misusef("--target %s: named twice; a comparison needs different targets", spec)
		}
		target, file, err := r.resolve(spec)
		if err != nil {
			return err
		}
		one := trial.NewReplayer(target, file, r.replaying())
		defer one.Close()
		replayers = append(replayers, one)
	}
	panel := trial.NewPanel(replayers, r.replaying())
	faulty := false
	for item, err := range sources.Read(r.Traces, traceSources()) {
		if err != nil {
			return err
		}
		c, err := panel.Compare(ctx, item.Name, item.Trace)
		if err != nil {
			return err
		}
		for _, findings := range c.Compared.Findings {
			faulty = faulty || len(findings) > 0
		}
		if err := r.printCompared(c); err != nil {
			return err
		}
	}
	if faulty {
		return exit.ErrFindings
	}
	return nil
}

func (r *replayCommand) printCompared(c *trial.Compared) error {
	if r.JSON {
		return r.encodeCompared(c)
	}
	out := new(bytes.Buffer)
	file := c.Results[0].Name
	if len(c.Asked) > 0 {
		fmt.Fprintf(out, "%s: the targets disagree and nothing proves who is right; they were asked for models too\n", file)
	}
	if !r.Quiet {
		r.printDifferences(out, c)
	}
	for i, result := range c.Results {
		for k := range result.Findings {
			f := &result.Findings[k]
			fmt.Fprintf(out, "%s: %s: %s: fault %s\n", file, r.Target[i], terminal.FaultPlace(f.Call, len(result.Trace.Calls)), terminal.FaultTitle(f))
			fmt.Fprintf(out, "  observed  %s\n  expected  %s\n  known by  %s\n", f.Observed, f.Expected, f.Known)
			if r.Quiet {
				break // the worst
			}
		}
		for _, why := range result.Slow {
			fmt.Fprintf(out, "%s: %s: no finding: %s\n", file, r.Target[i], why)
		}
		if len(result.Findings) == 0 {
			fmt.Fprintf(out, "%s: %s: nothing wrong was found\n", file, r.Target[i])
		}
	}
	for _, d := range c.Compared.Disputes {
		if !d.Outvoted {
			fmt.Fprintf(out, "%s: call %d: the targets disagree about the %s, and nothing proves who is right: %s\n", file, d.Call+1, d.About, r.whoSays(d))
		}
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}

func (r *replayCommand) whoSays(d compare.Dispute) string {
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
func (r *replayCommand) printDifferences(out *bytes.Buffer, c *trial.Compared) {
	t := c.Results[0].Trace
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "CALL\t\t%s\n", strings.Join(r.Target, "\t"))
	differ := 0
	for i := range t.Calls {
		request := string(t.AppendRequest(nil, i))
		var answers []string
		for _, result := range c.Results {
			answers = append(answers, answerIn(t, i, request, &result.Run))
		}
		if slices.ContainsFunc(answers, func(a string) bool { return a != answers[0] }) {
			differ++
			fmt.Fprintf(w, "%d\t%s\t%s\n", i+1, strings.TrimSpace(request), strings.Join(answers, "\t"))
		}
	}
	w.Flush()
	fmt.Fprintf(out, "%s: %d of %d calls were answered differently\n", c.Results[0].Name, differ, len(t.Calls))
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
	File     string                   `json:"file"`
	Targets  []trial.ReplayRecord     `json:"targets"`
	Asked    bool                     `json:"asked,omitempty"` // for models, since nothing else settled a dispute
	Disputes []campaign.DisputeRecord `json:"disputes,omitempty"`
}

func (r *replayCommand) encodeCompared(c *trial.Compared) error {
	record := comparedRecord{File: c.Results[0].Name, Asked: len(c.Asked) > 0}
	for i, result := range c.Results {
		record.Targets = append(record.Targets, result.Record(r.Target[i]))
	}
	for _, d := range c.Compared.Disputes {
		if !d.Outvoted {
			record.Disputes = append(record.Disputes, campaign.DisputeRecord{Call: d.Call + 1, About: d.About, Says: strings.Split(r.whoSays(d), "; ")})
		}
	}
	return json.NewEncoder(os.Stdout).Encode(record)
}
