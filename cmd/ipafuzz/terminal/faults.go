package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
)

const (
	// screen is how many lines about faults people read. If the faults take more, each gets fewer lines.
	screen = 40
	// shortTrace is the number of calls that fit on a screen with the summary.
	shortTrace = 40
)

// writeFaults prints all faults: in full if that fits on a screen, or else in two lines each. Those under another fault
// get one line in both cases.
func writeFaults(out io.Writer, s campaign.Summary, config campaign.Config) {
	faults := s.Faults
	var full bytes.Buffer
	labels := fault.Labels(faults)
	for i := range faults {
		if faults[i].Under != "" {
			continue
		}
		name := fmt.Sprintf("Fault %s of %d", labels[i], fault.Blocks(faults))
		if faults[i].IsOpen() && len(faults) > 1 {
			name += ", if it is none of the others"
		}
		fmt.Fprintf(&full, "\n%s: %s%s\n", name, faults[i].Headline(), whose(&faults[i], config))
		writeFault(&full, &faults[i], faults, config)
		writeUnder(&full, i, faults, config)
	}
	if lines := bytes.Count(full.Bytes(), []byte{'\n'}); lines > screen && len(faults) > 1 {
		full = briefly(faults, config)
	}
	if len(s.Found) > 1 {
		fmt.Fprintf(out, "\n%s. One fault is one thing to fix, as far as experiments tell.\n", fault.Count(faults))
	}
	out.Write(full.Bytes())
	if n := unfinished(s.Found, config); n > 0 && len(faults) > 1 {
		longer := ""
		if config.Time > 0 {
			longer = " and a longer --time"
		}
		fmt.Fprintf(out, "\n%s not reduced to the end. The same command with --resume%s continues, or\n  %s\n",
			printable.Things(n, "finding"), longer, config.ContinueAll())
	}
	if len(s.Found) == 1 && len(s.Found[0].Minimal.Calls) <= shortTrace && !s.Found[0].Resumed {
		f := s.Found[0]
		fmt.Fprintf(out, "\nThe calls; '=' precedes what %s answered, 'want' what is right:\n\n%s", f.Target,
			indented(AnnotatedLog(f.Minimal, &f.Run, []oracle.Finding{f.Finding})))
	}
}

// WriteNew prints which of all faults are new, given their indices.
func WriteNew(out io.Writer, indices []int, all []fault.Fault) {
	if len(all) == 0 {
		return
	}
	text := "No fault is new."
	if len(indices) > 0 {
		var fresh []string
		labels := fault.Labels(all)
		for _, i := range indices {
			fresh = append(fresh, labels[i])
		}
		text = fmt.Sprintf("New: %s of %d.", numbered(fresh), fault.Blocks(all))
	}
	fmt.Fprintln(out, text)
}

// unfinished returns the number of findings whose reduction ended early and may go on.
func unfinished(found []*store.Finding, config campaign.Config) (n int) {
	for _, f := range found {
		if config.ContinueCommand(f) != "" {
			n++
		}
	}
	return n
}

// briefly describes every fault in two or three lines and says where to read more.
func briefly(faults []fault.Fault, config campaign.Config) bytes.Buffer {
	var out bytes.Buffer
	out.WriteByte('\n')
	labels := fault.Labels(faults)
	for i := range faults {
		f := &faults[i]
		if f.Under != "" {
			continue
		}
		simplest := f.Simplest()
		fmt.Fprintf(&out, "%3s  %s: %s%s\n     ", labels[i], f.Name, f.Headline(), whose(f, config))
		if why := f.Failure(); why != f.Headline() {
			fmt.Fprintf(&out, "%s; ", why)
		}
		calls := printable.Things(len(simplest.Minimal.Calls), "call")
		if !simplest.IsMinimal {
			calls += " (not minimal)"
		}
		fmt.Fprintf(&out, "%s, %s, %s", calls,
			printable.Things(len(f.Findings), "finding"), printable.Things(int(f.Hits()), "hit"))
		if f.KnownAs != "" {
			fmt.Fprintf(&out, ", known as %s", f.KnownAs)
		}
		if f.IsOpen() && len(faults) > 1 {
			out.WriteString(", no time to tell its cause: perhaps one of the others")
		}
		if text := others(f, faults); text != "" {
			fmt.Fprintf(&out, ", possibly the same as %s", text)
		}
		if simplest.Dir != "" {
			fmt.Fprintf(&out, ": %s", filepath.Base(simplest.Dir))
		}
		if text := ifMeant(f, config); text != "" {
			fmt.Fprintf(&out, "\n     if meant, %s", text)
		}
		out.WriteByte('\n')
		writeUnder(&out, i, faults, config)
	}
	if dir := faults[0].Simplest().Dir; dir != "" {
		fmt.Fprintf(&out, "\n  kept in   %s\n", filepath.Dir(dir))
		fmt.Fprintf(&out, "  replay    %s\n", config.ReplayCommand(faults[0].Simplest()))
		fmt.Fprintf(&out, "  report    %s\n", config.ReportCommand(filepath.Dir(filepath.Dir(dir))))
	}
	return out
}

// shownUnder is the number of faults to list under another one; the report has all.
const shownUnder = 6

func writeUnder(out io.Writer, first int, faults []fault.Fault, config campaign.Config) {
	last := first + 1
	for last < len(faults) && faults[last].Under != "" {
		last++
	}
	if last-first == 1 {
		return
	}
	fmt.Fprintf(out, "  possibly the same:\n")
	labels := fault.Labels(faults)
	for i := first + 1; i < min(last, first+1+shownUnder); i++ {
		f := &faults[i]
		simplest := f.Simplest()
		fmt.Fprintf(out, "%5s  %s: %s", labels[i], f.Name, f.Failure())
		if text := f.Headline(); text != faults[first].Headline() && text != f.Failure() {
			fmt.Fprintf(out, "; %s", text)
		}
		fmt.Fprintf(out, "; %s, %s", printable.Things(len(simplest.Minimal.Calls), "call"),
			printable.Things(int(f.Hits()), "hit"))
		if f.KnownAs != "" {
			fmt.Fprintf(out, ", known as %s", f.KnownAs)
		}
		if simplest.Dir != "" {
			fmt.Fprintf(out, ": %s", filepath.Base(simplest.Dir))
		}
		if text := ifMeant(f, config); text != "" {
			fmt.Fprintf(out, "; if meant, %s", text)
		}
		fmt.Fprintln(out)
	}
	if more := last - first - 1 - shownUnder; more > 0 {
		fmt.Fprintf(out, "       %d more are in the report\n", more)
	}
}

// writeFault prints a fault by its simplest finding.
func writeFault(out io.Writer, written *fault.Fault, all []fault.Fault, config campaign.Config) {
	f := written.Simplest()
	switch why := written.Why(); {
	case written.Cause == cause.Nothing || written.Cause == "":
		fmt.Fprintf(out, "  cause     %s\n", why)
	default:
		fmt.Fprintf(out, "  fails     %s\n", why)
	}
	fmt.Fprintf(out, "  observed  %s\n", f.Observed)
	fmt.Fprintf(out, "  expected  %s\n", f.Expected)
	fmt.Fprintf(out, "  known by  %s%s\n", f.Known, certified(&f.Finding))
	if mistake := written.Mistake(); mistake != "" {
		fmt.Fprintf(out, "  mistake   %s\n", mistake)
	}
	if evidence := written.Evidence(); evidence != "" {
		fmt.Fprintf(out, "  evidence  %s\n", evidence)
	}
	first := slices.MinFunc(written.Findings, func(a, b *store.Finding) int { return cmp.Compare(a.Elapsed, b.Elapsed) })
	fmt.Fprintf(out, "  seen      %s, first after %s (%.1f s); %s; failed in %s fresh processes\n",
		printable.Times(written.Hits()), printable.Things(int64(first.After), "trace"), first.Elapsed.Seconds(), shortened(f),
		f.Rate)
	if more := written.Symptoms(); len(more) > 0 {
		fmt.Fprintf(out, "  also      %s: %s\n", printable.Things(len(written.Findings)-1, "more finding"),
			strings.Join(more, "; "))
	}
	if text := others(written, all); text != "" {
		fmt.Fprintf(out, "  possibly  the same as %s\n", text)
	}
	if !f.MetIn.IsZero() {
		fmt.Fprintf(out, "  met       during the reduction of another finding: %s\n", f.MetIn)
	}
	if text := f.AboutHistory(store.SeveralLives(f.Minimal)); text != "" {
		fmt.Fprintf(out, "  history   %s\n", text)
	}
	if written.KnownAs != "" {
		fmt.Fprintf(out, "  known     from an earlier run as %s; there it did not fail in this way\n", written.KnownAs)
	}
	if text := ifMeant(written, config); text != "" {
		fmt.Fprintf(out, "  if meant  %s\n", text)
	}
	fmt.Fprintf(out, "  name      %s\n", written.Name)
	writeKept(out, f, config)
}

// ifMeant says what to do if the target is meant to do what the fault is, or "".
func ifMeant(f *fault.Fault, config campaign.Config) string {
	if f.Simplest().Class == oracle.Trespass {
		return "pass --no-containment; docs/targets.md says what a target may do without it"
	}
	if text := declaration(f, config); text != "" {
		return "say so in the targets file: " + text
	}
	return ""
}

// others names the faults that may be the same as one of them, beside those under it; "" if there are none.
func others(one *fault.Fault, all []fault.Fault) string {
	var labels []string
	for i, label := range fault.Labels(all) {
		if f := &all[i]; f.Target == one.Target && f.Under != one.Name && slices.Contains(one.Possibly, f.Name) {
			labels = append(labels, label)
		}
	}
	if len(labels) == 0 {
		return ""
	}
	return numbered(labels)
}

// numbered names faults by their numbers in the summary: fault 2, or faults 2, 3a and 5.
func numbered(labels []string) string {
	var text strings.Builder
	text.WriteString("fault")
	for k, label := range labels {
		switch {
		case k == 0 && len(labels) > 1:
			text.WriteString("s ")
		case k == 0:
			text.WriteString(" ")
		case k == len(labels)-1:
			text.WriteString(" and ")
		default:
			text.WriteString(", ")
		}
		text.WriteString(label)
	}
	return text.String()
}

// writeKept prints where a finding is kept and how to see it again.
func writeKept(out io.Writer, f *store.Finding, config campaign.Config) {
	switch {
	case f.Dir == "":
		fmt.Fprintf(out, "  not kept  generate the trace again: %s\n",
			config.GenCommand(config.Program, f.Cell, f.Number, f.Choice))
		return
	case f.Again:
		fmt.Fprintf(out, "  kept      from an earlier run, in %s\n", f.Dir)
	default:
		fmt.Fprintf(out, "  kept in   %s\n", f.Dir)
	}
	fmt.Fprintf(out, "  replay    %s\n", config.ReplayCommand(f))
	if command := config.ContinueCommand(f); command != "" {
		fmt.Fprintf(out, "  continue  %s\n", command)
	}
}

// whose returns the target of a fault as text if the campaign has several targets.
func whose(f *fault.Fault, config campaign.Config) string {
	if len(targetNames(config)) == 1 {
		return ""
	}
	return ", in " + f.Target
}
