package trial

import "fmt"

// A Rate counts how often a trace failed.
type Rate struct {
	Failed int `json:"failed"`
	Runs   int `json:"runs"`
}

// String returns "FAILED of RUNS".
func (r Rate) String() string { return fmt.Sprintf("%d of %d", r.Failed, r.Runs) }

// Always reports whether the trace failed in every run.
func (r Rate) Always() bool { return r.Failed == r.Runs }

// Share returns the share of runs that failed.
func (r Rate) Share() float64 { return float64(r.Failed) / float64(max(r.Runs, 1)) }

// ChanceRuns is the number of runs that estimate the rate of a trace that does not always fail.
const ChanceRuns = 40
