package terminal

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// LeftOpen says what stayed unchecked in a run without findings, and why its proofs did.
func LeftOpen(name string, result *trial.Replayed) string {
	var out strings.Builder
	for _, note := range result.Notes {
		if note.Why != "" {
			fmt.Fprintf(&out, "%s: call %d: %s\n", name, note.Call+1, note.Why)
		}
	}
	fmt.Fprintf(&out, "%s: no fault was found. %s\n", name, unchecked.Text(result.Unchecked.Items()))
	return out.String()
}
