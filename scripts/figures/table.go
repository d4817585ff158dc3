package main

import "fmt"

// A figure is one row of the table.
type figure struct {
	name  string
	value string
}

// printTable prints the columns side by side. Rows are matched by name; a row that only a later column has follows the
// row that precedes it there.
func printTable(head []string, columns [][]figure) {
	var names []string
	known := map[string]bool{}
	for _, column := range columns {
		at := 0
		for _, f := range column {
			if !known[f.name] {
				known[f.name] = true
				names = append(names[:at], append([]string{f.name}, names[at:]...)...)
			}
			for names[at] != f.name {
				at = (at + 1) % len(names)
			}
			at++
		}
	}
	fmt.Print("| ", head[0])
	for _, h := range head[1:] {
		fmt.Print(" | ", h)
	}
	fmt.Print(" |\n|---|")
	for range columns {
		fmt.Print("---|")
	}
	fmt.Println()
	for _, name := range names {
		fmt.Print("| ", name)
		for _, column := range columns {
			value := "–"
			for _, f := range column {
				if f.name == name {
					value = f.value
				}
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
otherwise first the file with the largest surplus of outgoing arrows; ties go to the first by name). An arrow is in a
cycle if its head reaches its tail. A lock site is a call of Lock or RLock. The walk of a suspected hang visits every
function below campaign/ that confirmHang (or the function that -hang names) reaches by calls, in the order of the
source; a return is a step to a file already left.
`
