package terminal

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// Recovered says what killed runs had left in a campaign directory, one line for each thing.
func Recovered(r store.Recovery) (lines []string) {
	if r.Archives > 0 {
		line := fmt.Sprintf("A run was killed there: %s with %s completed", printable.Things(r.Archives, "archive"),
			printable.Things(r.Traces, "trace"))
		if r.Lost > 0 {
			line += fmt.Sprintf(", %s of unfinished batches lost", printable.Things(r.Lost, "trace"))
		}
		lines = append(lines, line+".")
	}
	if r.Removed > 0 {
		lines = append(lines, fmt.Sprintf("%s that a killed run was writing: removed.",
			printable.Things(r.Removed, "unfinished file")))
	}
	for _, what := range r.Damaged {
		lines = append(lines, "An archive is damaged and stays as it is: "+printable.Line(what))
	}
	return lines
}
