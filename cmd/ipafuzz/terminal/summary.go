package terminal

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

const (
	// shownInFull is the number of unconfirmed failures to print; the directory has all of them.
	shownInFull = 8
	// shownDisputes is the number of disagreements to print; the directory has more.
	shownDisputes = 4
	// shownKnown is the number of known faults to list.
	shownKnown = 5
)

// WriteSummary prints how a campaign ended: what ran and what was decided, in a few lines, then the faults, then what
// else concerns the result. The report has the rest, such as where the time went. failed reports that ipafuzz or its
// environment failed; the error follows the summary.
func WriteSummary(out io.Writer, s campaign.Summary, config campaign.Config, failed bool) {
	fmt.Fprintf(out, "%s, %s in %.1f s: %s traces/s, %.0f%% of the time inside the library.\n",
		printable.Things(int64(s.Traces), "trace"), printable.Things(int64(s.Solves), "solve"), s.Elapsed.Seconds(),
		printable.Count(s.TracesPerSecond()), share(s, config.Workers))
	if s.Compared > 0 {
		fmt.Fprintf(out, "All targets answered %s; in %s of them they agree.\n", printable.Things(s.Compared, "solve"),
			printable.Count(s.Agreed))
	}
	writeTally(out, s.Tally)
	if len(s.Found) > 0 {
		writeFaults(out, s, config)
	}
	writeUnconfirmed(out, s, config)
	writeDisagreements(out, s)
	writeGeneratorFaults(out, s)
	writeLearned(out, s)
	writeKnown(out, s, config)
	writeTables(out, s, config)
	writeReserved(out, s)
	for _, line := range s.SlowSolves() {
		fmt.Fprintf(out, "\n%s\n", line)
	}
	if s.EndedBy != "" {
		fmt.Fprintf(out, "\nA target ended the run: %s.\n", s.EndedBy)
	}
	if s.Disturbed != "" {
		fmt.Fprintf(out, "\nNo success: %s.\n", s.Disturbed)
	}
	writeVerdict(out, s, config, failed)
}

// writeVerdict says that there are no faults, unless there are, and what stayed unchecked.
func writeVerdict(out io.Writer, s campaign.Summary, config campaign.Config, failed bool) {
	names, open := strings.Join(targetNames(config), ", "), unchecked.Text(s.Unchecked())
	none := func(what, but string) { fmt.Fprintln(out, strings.TrimSuffix("\n"+what+" "+names+but+". "+open, " ")) }
	switch {
	case len(s.Found) > 0: // printed above
		if open != "" {
			fmt.Fprintf(out, "\n%s\n", open)
		}
	case failed && s.Stats.Traces > 0:
		none("No fault was found in", ", but the run failed before its end")
	case len(s.Known) > 0:
		none("Nothing new was found in", "")
	case open != "":
		none("No fault was found in", "")
	case failed:
	default:
		fmt.Fprintf(out, "Nothing wrong was found in %s.\n", names)
	}
}

// shortened compares the lengths of the original and the minimal trace.
func shortened(f *store.Finding) string {
	original, minimal := len(f.Original.Calls), len(f.Minimal.Calls)
	if f.History > 0 { // the minimal trace includes the earlier traces that it needs
		return fmt.Sprintf("%s; with %s of the same process, reduced to %s",
			printable.Things(original, "call"), printable.Things(f.History, "earlier trace"), printable.Count(minimal))
	}
	if original == minimal {
		return printable.Things(minimal, "call")
	}
	return fmt.Sprintf("%s reduced to %d", printable.Things(original, "call"), minimal)
}

// certified says how the expected answer was proved.
func certified(f *oracle.Finding) string {
	switch {
	case f.Certificate != nil:
		return "; certified: the proof is in certificate.lrat"
	case f.Certified:
		return "; certified by a checked solution"
	}
	return ""
}

// targetNames lists the fuzzed targets, then their rivals.
func targetNames(config campaign.Config) []string {
	return append(config.Fuzzed(), config.ComparedWith()...)
}

// Fuzzed names the targets of a campaign.
func Fuzzed(config campaign.Config) string {
	return strings.Join(append([]string{strings.Join(config.Fuzzed(), ", ")}, config.ComparedWith()...), " beside ")
}

// Models names the API models of a campaign.
func Models(config campaign.Config) string {
	var names []string
	for _, cell := range config.Cells {
		if name := cell.Target.Model.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// writeTally prints how many answers were decided, and by which checks.
func writeTally(out io.Writer, t oracle.Tally) {
	if t.Solves == 0 {
		return
	}
	open := t.Unchecked.Answers()
	percent := func(part uint64) float64 { return math.Floor(1e4*float64(part)/float64(t.Solves)) / 100 } // 99.99, not 100
	fmt.Fprintf(out, "Of %s to solve, %.2f%% were decided, %s are unchecked; "+
		"%.2f%% are certified by a checked proof.",
		printable.Things(t.Solves, "answer"), percent(t.Solves-open), printable.Count(open), percent(t.Certified))
	var decided []string
	for _, check := range t.Checks {
		if check.Decided > 0 {
			decided = append(decided, check.Check+" "+printable.Count(check.Decided))
		}
	}
	if len(decided) > 0 {
		fmt.Fprintf(out, " Decided by: %s.", strings.Join(decided, ", "))
	}
	fmt.Fprintln(out)
}

// share returns the part of the workers' time inside the library, in percent. A worker's side lanes may be
// inside while its lane is, too.
func share(s campaign.Summary, workers int) float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return min(100, 100*s.Library.Seconds()/(s.Elapsed.Seconds()*float64(max(workers, 1))))
}

func writeUnconfirmed(out io.Writer, s campaign.Summary, config campaign.Config) {
	var failed, hard []*store.Unconfirmed
	for i := range s.Unconfirmed {
		if u := &s.Unconfirmed[i]; u.Hard {
			hard = append(hard, u)
		} else {
			failed = append(failed, u)
		}
	}
	if len(failed) > 0 {
		fmt.Fprintf(out, "\n%s seen but not confirmed:\n", printable.Things(len(failed), "failure"))
		writeUnfinished(out, failed, config)
	}
	if len(hard) > 0 {
		fmt.Fprintf(out, "\n%s met a time limit on a problem that may be hard; this does not count as a failure:\n",
			printable.Things(len(hard), "trace"))
		writeUnfinished(out, hard, config)
	}
	if s.Beyond > 0 {
		fmt.Fprintf(out, "\nThere are too many different failures: %s ignored.\n", printable.Things(s.Beyond, "more failure"))
	}
}

// writeUnfinished prints traces that made no finding, why they did not, and how to run them again.
func writeUnfinished(out io.Writer, traces []*store.Unconfirmed, config campaign.Config) {
	for _, u := range traces[:min(len(traces), shownInFull)] {
		fmt.Fprintf(out, "  %s (trace %d, seed %#x); %s\n", u.Key, u.Number, u.Seed, u.Reason())
		if command := config.ReplayUnconfirmed(u); command != "" {
			fmt.Fprintf(out, "    replay  %s\n", command)
		}
	}
	if more := len(traces) - shownInFull; more > 0 {
		fmt.Fprintf(out, "  %d more are in %s\n", more, filepath.Join(config.Out, "unconfirmed"))
	}
}

func writeDisagreements(out io.Writer, s campaign.Summary) {
	if s.Disputed == 0 {
		return
	}
	fmt.Fprintf(out, "\nThe targets disagree about %s, and nothing proves which is right; "+
		"these are not findings:\n", printable.Things(s.Disputed, "answer"))
	for _, d := range s.Disagreements[:min(len(s.Disagreements), shownDisputes)] {
		fmt.Fprintf(out, "  trace %d, call %d, %s: %s\n", d.Number, d.Call+1, d.About, strings.Join(d.Says, "; "))
		if d.Dir != "" {
			fmt.Fprintf(out, "    kept in %s\n", d.Dir)
		}
	}
}

// writeGeneratorFaults prints how an external generator failed.
func writeGeneratorFaults(out io.Writer, s campaign.Summary) {
	f := &s.Generator
	if f.Numbers == 0 {
		return
	}
	fmt.Fprintf(out, "\nThe generator made no trace for %s; these are its own faults, not findings:\n",
		printable.Things(f.Numbers, "number"))
	for _, first := range f.First {
		fmt.Fprintf(out, "  %s, %s; the first: '%s' %s\n",
			first.Reason, printable.Times(f.By[first.Reason]), first.Command, first.Detail)
	}
}

// writeLearned prints which features known faults need, and how often traces that avoid all the faults fail.
func writeLearned(out io.Writer, s campaign.Summary) {
	for _, row := range s.WithAndWithout() {
		if !row.Supported() {
			continue
		}
		faults := "Faults"
		if row.Others() {
			faults = "Some faults"
		}
		fmt.Fprintf(out, "\n%s of %s need %s. Of the %s that avoid these faults, %s failed; of those that avoid nothing, "+
			"%s.\n", faults, row.Target, row.Needs(), printable.Things(row.Without.Traces, "trace"), row.Without.Share(),
			row.With.Share())
	}
	var filtered uint64
	for i := range s.Cells {
		filtered += s.Cells[i].Filtered
	}
	if filtered > 0 {
		fmt.Fprintf(out, "Not run, because of features to avoid: %s.\n", printable.Things(filtered, "trace"))
	}
}

// writeTables prints which targets cannot run traces with large variables.
func writeTables(out io.Writer, s campaign.Summary, config campaign.Config) {
	for _, target := range slices.Sorted(maps.Keys(s.Tables)) {
		bytes := s.Tables[target]
		if bytes == 0 {
			fmt.Fprintf(out, "\n%s says that it gets no memory if a trace has a variable near 2^31, and does not if the same "+
				"variables are numbered from 1; that is not counted as a failure.\n", target)
			continue
		}
		fmt.Fprintf(out, "\nThe tables of %s grow with the largest variable of a trace, by %.0f bytes for each. "+
			"Above variable %s they exceed the memory limit; that is not counted as a failure.\n", target, bytes,
			printable.Count(float64(config.Limits.Memory)/bytes))
	}
}

// writeReserved prints which targets died in traces for which they reserve much address space.
func writeReserved(out io.Writer, s campaign.Summary) {
	for _, target := range slices.Sorted(maps.Keys(s.Reserved)) {
		fmt.Fprintf(out, "\n%s reserves %.0f bytes of address space for each variable up to the largest of a trace, and "+
			"died in a trace with a large one. It may not check whether it got the memory.\n", target, s.Reserved[target])
	}
}

// writeKnown prints which faults of earlier runs were seen again, those with the most hits first. A finding
// whose fault has no name counts as a fault.
func writeKnown(out io.Writer, s campaign.Summary, config campaign.Config) {
	if len(s.Known) == 0 {
		return
	}
	hits, says := config.KnownFaults(s.Known), make(map[string]string)
	least := make(map[string]int) // the least needs of a failure; that failure describes the fault
	for _, key := range slices.SortedFunc(maps.Keys(s.Known), oracle.Key.Compare) {
		known := config.Known[key]
		if len(known) == 0 || known[0].Fault == "" {
			hits[key.String()] = s.Known[key]
			continue
		}
		name, needs := known[0].Fault, len(known[0].Cause().Needs())
		if before, isKnown := least[name]; isKnown && before <= needs {
			continue
		}
		least[name], says[name] = needs, ": "+key.String()
		if normal := cmp.Or(known[0].Normal, known[0].Minimal); normal != nil && needs > 0 {
			says[name] = ": " + known[0].Cause().Sentence(normal)
		}
	}
	counts := fault.Counts(len(hits), len(s.Known))
	if len(says) == 0 { // the earlier runs did not name faults
		counts = printable.Things(len(s.Known), "finding")
	}
	fmt.Fprintf(out, "\nKnown from earlier runs, seen again and only counted: %s\n", counts)
	names := slices.SortedFunc(maps.Keys(hits), func(a, b string) int {
		return cmp.Or(cmp.Compare(hits[b], hits[a]), strings.Compare(a, b))
	})
	for _, name := range names[:min(len(names), shownKnown)] {
		fmt.Fprintf(out, "  %s: %s%s\n", printable.Times(hits[name]), name, says[name])
	}
	if more := len(names) - shownKnown; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}
