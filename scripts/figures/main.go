// Figures measures a checkout of this repository: sizes, long functions and lines, documentation, the shape of
// package campaign, duplicated definitions and commit subjects. It prints a Markdown table.
//
//	go run ./scripts/figures [-base REVISION] [-hang FUNCTION] [DIRECTORY]
//	go run ./scripts/figures [-hang FUNCTION] BEFORE AFTER
//
// With two directories the table has one column for each, and the commits of AFTER are those that BEFORE lacks.
// Every number is computed from files that git tracks; nothing but Go and git is needed.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	base := flag.String("base", "", "count only the commits since this `revision`")
	hang := flag.String("hang", "confirmHang", "start the walk of a suspected hang at these `functions`, comma-separated")
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	if len(dirs) > 2 {
		fmt.Fprintln(os.Stderr, "usage: figures [-base revision] [-hang function] [directory [directory]]")
		os.Exit(2)
	}
	if err := run(dirs, *base, *hang); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(dirs []string, base, hang string) error {
	var columns [][]figure
	for i, dir := range dirs {
		since := base
		if i == 1 && since == "" {
			head, err := git(dirs[0], "rev-parse", "HEAD")
			if err != nil {
				return err
			}
			since = head[0]
		}
		if i == 0 && len(dirs) == 2 {
			since = ""
		}
		column, err := measure(dir, since, hang)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		columns = append(columns, column)
	}
	if len(columns) == 1 {
		printTable([]string{"figure", "value"}, columns)
	} else {
		printTable([]string{"figure", "before", "after"}, columns)
	}
	fmt.Print(definitions)
	return nil
}

// measure computes every figure of the checkout in dir.
func measure(dir, since, hang string) ([]figure, error) {
	tree, err := readTree(dir)
	if err != nil {
		return nil, err
	}
	figures := tree.sizes()
	figures = append(figures, tree.functions()...)
	figures = append(figures, tree.documentation()...)
	figures = append(figures, tree.longLines()...)
	figures = append(figures, tree.patterns()...)
	figures = append(figures, tree.duplicates()...)
	figures = append(figures, tree.vocabulary()...)
	commits, err := commits(dir, since)
	if err != nil {
		return nil, err
	}
	figures = append(figures, commits...)
	module, err := checkModule(dir, tree)
	if err != nil {
		return nil, err
	}
	figures = append(figures, module.campaignType()...)
	figures = append(figures, module.hangWalk(hang)...)
	figures = append(figures, module.copies()...)
	figures = append(figures, module.exports()...)
	return append(figures, module.packageRows()...), nil
}
