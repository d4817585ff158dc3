package main

import (
	"fmt"
	"slices"
	"strings"
)

// A figure is one row of the table.
type figure struct {
	name  string
	value string
}

// printTable prints the columns side by side. The rows of the first column come first.
func printTable(head []string, columns ...[]figure) {
	fmt.Printf("| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	printed := map[string]bool{}
	for _, f := range slices.Concat(columns...) {
		if printed[f.name] {
			continue
		}
		printed[f.name] = true
		fmt.Print("| ", f.name)
		for _, column := range columns {
			value := "–"
			if i := slices.IndexFunc(column, func(c figure) bool { return c.name == f.name }); i >= 0 {
				value = column[i].value
			}
			fmt.Print(" | ", value)
		}
		fmt.Println(" |")
	}
}

func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func share(part, all int) string {
	if all == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%s of %s (%.1f %%)", thousands(part), thousands(all), 100*float64(part)/float64(all))
}

const definitions = `
Lines are counted as wc -l does; a tab is one column. Functions include methods; tests are left out unless a row says
otherwise. An arrow leads from one file of a package to another that declares a function, method, type, variable or
constant that the first file uses. An arrow points up if it runs against the order of files that the heuristic of Eades,
Lin and Smyth finds (repeatedly: put a file that uses no remaining file last, a file that no remaining file uses first,
otherwise first the file with the largest surplus of outgoing arrows; ties go to the first by name). A lock site is a
call of Lock or RLock. The walk of a suspected hang is the way of the finding from confirmHang to
the disk: the functions below campaign/ that have the finding in hand and lead to a written file, in the order of the
calls, each once. A return is a step to a file already left.
`
