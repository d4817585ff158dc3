package trial

import "fmt"

// A Rate says how often a trace fails.
type Rate struct {
	Failed int `json:"failed"`
	Runs   int `json:"runs"`
}

func (r Rate) String() string { return fmt.Sprintf("%d of %d", r.Failed, r.Runs) }

// Always reports whether it failed in every run.
func (r Rate) Always() bool { return r.Failed == r.Runs }

func (r Rate) Share() float64 { return float64(r.Failed) / float64(max(r.Runs, 1)) }

// ChanceRuns is how often a trace is run that does not always fail, to estimate
// its rate.
const ChanceRuns = 40
