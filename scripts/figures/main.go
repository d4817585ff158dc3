// Figures measures a checkout of this repository: sizes, long functions and lines, documentation, the shape of
// package campaign, repeated definitions, words and commit subjects. It prints a Markdown table.
//
//	go run ./scripts/figures [-base REVISION] [DIRECTORY]
//	go run ./scripts/figures BEFORE AFTER
//
// With two directories the table has one column for each, and the commits of AFTER are those that BEFORE lacks.
// Every number is computed from files that git tracks.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	base := flag.String("base", "", "count only the commits since this `revision`")
	flag.Parse()
	if flag.NArg() > 2 {
		fmt.Fprintln(os.Stderr, "usage: figures [-base revision] [directory [directory]]")
		os.Exit(2)
	}
	if err := run(flag.Args(), *base); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(dirs []string, base string) error {
	if len(dirs) == 2 {
		before, err := measure(dirs[0], "")
		if err != nil {
			return fmt.Errorf("%s: %w", dirs[0], err)
		}
		head, err := git(dirs[0], "rev-parse", "HEAD")
		if err != nil {
			return err
		}
		after, err := measure(dirs[1], head[0])
		if err != nil {
			return fmt.Errorf("%s: %w", dirs[1], err)
		}
		printTable([]string{"figure", "before", "after"}, before, after)
	} else {
		figures, err := measure(append(dirs, ".")[0], base)
		if err != nil {
			return err
		}
		printTable([]string{"figure", "value"}, figures)
	}
	fmt.Print(definitions)
	return nil
}

// measure computes every figure of the checkout in dir.
func measure(dir, since string) ([]figure, error) {
	t, err := readTree(dir)
	if err != nil {
		return nil, err
	}
	figures := append(t.sizes(), t.repetitions()...)
	commits, err := commits(dir, since)
	if err != nil {
		return nil, err
	}
	m, err := load(dir)
	if err != nil {
		return nil, err
	}
	figures = append(append(figures, m.functions()...), commits...)
	figures = append(append(figures, m.campaignType()...), m.copies(), m.exports())
	return append(figures, t.packages(m)...), nil
}
