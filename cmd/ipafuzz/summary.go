package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/oracle"
)

func announce(f *campaign.Found) string {
	return fmt.Sprintf("found %s %s: %s (trace %d, %d calls cut to %d)",
		f.Class, f.Class.Info().Name, f.Detail, f.Number, len(f.Original.Calls), len(f.Minimal.Calls))
}

func printSummary(out io.Writer, s campaign.Summary, config campaign.Config) {
	fmt.Fprintf(out, "%s traces, %s solves in %.1f s: %s traces/s, %.0f%% of the time inside the library.\n",
		count(s.Traces), count(s.Solves), s.Elapsed.Seconds(), count(uint64(s.TracesPerSecond())), share(s))
	printTally(out, s.Tally)
	for _, u := range s.Unconfirmed {
		fmt.Fprintf(out, "\nSeen but not confirmed: %s (trace %d, seed %#x); it did not happen again, neither alone nor after the traces before it.\n",
			u.Key, u.Number, u.Seed)
	}
	if len(s.Found) == 0 {
		fmt.Fprintf(out, "Nothing wrong was found in %s.\n", config.Target.Name)
		return
	}
	for i, f := range s.Found {
		fmt.Fprintf(out, "\nFinding %d of %d: %s %s (%s)\n", i+1, len(s.Found), f.Class, f.Class.Info().Name, f.Detail)
		fmt.Fprintf(out, "  observed  %s\n", f.Observed)
		fmt.Fprintf(out, "  expected  %s\n", f.Expected)
		fmt.Fprintf(out, "  known by  %s\n", f.Known)
		hits := fmt.Sprintf("%s times", count(f.Hits))
		if f.Hits == 1 {
			hits = "once"
		}
		fmt.Fprintf(out, "  seen      %s, first after %s traces (%.1f s); confirmed in a fresh process, %d calls cut to %d\n",
			hits, count(f.After), f.Elapsed.Seconds(), len(f.Original.Calls), len(f.Minimal.Calls))
		if f.History > 0 {
			fmt.Fprintf(out, "  history   it needs up to %d earlier traces in the same process; they are part of the trace\n", f.History)
		}
		if f.Dir == "" {
			continue
		}
		if f.Again {
			fmt.Fprintf(out, "  kept      from an earlier run, in %s\n", f.Dir)
		} else {
			fmt.Fprintf(out, "  kept in   %s\n", f.Dir)
		}
		fmt.Fprintf(out, "  replay    %s\n", campaign.ReplayCommand(config.Program, filepath.Join(f.Dir, "minimal.trace"), config.Target.Name))
	}
}

// printTally says how much of what was answered was really decided.
func printTally(out io.Writer, t oracle.Tally) {
	if t.Solves == 0 {
		return
	}
	fmt.Fprintf(out, "Of %s answers to solve, %.2f%% were decided, %s stayed unknown.", count(t.Solves),
		100*float64(t.Solves-t.Unknown)/float64(t.Solves), count(t.Unknown))
	fmt.Fprint(out, " Decided by:")
	for i, check := range t.Checks {
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprintf(out, " %s %s", check.Check, count(check.Decided))
	}
	fmt.Fprintln(out, ".")
}

func share(s campaign.Summary) float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return 100 * s.SolveTime.Seconds() / s.Elapsed.Seconds()
}

type summaryRecord struct {
	Target   string            `json:"target"`
	Model    string            `json:"model"`
	Seed     string            `json:"seed"`
	Stats    campaign.Stats    `json:"stats"`
	Unknown  uint64            `json:"solves_undecided"`
	Checks   map[string]uint64 `json:"decided_by"`
	Findings []findingSummary  `json:"findings"`
}

type findingSummary struct {
	Key      string `json:"key"`
	Class    string `json:"class"`
	Name     string `json:"class_name"`
	Detail   string `json:"detail"`
	Observed string `json:"observed"`
	Expected string `json:"expected"`
	Known    string `json:"known_by"`
	Number   uint64 `json:"number"`
	Seed     string `json:"seed"`
	Hits     uint64 `json:"hits"`
	After    uint64 `json:"after_traces"`
	Calls    int    `json:"minimal_calls"`
	Dir      string `json:"directory,omitempty"`
	Replay   string `json:"replay,omitempty"`
}

func jsonSummary(s campaign.Summary, config campaign.Config) summaryRecord {
	record := summaryRecord{Target: config.Target.Name, Model: config.Target.Model.Name,
		Seed: fmt.Sprintf("%#x", config.Seed), Stats: s.Stats, Unknown: s.Tally.Unknown,
		Checks: make(map[string]uint64), Findings: []findingSummary{}}
	for _, check := range s.Tally.Checks {
		record.Checks[check.Check] = check.Decided
	}
	for _, f := range s.Found {
		entry := findingSummary{Key: f.Key, Class: string(f.Class), Name: f.Class.Info().Name, Detail: f.Detail,
			Observed: f.Observed, Expected: f.Expected, Known: f.Known, Number: f.Number,
			Seed: fmt.Sprintf("%#x", f.Seed), Hits: f.Hits, After: f.After, Calls: len(f.Minimal.Calls), Dir: f.Dir}
		if f.Dir != "" {
			entry.Replay = campaign.ReplayCommand(config.Program, filepath.Join(f.Dir, "minimal.trace"), config.Target.Name)
		}
		record.Findings = append(record.Findings, entry)
	}
	return record
}
