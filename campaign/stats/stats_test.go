package stats

import (
	"reflect"
	"testing"
	"time"
)

// counts has a different value in every field.
var counts = Counts{Traces: 1, Calls: 2, Solves: 3, SolveTime: 4, Deaths: 5, Undecided: 6, Failed: 7, Avoiding: 8,
	AvoidingFailed: 9, Filtered: 10, Faulty: 11, Busy: 12, Postponed: 13,
	SearchTimes: SearchTimes{Library: 14, Generating: 15, Judging: 16, Waiting: 17, SetAsideTime: 20},
	Compared:    18, Agreed: 19, SetAside: 21, AvoidingAll: 22, AvoidingAllFailed: 23}

// TestCountsAdd fails if Add forgets a field.
func TestCountsAdd(t *testing.T) {
	t.Parallel()
	sum := counts
	sum.Add(&counts)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Counts]()) {
		one, got := reflect.ValueOf(counts).FieldByIndex(field.Index), reflect.ValueOf(sum).FieldByIndex(field.Index)
		if one.IsZero() || got.Interface() == one.Interface() {
			t.Errorf("%s: %v and %v is %v", field.Name, one, one, got)
		}
	}
	if sum.Traces != 2 || sum.Busy != 24 {
		t.Errorf("the sum is %+v", sum)
	}
}

// TestStatsJoin checks that cells add up by their position, and that the totals are those of the cells.
func TestStatsJoin(t *testing.T) {
	t.Parallel()
	cell := func(traces, sampled uint64, learned ...[]string) CellStats {
		return CellStats{Target: "t", Kind: "tiny", Counts: Counts{Traces: traces, Calls: 10 * traces}, Learned: learned,
			Profiles: map[string]*ProfileUse{"tiny/1": {Traces: sampled}}}
	}
	var sum Stats
	for _, part := range []*Stats{
		{Elapsed: time.Second, FollowUps: FollowUps{Reducing: 5, Causes: 1},
			Cells: []CellStats{cell(1, 1, []string{"a"}), cell(2, 2)}},
		nil,
		{Elapsed: time.Second, FollowUps: FollowUps{Reducing: 5, Causes: 2},
			Cells: []CellStats{cell(3, 3), cell(4, 4, []string{"b"})}},
	} {
		sum.Join(part)
	}
	want := Stats{Elapsed: 2 * time.Second, Traces: 10, Calls: 100, FollowUps: FollowUps{Reducing: 10, Causes: 3},
		Cells: []CellStats{cell(4, 4, []string{"a"}), cell(6, 6, []string{"b"})}}
	if !reflect.DeepEqual(sum, want) {
		t.Errorf("got  %+v\nwant %+v", sum, want)
	}
	if got := sum.TracesPerSecond(); got != 5 {
		t.Errorf("%v traces a second, want 5", got)
	}
	if got := sum.Generated()["tiny/1"].Traces; got != 10 {
		t.Errorf("%d traces were generated, want 10", got)
	}
}

// TestJoinLearned checks that the counts of traces that avoid all faults are of the faults that are learned.
func TestJoinLearned(t *testing.T) {
	t.Parallel()
	x, xy := [][]string{{"x"}}, [][]string{{"x"}, {"y"}}
	for _, row := range []struct {
		a, b [][]string
		want uint64
	}{{x, x, 11}, {nil, x, 10}, {x, xy, 10}, {xy, x, 1}} {
		a := Stats{Cells: []CellStats{{Learned: row.a, Counts: Counts{AvoidingAll: 1, AvoidingAllFailed: 1}}}}
		a.Join(&Stats{Cells: []CellStats{{Learned: row.b, Counts: Counts{AvoidingAll: 10, AvoidingAllFailed: 10}}}})
		if c := a.Cells[0]; c.AvoidingAll != row.want || c.AvoidingAllFailed != row.want {
			t.Errorf("%v and %v: %d traces, %d failed, want %d", row.a, row.b, c.AvoidingAll, c.AvoidingAllFailed, row.want)
		}
	}
}

// TestWithAndWithout checks that traces that avoid what a fault needs have their own counts.
func TestWithAndWithout(t *testing.T) {
	t.Parallel()
	s := Stats{Cells: []CellStats{
		{Target: "a", Learned: [][]string{{"x", "y"}, {"y", "z"}, {"z"}, {"u", "z"}},
			Counts: Counts{Traces: 100, Failed: 52, Avoiding: 30, AvoidingFailed: 2, AvoidingAll: 20}},
		{Target: "b", Counts: Counts{Traces: 100, Failed: 1}},
		{Target: "a", Counts: Counts{Traces: 10, Failed: 4, Avoiding: 5, AvoidingFailed: 1, AvoidingAll: 5,
			AvoidingAllFailed: 1}},
	}}
	rows := s.WithAndWithout()
	if len(rows) != 1 || rows[0].Target != "a" || rows[0].With != (Tried{75, 53}) || rows[0].Without != (Tried{25, 1}) {
		t.Fatalf("got %+v", rows)
	}
	if needs, share := rows[0].Needs(), rows[0].Without.Share(); needs != "x and y; others z" || share != "4.00%" {
		t.Errorf("they need %q; %s fail without", needs, share)
	}
}
