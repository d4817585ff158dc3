// Fuzz-readers runs Go's fuzzer on every fuzz target of this module, in turns, and adds
// its time and its inputs to the totals in docs/measured/readers.md.
//
//	go run ./scripts/fuzz-readers [-turn 30s] [-for 1h] [-keep] [NAME...]
//
// Each turn goes to the fuzz target that had the least processor time so far. Without -for,
// every target has one turn. Names choose fuzz targets, such as FuzzParse or trace/FuzzParse.
// The fuzzer stores interesting inputs in the cache of the go command, and the next turn
// begins with them; -keep copies a few of these inputs into testdata/fuzz, where every test
// runs them.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
)

const page = "docs/measured/readers.md"

func main() {
	turn := flag.Duration("turn", 30*time.Second, "`time` of one turn")
	total := flag.Duration("for", 0, "`time` of all turns; 0: every fuzz target has one turn")
	keep := flag.Bool("keep", false, "copy some of the inputs that were found into testdata/fuzz")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := fuzz(ctx, *turn, *total, *keep, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz-readers:", err)
		os.Exit(1)
	}
}

// A fuzzer is one fuzz function of the module.
type fuzzer struct {
	module, directory string // of the package, "" and the whole path being the module itself
	function          string
	binary            string // built with the fuzzer's instrumentation; "" before the first turn
	turns             int
	failures          int // the last turns of the fuzz target that had no input, because its build failed or it crashed
	next              int // the first turn of all that it may have
}

func (f *fuzzer) name() string { return f.directory + "/" + f.function }

func fuzz(ctx context.Context, turn, total time.Duration, keep bool, wanted []string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("%w; run it in the top directory", err)
	}
	totals, err := parse(string(text))
	if err != nil {
		return err
	}
	fuzzers, err := list(wanted)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "fuzz-readers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	cache := filepath.Join(strings.TrimSpace(string(out)), "fuzz")
	var failures []error
	for begun, round := time.Now(), 0; ctx.Err() == nil; round++ {
		f := choose(fuzzers, totals, round, total == 0)
		if f == nil || total > 0 && time.Since(begun) >= total {
			break
		}
		f.turns++
		done, err := f.run(ctx, work, cache, turn)
		if err != nil && ctx.Err() == nil {
			failures = append(failures, fmt.Errorf("%s: %w", f.name(), err))
			fmt.Println(failures[len(failures)-1])
		}
		f.failed(err != nil && done.inputs == 0, round+len(fuzzers))
		sum := totals[f.name()].plus(done)
		totals[f.name()] = sum
		fmt.Printf("%s: %.0f s of processor time, %d inputs; so far %.0f s, %d inputs\n", f.name(),
			done.processor.Seconds(), done.inputs, sum.processor.Seconds(), sum.inputs)
		if err := atomicfile.Write(page, []byte(replaced(string(text), totals))); err != nil {
			return err
		}
	}
	if keep {
		for _, f := range fuzzers {
			if err := f.keep(cache); err != nil {
				return err
			}
		}
	}
	return errors.Join(failures...)
}

// mostFailures is how many turns without an input a fuzz target may have, one after the other.
const mostFailures = 3

// failed notes whether a turn had no input. If so, the next turn may end better, but the others come first.
func (f *fuzzer) failed(failed bool, next int) {
	if !failed {
		f.failures = 0
		return
	}
	f.failures++
	f.next = next
}

// choose returns the fuzz target that has the turn with the number now: the one that had the least processor
// time. If once, every target has one turn. It returns nil if none may have a turn.
func choose(fuzzers []*fuzzer, totals map[string]tally, round int, once bool) *fuzzer {
	var best *fuzzer
	order := func(a, b *fuzzer) int {
		return cmp.Or(cmp.Compare(max(a.next, round), max(b.next, round)),
			cmp.Compare(totals[a.name()].processor, totals[b.name()].processor))
	}
	for _, f := range fuzzers {
		if f.failures < mostFailures && !(once && f.turns > 0) && (best == nil || order(f, best) < 0) {
			best = f
		}
	}
	return best
}

// list returns the fuzz functions of the module that have one of the names.
func list(names []string) (fuzzers []*fuzzer, err error) {
	out, err := exec.Command("go", "list", "-f",
		"{{.Module.Path}}\t{{.Dir}}\t{{.Module.Dir}}\t"+
			"{{range .TestGoFiles}}{{.}} {{end}}{{range .XTestGoFiles}}{{.}} {{end}}",
		"./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	function := regexp.MustCompile(`(?m)^func (Fuzz\w*)\(\w+ \*testing\.F\)`)
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for file := range strings.FieldsSeq(fields[3]) {
			text, err := os.ReadFile(filepath.Join(fields[1], file))
			if err != nil {
				return nil, err
			}
			for _, match := range function.FindAllSubmatch(text, -1) {
				directory, err := filepath.Rel(fields[2], fields[1])
				if err != nil {
					return nil, err
				}
				f := &fuzzer{module: fields[0], directory: filepath.ToSlash(directory), function: string(match[1])}
				if len(names) == 0 || slices.Contains(names, f.function) || slices.Contains(names, f.name()) {
					fuzzers = append(fuzzers, f)
				}
			}
		}
	}
	if len(fuzzers) == 0 {
		return nil, fmt.Errorf("no fuzz target is called %s", strings.Join(names, " or "))
	}
	return fuzzers, nil
}

var inputsSoFar = regexp.MustCompile(`execs: (\d+)`)

// run gives the fuzzer one turn. It returns the time and the inputs of a failing turn, too.
func (f *fuzzer) run(ctx context.Context, work, cache string, turn time.Duration) (done tally, err error) {
	if f.binary == "" {
		binary := filepath.Join(work, strings.ReplaceAll(f.name(), "/", "-")+".test")
		build := exec.CommandContext(ctx, "go", "test", "-c", "-fuzz", "^"+f.function+"$", "-o", binary, "./"+f.directory)
		if said, err := build.CombinedOutput(); err != nil {
			return done, fmt.Errorf("%w\n%s", err, said)
		}
		f.binary = binary
	}
	// The fuzzer reduces a new input only briefly: a minute each would leave no time to find others.
	command := exec.CommandContext(ctx, f.binary, "-test.run", "^$", "-test.fuzz", "^"+f.function+"$",
		"-test.fuzztime", turn.String(), "-test.fuzzminimizetime", "1s",
		"-test.fuzzcachedir", filepath.Join(cache, f.module, f.directory))
	command.Dir = f.directory
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	said, err := command.CombinedOutput()
	if state := command.ProcessState; state != nil {
		done.processor = state.UserTime() + state.SystemTime()
	}
	for _, match := range inputsSoFar.FindAllSubmatch(said, -1) {
		done.inputs, _ = strconv.ParseUint(string(match[1]), 10, 64)
	}
	done.since = time.Now().UTC().Format(time.DateOnly)
	done.until = done.since
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return done, err
}

// Bounds on what is kept: thousands of inputs, or large ones, do not belong in a repository.
const mostKept, largestKept = 10, 1024

// keep copies inputs of the cache into testdata/fuzz until that has enough. The names of inputs
// are hashes, so the first ones are a sample, and the same one for everybody.
func (f *fuzzer) keep(cache string) error {
	to := filepath.Join(f.directory, "testdata", "fuzz", f.function)
	kept, err := os.ReadDir(to)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	from := filepath.Join(cache, f.module, f.directory, f.function)
	found, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	room := mostKept - len(kept)
	for _, entry := range found {
		if info, err := entry.Info(); room <= 0 || err != nil || info.Size() > largestKept {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(to, entry.Name()), text); err != nil {
			return err
		}
		room--
	}
	return nil
}
