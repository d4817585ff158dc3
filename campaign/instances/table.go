package instances

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// Columns are the columns of the CSV file.
var Columns = []string{"instance", "target", "model", "solves", "status", "objective", "verdict",
	"seconds", "solve_seconds", "cpu_seconds", "peak_kb", "end", "findings", "note", "unchecked"}

// A Writer writes rows as CSV and flushes after every instance.
type Writer struct{ csv *csv.Writer }

// NewWriter returns a Writer. It writes the heading.
func NewWriter(w io.Writer) (*Writer, error) {
	to := &Writer{csv.NewWriter(w)}
	to.csv.Write(Columns)
	to.csv.Flush()
	return to, to.csv.Error()
}

// Write writes the rows of an instance.
func (w *Writer) Write(result *Result) error {
	for i := range result.Rows {
		w.csv.Write(result.Rows[i].record())
	}
	w.csv.Flush()
	return w.csv.Error()
}

func (r *Row) record() []string {
	var keys []string
	for i := range r.Findings {
		keys = append(keys, r.Findings[i].Key.String())
	}
	row := []string{r.Instance, r.Target, r.Model, strconv.Itoa(len(r.Status)),
		strings.Join(r.Status, " "), strings.Join(r.Objective, " "), string(r.Verdict)}
	if r.Verdict == NotRun {
		return append(row, "", "", "", "", "", "", r.Note, r.reasons())
	}
	row = append(row, seconds(r.Wall), seconds(r.Solving), "", "", r.End.String(), strings.Join(keys, "; "), r.Note,
		r.reasons())
	if r.CPU > 0 {
		row[9] = seconds(r.CPU)
	}
	if r.PeakKB > 0 {
		row[10] = strconv.FormatUint(r.PeakKB, 10)
	}
	return row
}

// reasons names the reasons why something stayed unchecked.
func (r *Row) reasons() string {
	var names []string
	for _, item := range r.Unchecked {
		names = append(names, item.Reason.String())
	}
	return strings.Join(names, " ")
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }

// A Summary adds up all rows of a target.
type Summary struct {
	Target   string                  `json:"target"`
	Runs     int                     `json:"runs"`
	Verdicts map[Verdict]int         `json:"verdicts"`
	Solved   int                     `json:"solved"`
	Wall     time.Duration           `json:"wall_ns"`
	PAR2     float64                 `json:"par2_seconds"` // mean wall time; unsolved instances count twice the limit
	Findings map[oracle.Key]*Example `json:"findings,omitempty"`
	// Unchecked lists what was asked for and not checked, in the order of the instances.
	Unchecked []unchecked.Item `json:"unchecked,omitempty"`
}

// An Example is the first instance with a finding, and the number of instances that have the finding.
type Example struct {
	Instance string `json:"instance"`
	Count    int    `json:"count"`
}

// Summaries adds up rows by target.
type Summaries struct {
	Limit time.Duration // of the wall time of a run
	Of    []*Summary
}

// Unchecked lists what stayed unchecked on all targets, those of one reason together.
func (s *Summaries) Unchecked() (all []unchecked.Item) {
	for _, of := range s.Of {
		all = append(all, of.Unchecked...)
	}
	return unchecked.Join(all)
}

// Add adds the rows of an instance.
func (s *Summaries) Add(result *Result) {
	for i := range result.Rows {
		row := &result.Rows[i]
		if i == len(s.Of) {
			s.Of = append(s.Of, &Summary{Target: row.Target, Verdicts: make(map[Verdict]int),
				Findings: make(map[oracle.Key]*Example)})
		}
		of := s.Of[i]
		of.Verdicts[row.Verdict]++
		of.Unchecked = unchecked.Join(append(of.Unchecked, row.Unchecked...))
		if row.Verdict == NotRun {
			continue
		}
		cost := 2 * s.Limit
		if row.Solved() {
			of.Solved++
			cost = row.Wall
		}
		of.PAR2 = (of.PAR2*float64(of.Runs) + cost.Seconds()) / float64(of.Runs+1)
		of.Runs++
		of.Wall += row.Wall
		for k := range row.Findings {
			key := row.Findings[k].Key
			if of.Findings[key] == nil {
				of.Findings[key] = &Example{Instance: row.Instance}
			}
			of.Findings[key].Count++
		}
	}
}

// WriteText writes a table of the targets.
func (s *Summaries) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "TARGET\tSOLVED\tTIME\tPAR2")
	for _, v := range Verdicts {
		fmt.Fprint(table, "\t", strings.ToUpper(string(v)))
	}
	fmt.Fprintln(table)
	for _, of := range s.Of {
		fmt.Fprintf(table, "%s\t%d\t%.2fs\t%.2fs", of.Target, of.Solved, of.Wall.Seconds(), of.PAR2)
		for _, v := range Verdicts {
			fmt.Fprintf(table, "\t%d", of.Verdicts[v])
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
