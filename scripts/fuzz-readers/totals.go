package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A tally is how much was fuzzed, and between which days.
type tally struct {
	processor    time.Duration
	inputs       uint64
	since, until string // as 2006-01-02, "" for never
}

func (t tally) plus(other tally) tally {
	t.processor += other.processor
	t.inputs += other.inputs
	if t.since == "" || other.since != "" && other.since < t.since {
		t.since = other.since
	}
	t.until = max(t.until, other.until)
	return t
}

const head = "| package | fuzz target | processor time | inputs | since | until |\n|---|---|--:|--:|---|---|\n"

// table splits a page into its table of totals and what is around it.
func table(page string) (before, rows, after string, ok bool) {
	before, rest, ok := strings.Cut(page, head)
	end := 0
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		end += len(line)
	}
	return before, rest[:end], rest[end:], ok
}

func parse(page string) (map[string]tally, error) {
	_, rows, _, ok := table(page)
	if !ok {
		return nil, fmt.Errorf("the page has no table that begins with\n%s", head)
	}
	totals := make(map[string]tally)
	for line := range strings.Lines(rows) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 6 {
			return nil, fmt.Errorf("a row of the totals has %d columns, want 6: %s", len(cells), line)
		}
		seconds, err := strconv.ParseUint(strings.TrimSuffix(digits(cells[2]), " s"), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("processor time of %s: %w", cells[1], err)
		}
		inputs, err := strconv.ParseUint(digits(cells[3]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("inputs of %s: %w", cells[1], err)
		}
		totals[strings.Trim(cells[0], "`")+"/"+cells[1]] = tally{time.Duration(seconds) * time.Second, inputs, cells[4],
			cells[5]}
	}
	return totals, nil
}

func replaced(page string, totals map[string]tally) string {
	before, _, after, _ := table(page)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(totals)) {
		slash, total := strings.LastIndexByte(name, '/'), totals[name]
		fmt.Fprintf(&text, "| `%s` | %s | %s s | %s | %s | %s |\n", name[:slash], name[slash+1:],
			grouped(uint64(total.processor.Round(time.Second)/time.Second)), grouped(total.inputs), total.since, total.until)
	}
	return before + head + text.String() + after
}

// grouped prints a number with a comma before every third digit; digits is the opposite.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func digits(text string) string { return strings.ReplaceAll(text, ",", "") }
