package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type replayCommand struct {
	Traces    []string `arg:"" placeholder:"TRACE"`
	From      string   `placeholder:"FORMAT"`
	Target    []string `required:"" sep:"none" placeholder:"TARGET"`
	Factor    float64  `default:"100" placeholder:"100"`
	Way       string   `enum:"fork,persistent,inproc" default:"fork"`
	Conflicts uint64   `default:"${thorough}" placeholder:"N"`
	Exact     bool
	Quiet     bool `short:"q"`
	Strict    bool
	JSON      bool
	Bisect    bool
	Key       oracle.Key `placeholder:"KEY"`
	targetFlags
	limitFlags
}

// Run runs the command.
func (r *replayCommand) Run(ctx context.Context) error {
	if r.Bisect {
		return r.bisect(ctx)
	}
	if len(r.Target) > 1 {
		return r.compare(ctx)
	}
	target, file, err := r.resolve(r.Target[0])
	if err != nil {
		return err
	}
	if err := suitsWay(replay.Way(r.Way), []*replay.Target{target}); err != nil {
		return err
	}
	replayer := trial.NewReplayer(target, file, r.replaying())
	defer replayer.Close()
	on := []*apimodel.Model{target.Model}
	return r.each(on, func(item sources.Item) (faulty bool, open []unchecked.Item, err error) {
		result, err := replayer.Replay(ctx, item.Name, item.Trace)
		if err != nil {
			return false, nil, err
		}
		return len(result.Findings) > 0, result.Unchecked.Items(), r.print(result)
	})
}

// each replays and prints the traces one by one.
func (r *replayCommand) each(on []*apimodel.Model,
	replay func(sources.Item) (faulty bool, open []unchecked.Item, err error)) error {
	faulty, left := false, []unchecked.Item(nil)
	options, err := traceSourcesFrom(r.From)
	if err != nil {
		return err
	}
	for item, err := range sources.Read(r.Traces, sourcesFor(options, on...)) {
		if err != nil {
			return err
		}
		found, open, err := replay(item)
		if err != nil {
			return sources.Placed(item.Name, err)
		}
		faulty, left = faulty || found, append(left, open...)
	}
	return exit.Of(faulty, left, r.Strict)
}

// replaying returns the configuration that the flags choose.
func (r *replayCommand) replaying() trial.Replaying {
	return trial.Replaying{Way: replay.Way(r.Way), Limits: r.limits(), Conflicts: r.Conflicts, Exact: r.Exact,
		Compared: len(r.Target) > 1, Factor: r.Factor}
}

func (r *replayCommand) print(result *trial.Replayed) error {
	if r.JSON {
		return json.NewEncoder(os.Stdout).Encode(result.Record(r.Target[0]))
	}
	out := new(bytes.Buffer)
	r.printFindings(out, result.Name, result)
	for _, m := range result.Mismatches {
		source, note := "the trace expects", ""
		switch {
		case m.Recorded:
			source = "the trace recorded"
		case m.Proven:
			note = " (the answer is right, the expectation is not)"
		}
		fmt.Fprintf(out, "%s: call %d: %s %s, the target answered %s%s\n", result.Name, m.Call+1, source, m.Want, m.Got,
			note)
	}
	for _, why := range result.Slow {
		fmt.Fprintf(out, "%s: no finding: %s\n", result.Name, why)
	}
	if stderr := result.Wrote(); stderr != "" && !r.Quiet {
		fmt.Fprintf(out, "The process wrote:\n%s\n", bytes.TrimRight([]byte(stderr), "\n"))
	}
	switch {
	case len(result.Findings) > 0:
	case result.Unchecked.Any():
		out.WriteString(terminal.LeftOpen(result.Name, result))
	case len(result.Mismatches) > 0:
		fmt.Fprintf(out, "%s: nothing wrong was found, but not every answer is the expected one\n", result.Name)
	default:
		fmt.Fprintf(out, "%s: nothing wrong was found\n", result.Name)
	}
	if r.Quiet {
		return printText(printable.Text(out.String()))
	}
	log := terminal.AnnotatedLog(result.Shown(), &result.Run, result.Findings)
	return printText(printable.Text(string(log) + terminal.Comments(out.String())))
}

func (r *replayCommand) printFindings(out *bytes.Buffer, subject string, result *trial.Replayed) {
	for i := range result.Findings {
		terminal.WriteFinding(out, subject, &result.Findings[i], len(result.Trace.Calls))
		if r.Quiet {
			break // the worst finding
		}
	}
}

// compare runs every trace on all targets.
func (r *replayCommand) compare(ctx context.Context) error {
	if !(r.Factor >= 1) {
		return exit.Misusef("--factor: want 1 or more, got %g", r.Factor)
	}
	var replayers []*trial.Replayer
	var on []*apimodel.Model
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
		replayers, on = append(replayers, one), append(on, target.Model)
	}
	comparer := trial.NewComparer(replayers, r.replaying())
	return r.each(on, func(item sources.Item) (faulty bool, open []unchecked.Item, err error) {
		c, err := comparer.Compare(ctx, item.Name, item.Trace)
		if err != nil {
			return false, nil, err
		}
		sum := unchecked.Counts{}
		for i, findings := range c.Compared.Findings {
			faulty = faulty || len(findings) > 0
			sum.Add(c.Results[i].Unchecked)
		}
		for _, d := range c.Compared.Disputes {
			if !d.Outvoted {
				sum[unchecked.Disputed]++
			}
		}
		return faulty, sum.Items(), r.printCompared(c)
	})
}

func (r *replayCommand) printCompared(c *trial.Compared) error {
	if r.JSON {
		return r.encodeCompared(c)
	}
	out := new(bytes.Buffer)
	file := c.Results[0].Name
	if len(c.Asked) > 0 {
		fmt.Fprintf(out, "%s: the targets disagree and nothing proves which is right; they were also asked for models\n",
			file)
	}
	if !r.Quiet {
		r.printDifferences(out, c)
	}
	for i, result := range c.Results {
		subject := file + ": " + r.Target[i]
		r.printFindings(out, subject, result)
		for _, why := range result.Slow {
			fmt.Fprintf(out, "%s: no finding: %s\n", subject, why)
		}
		switch {
		case len(result.Findings) > 0:
		case result.Unchecked.Any():
			out.WriteString(terminal.LeftOpen(subject, result))
		default:
			fmt.Fprintf(out, "%s: nothing wrong was found\n", subject)
		}
	}
	for _, d := range c.Compared.Disputes {
		if !d.Outvoted {
			fmt.Fprintf(out, "%s: call %d: the targets disagree about the %s, and nothing proves which is right: %s\n",
				file, d.Call+1, d.About, strings.Join(r.whoSays(d), "; "))
		}
	}
	return printText(printable.Text(out.String()))
}

// whoSays lists the answers with their targets.
func (r *replayCommand) whoSays(d compare.Dispute) (says []string) {
	for i, answer := range d.Says {
		if answer != "" {
			says = append(says, r.Target[i]+": "+answer)
		}
	}
	return says
}

// printDifferences prints the calls that targets answered differently, side by side. Models and cores may
// differ and all be right.
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

// answerIn returns the text after the '=' of a call in the log of a run.
func answerIn(t *trace.Trace, call int, request string, run *trace.Run) string {
	if run.End != trace.Finished && call == run.Call {
		return "(" + run.End.String() + ")"
	}
	log := trace.Trace{Model: t.Model, Calls: t.Calls, Lits: t.Lits, Bytes: t.Bytes, Got: run.Answers}
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
	record.Disputes = r.disputes(c.Compared.Disputes)
	return json.NewEncoder(os.Stdout).Encode(record)
}

// disputes returns the records of the disputes that no majority settles.
func (r *replayCommand) disputes(all []compare.Dispute) (records []campaign.DisputeRecord) {
	for _, d := range all {
		if !d.Outvoted {
			records = append(records, campaign.DisputeRecord{Call: d.Call + 1, About: d.About, Says: r.whoSays(d)})
		}
	}
	return records
}

// Exit codes with the meaning that 'git bisect run' gives them.
const (
	bisectGood  = 0
	bisectBad   = 1
	bisectSkip  = 125 // this build cannot be judged
	bisectAbort = 128 // the bisection is set up wrongly and must stop
)

// bisect reports whether the target has the failure of the traces: the build is bad if a trace shows it,
// and good if none does.
func (r *replayCommand) bisect(ctx context.Context) error {
	options, err := traceSourcesFrom(r.From)
	if err != nil {
		return bisectWrong(err)
	}
	if target, _, err := r.resolve(r.Target[0]); err == nil { // else no trace can be judged
		options = sourcesFor(options, target.Model)
	}
	items, err := sources.All(r.Traces, options)
	if err != nil {
		return bisectWrong(cmp.Or(ctx.Err(), err))
	}
	undecided := false
	for _, item := range items {
		key := r.Key
		if key.IsZero() {
			key, err = trial.KeyIn(item.Trace)
		}
		var seen *trial.Sighting
		if err == nil {
			seen, err = r.sighting(ctx, item, key)
		}
		name := printable.Name(item.Name)
		switch {
		case ctx.Err() != nil:
			return bisectWrong(ctx.Err())
		case err != nil:
			fmt.Fprintf(os.Stderr, "ipafuzz: %s\n", printable.Text(err.Error()))
			fmt.Printf("%s: cannot tell\n", name)
			undecided = true
		case seen.Seen:
			fmt.Printf("%s: bad: %s\n", name, failureName(key))
			return exit.With(bisectBad)
		case seen.Undecided() != "":
			fmt.Printf("%s: cannot tell: %s\n", name, seen.Undecided())
			undecided = true
		default:
			fmt.Printf("%s: good: not seen in %s: %s\n", name, printable.Things(seen.Runs, "run"), failureName(key))
			for i := range seen.Others {
				fmt.Printf("%s: something else was seen: %s\n", name, seen.Others[i].Title())
			}
		}
	}
	if undecided {
		return exit.With(bisectSkip)
	}
	return exit.With(bisectGood)
}

func failureName(key oracle.Key) string {
	if key.IsZero() {
		return "any failure"
	}
	return key.String()
}

func bisectWrong(err error) error {
	fmt.Fprintf(os.Stderr, "ipafuzz: %s\n", printable.Text(err.Error()))
	return exit.With(bisectAbort)
}

func (r *replayCommand) sighting(ctx context.Context, item sources.Item, key oracle.Key) (*trial.Sighting, error) {
	target, file, err := r.resolve(r.Target[0])
	if err == nil {
		target, err = targets.ForModel(target, item.Trace.Model, file)
	}
	if err != nil {
		return nil, err
	}
	description, err := trial.Describe(target, r.limits())
	if err != nil {
		return nil, err
	}
	return trial.Shows(ctx, target, description, r.limits(), item.Trace, key)
}
