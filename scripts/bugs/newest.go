package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/cexternal/bugs"
)

// A registry has a command of the shell that tells the newest release of $1, and an expression that finds it.
type registry struct {
	command string
	version *regexp.Regexp
}

var registries = map[string]registry{
	"pypi":   {`python3 -m pip index versions --pre --disable-pip-version-check "$1"`, regexp.MustCompile(`\((\S+)\)`)},
	"crates": {`cargo info --registry crates-io "$1"`, regexp.MustCompile(`(?m)^version: (\S+)`)},
	"go":     {`go list -m "$1@latest"`, regexp.MustCompile(` v(\S+)`)},
	"debian": {`apt-cache policy "$1"`, regexp.MustCompile(`Candidate: (?:\d+:)?([^-\s]+)`)},
	"maven": {`mvn -q -B -U dependency:get -Dtransitive=false "-Dartifact=$1:RELEASE" &&
		cat ~/.m2/repository/"$(echo "${1%:*}" | tr . /)/${1#*:}"/maven-metadata-central.xml`,
		regexp.MustCompile(`<release>(.*)</release>`)},
}

// newest says which releases are the newest, and which of them were not replayed.
func newest(all *bugs.Versions, when time.Time) string {
	var rerun, later, unknown []string
	for _, s := range all.Solvers {
		first := s.Releases[0]
		named := first.Named
		if named == "" {
			named = first.Version
		}
		kind, name, _ := strings.Cut(s.Registry, " ")
		release, err := registries[kind].newest(name)
		switch {
		case err != nil:
			fmt.Fprintf(os.Stderr, "bugs: %s: the newest release is not known: %v\n", s.Name, err)
			unknown = append(unknown, s.Name)
		case release != named:
			later = append(later, fmt.Sprintf("%s (%s %s)", s.Name, name, release))
		default:
			rerun = append(rerun, s.Name+" "+first.Version)
		}
	}
	text := "on " + when.Format("2 January 2006") + ", as registries say: " + strings.Join(rerun, ", ") + "."
	if later != nil {
		text += " Newer than what is pinned here, so that no row was replayed on them: " + strings.Join(later, ", ") + "."
	}
	if unknown != nil {
		text += " The registry did not answer about " + strings.Join(unknown, ", ") + "."
	}
	return text
}

func (r registry) newest(name string) (string, error) {
	cmd := exec.Command("sh", "-c", r.command, "sh", name)
	cmd.Dir = os.TempDir() // outside of a module, whose versions would decide
	out, err := cmd.Output()
	if m := r.version.FindSubmatch(out); m != nil {
		return string(m[1]), nil
	}
	if err == nil {
		err = errors.New("it says nothing")
	}
	return "", err
}
