// Command mutants compares ipafuzz with mobical, the fuzzer that CaDiCaL's authors ship, on mutants of CaDiCaL:
// versions of its current release in which one place of one line is changed. Both fuzz the same mutants with their
// default settings and the same processor time. 'make mutants' runs it after 'make current'.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	more := flag.Int("more", 10, "how many mutants to add to the page")
	baseline := flag.String("baseline", "2m", "how long ipafuzz fuzzes the unchanged release first, to know its faults")
	again := flag.Bool("again", false, "only run ipafuzz again on the mutants that were found, and print the results")
	with := flag.String("with", "", "more arguments of ipafuzz for -again")
	flag.Parse()
	do := func() error { return compare(*more, *baseline) }
	if *again {
		do = func() error { return repeat(*baseline, strings.Fields(*with)) }
	}
	if err := do(); err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(3)
	}
}

// unchanged is the folder of the release without a change.
const unchanged = "unchanged"

func compare(more int, baseline string) error {
	all, err := readLedger()
	if err != nil {
		return err
	}
	w, err := newWorkshop("build")
	if err != nil {
		return err
	}
	list, err := mutants(w.sources)
	if err != nil {
		return err
	}
	contenders, err := w.contenders(baseline)
	if err != nil {
		return err
	}
	for i := 0; more > 0; i++ {
		if i == len(list) {
			return errors.New("there are no more mutants")
		}
		m := &list[i]
		if all.has(m) {
			continue
		}
		r := result{Mutant: *m}
		switch err := w.mutate(m); {
		case errors.Is(err, errSame):
			r.Same = true
		case err != nil:
			return err
		default:
			if r.Fights, err = fightAll(contenders, w.path("mutant"), uint64(i)+1); err != nil {
				return fmt.Errorf("%s: %w", m.id(), err)
			}
			fmt.Println(r.row())
			more--
		}
		if err := all.add(r); err != nil {
			return err
		}
	}
	return nil
}

// repeat runs ipafuzz again on the mutants that a fuzzer found. The ledger stays as it is: its results belong together.
func repeat(baseline string, with []string) error {
	all, err := readLedger()
	if err != nil {
		return err
	}
	w, err := newWorkshop("build")
	if err != nil {
		return err
	}
	contenders, err := w.contenders(baseline)
	if err != nil {
		return err
	}
	ipafuzz := contenders[0]
	fuzz := ipafuzz.fuzz
	ipafuzz.fuzz = func(folder, into string, seed uint64) *exec.Cmd {
		command := fuzz(folder, into, seed)
		command.Args = append(command.Args, with...)
		return command
	}
	found, seconds := 0, 0.0
	for i := range all.Results {
		r := &all.Results[i]
		if before := r.Fights; !before["ipafuzz"].Found && !before["mobical"].Found {
			continue
		}
		if err := w.mutate(&r.Mutant); err != nil {
			return err
		}
		fought, err := ipafuzz.fight(w.path("mutant"), uint64(i)+1)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Mutant.id(), err)
		}
		if fought.Found {
			found++
		}
		seconds += fought.Seconds
		fmt.Printf("%s now %.1f s, found %v, others %d\n", r.row(), fought.Seconds, fought.Found, fought.Others)
	}
	fmt.Printf("found %d in %.1f s\n", found, seconds)
	return nil
}

// contenders returns the two fuzzers. It first fuzzes the unchanged release with ipafuzz, whose faults are then known.
func (w *workshop) contenders(baseline string) ([]*contender, error) {
	const program = "build/ipafuzz"
	if err := w.run("go", "build", "-o", program, "./cmd/ipafuzz"); err != nil {
		return nil, err
	}
	for _, folder := range []string{unchanged, "mutant"} {
		if err := os.MkdirAll(w.path(folder), 0o755); err != nil {
			return nil, err
		}
		text := "[targets.cadical]\npath = \"cadical.so\"\nmodel = \"ipasir+cadical\"\n"
		if err := os.WriteFile(filepath.Join(w.path(folder), "targets.toml"), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	target := func(folder string) []string {
		return []string{"--target", "cadical", "--targets-file", filepath.Join(folder, "targets.toml")}
	}
	known := w.path("known")
	if _, err := os.Stat(known); err != nil {
		args := append([]string{"fuzz", "--time", baseline, "--seed", "1", "--out", known}, target(w.path(unchanged))...)
		if err := exec.Command(program, args...).Run(); exitCode(err) > 1 {
			return nil, fmt.Errorf("%s with the unchanged release: %w", program, err)
		}
	}
	ipafuzz := &contender{name: "ipafuzz",
		failures: []string{"out/findings/*/original.trace", "out/findings/*/minimal.trace"},
		fuzz: func(folder, into string, seed uint64) *exec.Cmd {
			args := append([]string{"fuzz", "--known", known, "--workers", "1", "--seed", strconv.FormatUint(seed, 10),
				"--out", filepath.Join(into, "out")}, target(folder)...)
			return exec.Command(program, args...)
		},
		passes: func(file string) (bool, error) {
			command := exec.Command(program, append([]string{"replay", file}, target(w.path(unchanged))...)...)
			return passed(command)
		}}
	fuzzer, err := filepath.Abs(filepath.Join(w.path(unchanged), "mobical"))
	if err != nil {
		return nil, err
	}
	mobical := &contender{name: "mobical", failures: []string{"bug-*.trace", "red-*.trace"},
		fuzz: func(folder, into string, seed uint64) *exec.Cmd {
			mutated, err := filepath.Abs(filepath.Join(folder, "mobical"))
			command := exec.Command(mutated, "--quiet", "--do-not-ignore-resource-limits", "-L", "1000000000",
				strconv.FormatUint(seed, 10))
			command.Dir, command.Err = into, errors.Join(command.Err, err)
			return command
		},
		passes: func(file string) (bool, error) { return passed(exec.Command(fuzzer, "--quiet", file)) }}
	return []*contender{ipafuzz, mobical}, nil
}

// passed runs a command that replays a trace, and reports whether it ends with 0.
func passed(command *exec.Cmd) (bool, error) {
	err := command.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return false, err
	}
	return err == nil, nil
}

// exitCode returns the exit code of a command, or that of a failure if it did not run.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return exit.ExitCode()
	}
	return 3
}
