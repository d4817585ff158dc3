package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
)

// A result is what became of a mutant.
type result struct {
	Mutant mutant
	Same   bool             `json:",omitempty"` // it has the same machine code, or none
	Fights map[string]fight `json:",omitempty"` // by contender
}

func (r *result) row() string {
	found := func(name string) string {
		if f := r.Fights[name]; f.Found {
			return fmt.Sprintf("%.1f s", f.Seconds)
		}
		return "–"
	}
	changed := func(line string) string {
		return "`" + strings.ReplaceAll(strings.TrimSpace(line), "|", `\|`) + "`"
	}
	return fmt.Sprintf("| %s:%d | %s | %s | %s | %s |", r.Mutant.File, r.Mutant.Line, r.Mutant.Operator,
		changed(r.Mutant.Was), found("ipafuzz"), found("mobical"))
}

// A ledger has the results of all runs for one release.
type ledger struct {
	Release string
	Results []result
}

const (
	ledgerFile = "docs/measured/mutants.json"
	page       = "docs/measured/mutants.md"
)

func readLedger() (*ledger, error) {
	all := &ledger{Release: release}
	text, err := os.ReadFile(ledgerFile)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(text, all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ledgerFile, err)
	}
	if all.Release != release {
		return &ledger{Release: release}, nil // another release has other mutants
	}
	return all, nil
}

func (all *ledger) has(m *mutant) bool {
	return slices.ContainsFunc(all.Results, func(r result) bool { return r.Mutant.id() == m.id() })
}

// add stores a result and writes the page.
func (all *ledger) add(r result) error {
	all.Results = append(all.Results, r)
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(ledgerFile, append(text, '\n')); err != nil {
		return err
	}
	return all.writePage()
}

func (all *ledger) writePage() error {
	read, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, _, ok := strings.Cut(string(read), begin)
	_, after, closed := strings.Cut(string(read), end)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the table", page)
	}
	return atomicfile.Write(page, []byte(before+begin+"\n"+all.table()+"\n"+end+after))
}

const begin, end = "<!-- begin mutants -->", "<!-- end mutants -->"

// table returns the sums and a row for each mutant that a fuzzer found.
func (all *ledger) table() string {
	var text strings.Builder
	both, one, other, none, same := 0, 0, 0, 0, 0
	var rows []string
	var spent, theirs []float64 // until both had found a mutant
	for i := range all.Results {
		r := &all.Results[i]
		ours, them := r.Fights["ipafuzz"], r.Fights["mobical"]
		switch {
		case r.Same:
			same++
			continue
		case ours.Found && them.Found:
			both++
			spent, theirs = append(spent, ours.Seconds), append(theirs, them.Seconds)
		case ours.Found:
			one++
		case them.Found:
			other++
		default:
			none++
			continue
		}
		rows = append(rows, r.row())
	}
	fmt.Fprintf(&text, "| mutants of %s | ipafuzz | mobical |\n|---|--:|--:|\n", all.Release)
	fmt.Fprintf(&text, "| found, of %d | %d | %d |\n", both+one+other+none, both+one, both+other)
	fmt.Fprintf(&text, "| found by this fuzzer alone | %d | %d |\n", one, other)
	fmt.Fprintf(&text, "| processor time for the %d that both found | %.1f s | %.1f s |\n", both, sum(spent), sum(theirs))
	fmt.Fprintf(&text, "| the median of these | %.1f s | %.1f s |\n\n", median(spent), median(theirs))
	fmt.Fprintf(&text, "Neither found %d. Another %d had the same machine code as the release, or did not compile.\n\n",
		none, same)
	text.WriteString("| place | change | line before | ipafuzz | mobical |\n|---|---|---|--:|--:|\n")
	slices.Sort(rows)
	return text.String() + strings.Join(rows, "\n") + "\n"
}

func sum(numbers []float64) (total float64) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// median returns the middle number, or 0 of none.
func median(numbers []float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(numbers))[len(numbers)/2]
}
