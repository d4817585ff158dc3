package trial

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestSteady checks that only findings about targets that were slow by chance are
// dropped.
func TestSteady(t *testing.T) {
	slow := oracle.Finding{Class: oracle.TooSlow, Check: "resources", Call: 3}
	elsewhere := oracle.Finding{Class: oracle.TooSlow, Check: "resources", Call: 5}
	wrong := oracle.Finding{Class: oracle.NotOptimal, Check: "targets", Call: 3}
	hang := oracle.Finding{Class: oracle.TooSlow, Check: "end", Call: 3}
	compared := func(findings ...oracle.Finding) compare.Result {
		return compare.Result{Findings: [][]oracle.Finding{nil, findings}}
	}
	for _, row := range []struct {
		name  string
		end   trace.End
		first compare.Result
		again []compare.Result // results of the further runs that Steady must make
		want  []oracle.Finding
	}{
		{name: "nothing", first: compared()},
		{name: "nothing slow", first: compared(wrong, hang), want: []oracle.Finding{wrong, hang}},
		{name: "slow once", first: compared(wrong, slow), again: []compare.Result{compared(hang)},
			want: []oracle.Finding{wrong}},
		{name: "slow twice", first: compared(slow), again: []compare.Result{compared(slow), compared()}},
		{name: "slow always", first: compared(slow), again: []compare.Result{compared(slow, wrong), compared(slow)},
			want: []oracle.Finding{slow}},
		{name: "slow elsewhere", first: compared(slow), again: []compare.Result{compared(elsewhere)}},
		{name: "other target", first: compared(slow), again: []compare.Result{{Findings: [][]oracle.Finding{{slow}, nil}}}},
		{name: "CPU time used up", end: trace.OutOfCPU, first: compared(slow), want: []oracle.Finding{slow}},
		{name: "wall time used up", end: trace.OutOfTime, first: compared(slow), again: []compare.Result{compared()}},
	} {
		ran := 0
		got, err := Steady(row.first, []*trace.Run{{}, {End: row.end}}, func() (compare.Result, error) {
			ran++
			return row.again[ran-1], nil
		})
		if err != nil || ran != len(row.again) || len(got.Findings[1]) != len(row.want) {
			t.Errorf("%s: %+v after %d further runs, %v; want %+v after %d", row.name, got.Findings[1], ran, err, row.want,
				len(row.again))
			continue
		}
		for i, f := range got.Findings[1] {
			if f.Check != row.want[i].Check || f.Call != row.want[i].Call {
				t.Errorf("%s: %+v, want %+v", row.name, f, row.want[i])
			}
		}
	}
}
