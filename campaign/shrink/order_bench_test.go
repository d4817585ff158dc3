package shrink

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
)

// BenchmarkPassOrder reduces the same traces with the passes in different orders: the usual one, and with
// each pass moved to the front or to the end. It prints the sizes of the results and the numbers of tests.
// IPAFUZZ_DEFECTS=n takes every n-th defect.
func BenchmarkPassOrder(b *testing.B) {
	for b.Loop() {
		var sample []longFailure
		stride := setting(b, "IPAFUZZ_DEFECTS", 6)
		for _, d := range ref.PropositionalDefects() {
			if d.Number%stride == 0 && d.Class != "3.1" && d.Class != "3.2" && d.Class != "5.7" {
				sample = append(sample, longFailures(b, d, 1)...)
			}
		}
		fmt.Printf("\nOrders of passes, %d traces:\n\n%s\n", len(sample), orderTable(b, sample))
	}
	b.ReportMetric(0, "ns/op")
}

func orderTable(b *testing.B, sample []longFailure) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "pass\ttests when first\tsize\ttests when last\tsize\t")
	usual := dd.PassNames()
	tests, size := reduceInOrder(b, sample, usual)
	fmt.Fprintf(table, "(usual order)\t%.1f\t%.2f\t%.1f\t%.2f\t\n", tests, size, tests, size)
	for _, pass := range usual {
		others := slices.DeleteFunc(slices.Clone(usual), func(other string) bool { return other == pass })
		firstTests, firstSize := reduceInOrder(b, sample, append([]string{pass}, others...))
		lastTests, lastSize := reduceInOrder(b, sample, append(others, pass))
		fmt.Fprintf(table, "%s\t%.1f\t%.2f\t%.1f\t%.2f\t\n", pass, firstTests, firstSize, lastTests, lastSize)
	}
	fmt.Fprintln(table, "order\ttests\tsize\t\t\t")
	for _, o := range []struct {
		name  string
		order []string
	}{
		{"names settled last", movedLast(usual, "normal form", "polarity", "renumber", "order")},
		{"weights last", movedLast(usual, "unit weights", "common weights", "least weights")},
		{"proofs before names", movedLast(usual, "merge variables", "empty clauses", "harden", "normal form", "polarity",
			"renumber", "order")},
		{"reversed", reversed(usual)},
	} {
		tests, size := reduceInOrder(b, sample, o.order)
		fmt.Fprintf(table, "%s\t%.1f\t%.2f\t\t\t\n", o.name, tests, size)
	}
	table.Flush()
	return text.String()
}

func movedLast(names []string, last ...string) []string {
	return append(slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(last, name)
	}), last...)
}

func reversed(names []string) []string {
	backwards := slices.Clone(names)
	slices.Reverse(backwards)
	return backwards
}

// reduceInOrder returns the average number of tests and the average size of the results.
func reduceInOrder(b *testing.B, sample []longFailure, order []string) (tests, size float64) {
	for _, long := range sample {
		long.m.Order = order
		row := reduceLong(b, long, dd.Own)
		tests += float64(row.tests)
		size += float64(row.after.Calls + row.after.Literals + row.after.Variables)
	}
	n := float64(max(len(sample), 1))
	return tests / n, size / n
}
