package shrink

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// The published program shuffles, and another order of the same clauses leads both it and minimize to another
// result. So one run of each says little about a case. BenchmarkReductionExpected compares means instead.

// A sample is what one reduction needed and left.
type sample struct {
	tests, size int
	cpu         time.Duration // of all processes
}

// An expectation compares the program with minimize on the orders of a case in which both see the failure that
// they see in the file.
type expectation struct {
	publishedCase
	program, ours []sample
}

func mean(of []sample, value func(sample) float64) float64 {
	sum := 0.0
	for _, s := range of {
		sum += value(s)
	}
	return sum / float64(len(of))
}

func testsOf(s sample) float64 { return float64(s.tests) }
func sizeOf(s sample) float64  { return float64(s.size) }
func cpuOf(s sample) float64   { return s.cpu.Seconds() }

// exceeds returns by how much the mean of ours exceeds that of the program, and how many standard errors that is.
// One order alone tells nothing about the error.
func (e *expectation) exceeds(value func(sample) float64) (difference, errors float64) {
	difference = mean(e.ours, value) - mean(e.program, value)
	if difference == 0 || len(e.ours) < 2 {
		return difference, 0
	}
	variance := func(of []sample) float64 {
		m := mean(of, value)
		return mean(of, func(s sample) float64 { return (value(s) - m) * (value(s) - m) }) / float64(len(of)-1)
	}
	return difference, difference / math.Sqrt(variance(e.ours)+variance(e.program))
}

// BenchmarkReductionExpected compares the tests and results of minimize with those of the published program
// by their means over several orders of the clauses, IPAFUZZ_ORDERS or as many as are stored, for all lists or
// IPAFUZZ_LIST. It prints the cases for which the program did better.
func BenchmarkReductionExpected(b *testing.B) {
	known, program := storedRuns(b), publishedProgram(b)
	var behind []string
	for _, list := range []struct{ name, file string }{
		{"chosen-on", chosenOn}, {"others", others}, {"fresh", fresh}, {"unseen", unseen},
	} {
		if only := os.Getenv("IPAFUZZ_LIST"); only != "" && only != list.name {
			continue
		}
		b.Run(list.name, func(b *testing.B) {
			for b.Loop() {
				var expected []expectation
				for _, c := range publishedCases(b, list.file) {
					if program != nil {
						known[c.name()] = nil
					}
					if e := expect(b, c, program, known); len(e.ours) > 0 {
						expected = append(expected, e)
					}
					if program != nil {
						storeRuns(b, known) // what a long run has found stays if somebody ends it
					}
				}
				if len(expected) > 0 {
					behind = append(behind, reportExpected(b, expected, program != nil)...)
				}
			}
		})
	}
	fmt.Printf("\n%s\n", publishedTable("THE PROGRAM IS EXPECTED TO DO BETTER", expectedHead, behind))
}

// name identifies the case in programRuns.
func (c *publishedCase) name() string { return c.file + "\t" + c.target }

// expect reduces the orders of a case. It finds nothing if that is impossible here, or if the program's runs are
// not known.
func expect(b *testing.B, c publishedCase, program *program, known map[string][]*sample) (e expectation) {
	e.publishedCase = c
	var key oracle.Key
	for order := range setting(b, "IPAFUZZ_ORDERS", 8) {
		if program == nil && order >= len(known[c.name()]) {
			break
		}
		text := c.text(b, order)
		begun := usage(b)
		m, given, ok := c.reducer(b, text)
		if !ok {
			break
		}
		if order > 0 {
			m.Key = key
		}
		result, err := m.Reduce(context.Background(), given)
		ours := sample{cpu: usage(b) - begun}
		if err == nil {
			ours.tests, ours.size = result.Stats.Tests, wcnfSizeOf(result.Trace).total()
			key = result.Key
		} else if notFailing := (*NotFailingError)(nil); order == 0 || !errors.As(err, &notFailing) {
			b.Fatalf("%s on %s, order %d: %v", c.file, c.target, order, err)
		}
		if program != nil {
			known[c.name()] = append(known[c.name()], program.run(b, c, text))
		}
		if theirs := known[c.name()][order]; theirs != nil && err == nil {
			e.program, e.ours = append(e.program, *theirs), append(e.ours, ours)
		}
	}
	return e
}

// usage returns the processor time of this process and of the child processes that have ended.
func usage(b testing.TB) (total time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return total
}

// expectedHead names the columns of reportExpected behind the first one.
const expectedHead = "TARGET\tCLAUSES\tORDERS\tRUNS\tTESTS\tRATIO\tERRORS\tLEFT BY THE PROGRAM\tLEFT\tERRORS"

// reportExpected reports the means of a list and returns the rows of the cases for which the program did better.
func reportExpected(b *testing.B, expected []expectation, timed bool) (behind []string) {
	var rows []string
	var ratios, times []float64
	orders, more, surelyMore, larger, surelyLarger, smaller := 0, 0, 0, 0, 0, 0
	theirs, ours, theirTime, ourTime := 0.0, 0.0, 0.0, 0.0
	const surely = 2 // standard errors
	for i := range expected {
		e := &expected[i]
		orders += len(e.ours)
		ratio := mean(e.ours, testsOf) / mean(e.program, testsOf)
		ratios = append(ratios, ratio)
		times = append(times, mean(e.ours, cpuOf)/mean(e.program, cpuOf))
		theirs, ours = theirs+mean(e.program, sizeOf), ours+mean(e.ours, sizeOf)
		theirTime, ourTime = theirTime+mean(e.program, cpuOf), ourTime+mean(e.ours, cpuOf)
		manyTests, errorsOfTests := e.exceeds(testsOf)
		large, errorsOfSize := e.exceeds(sizeOf)
		for _, count := range []struct {
			n      *int
			counts bool
		}{
			{&more, manyTests > 0}, {&surelyMore, errorsOfTests > surely}, {&larger, large > 0},
			{&surelyLarger, errorsOfSize > surely}, {&smaller, large < 0},
		} {
			if count.counts {
				*count.n++
			}
		}
		row := fmt.Sprintf("%s\t%s\t%d\t%d\t%.1f\t%.1f\t%.2f\t%+.1f\t%.1f\t%.1f\t%+.1f", e.file, e.target, e.clauses,
			len(e.ours), mean(e.program, testsOf), mean(e.ours, testsOf), ratio, errorsOfTests,
			mean(e.program, sizeOf), mean(e.ours, sizeOf), errorsOfSize)
		rows = append(rows, row)
		if manyTests > 0 || large > 0 {
			behind = append(behind, row)
		}
	}
	fmt.Printf("\n%s\n", publishedTable("FILE", expectedHead, rows))
	n := float64(len(expected))
	b.ReportMetric(n, "cases")
	b.ReportMetric(float64(orders), "orders")
	b.ReportMetric(geometric(ratios), "tests/run-mean")
	b.ReportMetric(slices.Max(ratios), "tests/run-worst")
	b.ReportMetric(float64(more), "more-tests")
	b.ReportMetric(float64(surelyMore), "surely-more")
	b.ReportMetric(ours/n, "size")
	b.ReportMetric(theirs/n, "size-of-the-program")
	b.ReportMetric(float64(smaller), "smaller")
	b.ReportMetric(float64(larger), "larger")
	b.ReportMetric(float64(surelyLarger), "surely-larger")
	if timed {
		b.ReportMetric(ourTime/theirTime, "cpu")
		b.ReportMetric(geometric(times), "cpu-mean")
	}
	b.ReportMetric(0, "ns/op")
	return behind
}

func geometric(of []float64) float64 {
	logs := 0.0
	for _, x := range of {
		logs += math.Log(x)
	}
	return math.Exp(logs / float64(len(of)))
}
