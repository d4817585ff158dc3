package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/cexternal/bugs"
)

// segfault is the class of findings that have no message, and a stack that the compiler shapes.
const segfault = "1.5"

// A finding is one of 'replay --json'.
type finding struct{ Class, Detail, Observed string }

// A run is what one replay printed.
type run struct {
	Log       string
	Findings  []finding
	Unchecked []struct{ Reason string }
}

// Results are several replays of a row in one version.
type results struct {
	runs []run
	why  string // why there are none
}

// replay runs the command of a row at a place.
func replay(row *bugs.Row, place bugs.Place, count int) *results {
	all := new(results)
	if place.Target == "" {
		all.why = place.Why
		return all
	}
	environment, err := with(place.Package)
	for tries := count; err == nil && len(all.runs) < tries; {
		var one run
		if one, err = once(row, place, environment); err == nil {
			all.runs = append(all.runs, one)
		}
		if len(all.runs) == count && all.differ(row.Classes()) {
			tries = 4 * count
		}
	}
	if err != nil {
		all.runs, all.why = nil, brief(err.Error())
	}
	return all
}

// once runs the command of a row once.
func once(row *bugs.Row, place bugs.Place, environment []string) (one run, err error) {
	file := "cexternal/" + place.Folder + "/targets.toml"
	args := []string{"replay", row.TracePath(), "--json"}
	if row.Cases != "" {
		args = []string{"conform", "--case", row.Cases}
	}
	cmd := exec.Command("build/ipafuzz", append(args, "--targets-file", file, "--target", place.Target)...)
	cmd.Env = environment
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1 && exit.ExitCode() != 4) {
		return one, explain(err, failure.String())
	}
	if row.Cases != "" {
		if err != nil { // a case fails; the row says of which class
			for _, class := range row.Classes() {
				one.Findings = append(one.Findings, finding{Class: class})
			}
		}
		return one, nil
	}
	return one, json.Unmarshal(out, &one)
}

// untaken matches the message about a value that an option of this version does not take.
var untaken = regexp.MustCompile(`option \S+ does not take "[^"]*"`)

// explain says in a few words why a replay failed.
func explain(err error, printed string) error {
	switch {
	case strings.Contains(printed, "no such file"), strings.Contains(printed, "there is no file"):
		return errors.New("it is not built here")
	case strings.Contains(printed, `before it said "ready"`):
		return errors.New("its runner does not start")
	case untaken.MatchString(printed):
		return errors.New("its " + untaken.FindString(printed))
	}
	return fmt.Errorf("%w: %s", err, printed)
}

// with returns the environment in which Python prefers a package; it installs the package.
func with(wanted string) ([]string, error) {
	if wanted == "" {
		return os.Environ(), nil
	}
	dir, err := filepath.Abs(filepath.Join("build", "bugs", wanted))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		fmt.Fprintf(os.Stderr, "bugs: installing %s\n", wanted)
		pip := exec.Command("build/current/venv/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check",
			"--no-deps", "--only-binary", ":all:", "--target", dir, wanted)
		if out, err := pip.CombinedOutput(); err != nil {
			os.RemoveAll(dir)
			fmt.Fprintf(os.Stderr, "%s\n", out)
			return nil, errors.New("PyPI has no package of it for this Python")
		}
	}
	return append(os.Environ(), "PYTHONPATH="+dir), nil
}

var (
	number  = regexp.MustCompile(`\d+`)
	printed = regexp.MustCompile(`after printing ".*`)
)

// isLike reports whether two findings are the same failure in two versions, where other functions may be in its stack
// and other lines in its messages.
func (f finding) isLike(other finding) bool {
	same := func(a, b string) bool { return number.ReplaceAllString(a, "#") == number.ReplaceAllString(b, "#") }
	message := printed.FindString(f.Observed)
	return f.Class == other.Class && (f.Class == segfault || same(f.Detail, other.Detail) ||
		message != "" && same(message, printed.FindString(other.Observed)))
}

// failure returns the findings of the classes in the first run that has all of them.
func (r *results) failure(classes []string) []finding {
	for _, one := range r.runs {
		var found []finding
		for _, class := range classes {
			if at := slices.IndexFunc(one.Findings, func(f finding) bool { return f.Class == class }); at >= 0 {
				found = append(found, one.Findings[at])
			}
		}
		if len(found) == len(classes) {
			return found
		}
	}
	return nil
}

// shows counts the runs that have these findings.
func (r *results) shows(wanted []finding) (count int) {
	for _, one := range r.runs {
		missing := slices.ContainsFunc(wanted, func(want finding) bool {
			return !slices.ContainsFunc(one.Findings, want.isLike)
		})
		if wanted != nil && !missing {
			count++
		}
	}
	return count
}

func (r *results) differ(classes []string) bool {
	count := r.shows(r.failure(classes))
	return count > 0 && count < len(r.runs)
}

// otherwise returns a failure that is not one of the wanted ones, in words that fit into a cell.
func (r *results) otherwise(wanted []finding) string {
	for _, one := range r.runs {
		for _, f := range one.Findings {
			if !slices.ContainsFunc(wanted, f.isLike) {
				return brief(f.Class + " " + f.Detail)
			}
		}
	}
	return ""
}

// unchecked returns what no check decided in the runs, of which none failed.
func (r *results) unchecked() string {
	for _, one := range r.runs {
		if len(one.Unchecked) > 0 {
			return "unchecked: " + one.Unchecked[0].Reason
		}
	}
	return ""
}

var refused = regexp.MustCompile(`(?m)^option (\S+) .* = [^0]`)

// lacks returns an option that the solver refuses in this version and takes in the base.
func (r *results) lacks(base *results) string {
	for _, one := range r.runs {
		for _, m := range refused.FindAllStringSubmatch(one.Log, -1) {
			isRefused := func(one run) bool { return strings.Contains(one.Log, m[0]) }
			if !slices.ContainsFunc(base.runs, isRefused) {
				return "`" + m[1] + "`"
			}
		}
	}
	return ""
}

// brief makes a text fit into a cell: one line without commas and bars.
func brief(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.NewReplacer(", ", " ", "|", "/").Replace(text)
}
