package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/oracle"
)

const (
	// shownInFull is how many findings a person looks through; one bug of the
	// library often makes dozens.
	shownInFull = 8
	// shortTrace is how many calls fit on a screen with the summary.
	shortTrace = 40
)

// worstFirst puts what deserves attention first: the worst class, then the
// shortest trace.
func worstFirst(found []*campaign.Found) {
	slices.SortStableFunc(found, func(a, b *campaign.Found) int {
		return cmp.Or(cmp.Compare(b.Class.Severity(), a.Class.Severity()),
			cmp.Compare(len(a.Minimal.Calls), len(b.Minimal.Calls)), cmp.Compare(a.Number, b.Number))
	})
}

func announce(f *campaign.Found) string {
	return fmt.Sprintf("found %s (trace %d, %s)", faultTitle(&f.Finding), f.Number, shortened(f))
}

// shortened says how long the trace was and is.
func shortened(f *campaign.Found) string {
	was, is := len(f.Original.Calls), len(f.Minimal.Calls)
	if f.History > 0 { // the minimal trace holds what is needed of the earlier ones too
		traces := "trace"
		if f.History > 1 {
			traces = "traces"
		}
		return fmt.Sprintf("%s calls, with %d earlier %s of the same process: %s", count(uint64(was)), f.History, traces, count(uint64(is)))
	}
	if was == is {
		return fmt.Sprintf("%d calls", is)
	}
	return fmt.Sprintf("%d calls reduced to %d", was, is)
}

func printSummary(out *bytes.Buffer, s campaign.Summary, config campaign.Config) {
	fmt.Fprintf(out, "%s traces, %s solves in %.1f s: %s traces/s, %.0f%% of the time inside the library.\n",
		count(s.Traces), count(s.Solves), s.Elapsed.Seconds(), count(uint64(s.TracesPerSecond())), share(s))
	printTally(out, s.Tally)
	for _, u := range s.Unconfirmed {
		why := "it did not happen again, neither alone nor after the traces before it"
		if u.Why != "" {
			why = u.Why
		}
		if u.CutShort {
			why = "the run ended before it was confirmed"
		}
		fmt.Fprintf(out, "\nSeen but not confirmed: %s (trace %d, seed %#x); %s.\n", u.Key, u.Number, u.Seed, why)
	}
	if s.Beyond > 0 {
		fmt.Fprintf(out, "\n%s failures more were seen and not looked at: there are too many different ones.\n", count(s.Beyond))
	}
	printDisagreements(out, s)
	printGeneratorFaults(out, s)
	printLearned(out, s)
	printKnown(out, s)
	if len(s.Found) == 0 && s.Stats.Traces == 0 {
		if s.Faults.Numbers == 0 {
			fmt.Fprintln(out, "Nothing was looked at: the run ended before its first trace did.")
		}
		return
	}
	if len(s.Found) == 0 {
		fmt.Fprintf(out, "Nothing wrong was found in %s.\n", strings.Join(targetNames(config), ", "))
		return
	}
	for i, f := range s.Found[:min(len(s.Found), shownInFull)] {
		fmt.Fprintf(out, "\nFinding %d of %d: %s%s\n", i+1, len(s.Found), faultTitle(&f.Finding), whose(f, config))
		printFound(out, f, config)
	}
	if more := len(s.Found) - shownInFull; more > 0 {
		fmt.Fprintf(out, "\n%d more, not worse than these, are in %s; often many findings are one bug.\n", more, filepath.Join(config.Out, "findings"))
	}
	if len(s.Found) == 1 && len(s.Found[0].Minimal.Calls) <= shortTrace && !s.Found[0].Resumed {
		f := s.Found[0]
		fmt.Fprintf(out, "\nThe calls, with the answers that %s gave behind '=':\n\n%s", f.Target,
			indented(annotatedLog(f.Minimal, &f.Run, []oracle.Finding{f.Finding})))
	}
}

func printFound(out io.Writer, f *campaign.Found, config campaign.Config) {
	fmt.Fprintf(out, "  observed  %s\n", f.Observed)
	fmt.Fprintf(out, "  expected  %s\n", f.Expected)
	fmt.Fprintf(out, "  known by  %s%s\n", f.Known, certified(&f.Finding))
	hits := fmt.Sprintf("%s times", count(f.Hits))
	if f.Hits == 1 {
		hits = "once"
	}
	fmt.Fprintf(out, "  seen      %s, first after %s traces (%.1f s); %s; failed in %s fresh processes\n",
		hits, count(f.After), f.Elapsed.Seconds(), shortened(f), f.Rate)
	if f.MetIn != "" {
		fmt.Fprintf(out, "  met       while the trace of another finding was reduced: %s\n", f.MetIn)
	}
	if f.History > 0 {
		fmt.Fprintf(out, "  history   it needs up to %d earlier traces in the same process; they are part of the trace\n", f.History)
	}
	if f.Dir == "" {
		fmt.Fprintf(out, "  not kept  its trace is made again by: %s\n", config.GenCommand(config.Program, f.Cell, f.Number, f.Without))
		return
	}
	if f.Again {
		fmt.Fprintf(out, "  kept      from an earlier run, in %s\n", f.Dir)
	} else {
		fmt.Fprintf(out, "  kept in   %s\n", f.Dir)
	}
	fmt.Fprintf(out, "  replay    %s\n", campaign.ReplayCommand(config.Program, config.TargetsFile, config.Limits, filepath.Join(f.Dir, "minimal.trace"), f.ReplayTargets(config.Compared(f.Cell))...))
}

// targetNames are the names of all targets, those that are fuzzed first.
func targetNames(config campaign.Config) []string {
	return append(config.Fuzzed(), config.ComparedWith()...)
}

// fuzzed names the targets for a person.
func fuzzed(config campaign.Config) string {
	return strings.Join(append([]string{strings.Join(config.Fuzzed(), ", ")}, config.ComparedWith()...), " beside ")
}

func models(config campaign.Config) string {
	var names []string
	for _, cell := range config.Cells {
		if name := cell.Target.Model.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// whose says which target a finding is about, where there are several.
func whose(f *campaign.Found, config campaign.Config) string {
	if len(targetNames(config)) == 1 {
		return ""
	}
	return ", in " + f.Target
}

// shownDisputes is how many disagreements are shown; the directory has more.
const shownDisputes = 4

func printDisagreements(out io.Writer, s campaign.Summary) {
	if s.Disputed == 0 {
		return
	}
	fmt.Fprintf(out, "\nThe targets disagree about %s answers, and nothing proves who is right; these are no findings:\n", count(s.Disputed))
	for _, d := range s.Disagreements[:min(len(s.Disagreements), shownDisputes)] {
		fmt.Fprintf(out, "  trace %d, call %d, %s: %s\n", d.Number, d.Call+1, d.About, strings.Join(d.Says, "; "))
		if d.Dir != "" {
			fmt.Fprintf(out, "    kept in %s\n", d.Dir)
		}
	}
}

// printGeneratorFaults says what another program did not do that was to make the
// traces.
func printGeneratorFaults(out io.Writer, s campaign.Summary) {
	f := &s.Faults
	if f.Numbers == 0 {
		return
	}
	fmt.Fprintf(out, "\nThe generator made no trace for %s numbers; these are its own faults, and no findings:\n", count(f.Numbers))
	for _, first := range f.First {
		fmt.Fprintf(out, "  %s, %s times; the first: '%s' %s\n", first.Reason, count(f.By[first.Reason]), first.Command, first.Detail)
	}
}

// printLearned says what known faults need, and what traces without it showed.
func printLearned(out io.Writer, s campaign.Summary) {
	for _, row := range s.WithAndWithout() {
		fmt.Fprintf(out, "\nOf %s, faults need %s. %s traces were made without: %s of them failed, with it %s.\n", row.Target, row.Needs(),
			count(row.Without.Traces), row.Without.Share(), row.With.Share())
	}
	var filtered uint64
	for i := range s.Cells {
		filtered += s.Cells[i].Filtered
	}
	if filtered > 0 {
		fmt.Fprintf(out, "%s traces were not run, since they had what was to be avoided.\n", count(filtered))
	}
}

// shownKnown is how many known faults are listed.
const shownKnown = 5

// printKnown says which findings of earlier runs were seen again.
func printKnown(out io.Writer, s campaign.Summary) {
	if len(s.Known) == 0 {
		return
	}
	fmt.Fprintf(out, "\nSeen again, of findings of earlier runs, and only counted: %d\n", len(s.Known))
	keys := slices.SortedFunc(maps.Keys(s.Known), func(a, b string) int { return cmp.Or(cmp.Compare(s.Known[b], s.Known[a]), cmp.Compare(a, b)) })
	for _, key := range keys[:min(len(keys), shownKnown)] {
		fmt.Fprintf(out, "  %s times: %s\n", count(s.Known[key]), key)
	}
	if more := len(keys) - shownKnown; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

// certified says how sure what is expected is.
func certified(f *oracle.Finding) string {
	switch {
	case f.Certificate != nil:
		return "; certified: the proof is in certificate.lrat"
	case f.Certified:
		return "; certified by a solution that was checked"
	}
	return ""
}

// printTally says how much of what was answered was really decided.
func printTally(out io.Writer, t oracle.Tally) {
	if t.Solves == 0 {
		return
	}
	fmt.Fprintf(out, "Of %s answers to solve, %.2f%% were decided, %s stayed unknown; %.2f%% are certified by a checked proof.", count(t.Solves),
		100*float64(t.Solves-t.Unknown)/float64(t.Solves), count(t.Unknown), 100*float64(t.Certified)/float64(t.Solves))
	var decided []string
	for _, check := range t.Checks {
		if check.Decided > 0 {
			decided = append(decided, check.Check+" "+count(check.Decided))
		}
	}
	if len(decided) > 0 {
		fmt.Fprintf(out, " Decided by: %s.", strings.Join(decided, ", "))
	}
	fmt.Fprintln(out)
}

func share(s campaign.Summary) float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return 100 * s.SolveTime.Seconds() / s.Elapsed.Seconds()
}
