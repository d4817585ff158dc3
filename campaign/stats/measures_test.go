package stats

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

var keyA, keyB = oracle.Key{Target: "a"}, oracle.Key{Target: "b"}

type firsts = map[oracle.Key]map[string]First

// measures returns the measures of one target with one profile.
func measures(target TargetUse, profile ProfileUse, of firsts) *Measures {
	m := &Measures{Targets: []TargetUse{target}, Profiles: map[string]*ProfileUse{"tiny/1": &profile},
		Firsts: make(firsts)}
	for key, byProfile := range of {
		m.Firsts[key] = maps.Clone(byProfile)
	}
	return m
}

// TestJoined checks that counts add up, and that the extreme counts for the slowest trace, the peak and the
// first time.
func TestJoined(t *testing.T) {
	t.Parallel()
	a := TargetUse{Target: "t", Traces: 3, Died: 1, OutOfTime: 2, OutOfMemory: 3, OutOfOutput: 4, CPU: 1.5, Wall: 2,
		Slowest: 0.5, PeakKB: 70, Times: []uint64{1, 2}}
	b := TargetUse{Target: "t", Traces: 10, Died: 10, OutOfTime: 10, OutOfMemory: 10, OutOfOutput: 10, CPU: 1, Wall: 1,
		Slowest: 0.25, PeakKB: 90, Times: []uint64{5, 0, 5}}
	p := ProfileUse{Traces: 2, Sampled: 1, WithHard: 1, Unit: 1, Calls: Range{4, 4, 4}}
	q := ProfileUse{Traces: 6, Sampled: 2, WithHard: 1, WithSoft: 2, Small: 2, Calls: Range{2, 9, 11}}
	for _, c := range []struct {
		name      string
		to, other *Measures
		want      *Measures
	}{
		{"sums",
			measures(a, p, firsts{keyA: {"tiny/1": {Hits: 1, Traces: 5, Seconds: 5}}}),
			measures(b, q, firsts{keyA: {"tiny/1": {Hits: 2, Traces: 4, Seconds: 4}}, keyB: {"big/1": {Hits: 1}}}),
			measures(TargetUse{Target: "t", Traces: 13, Died: 11, OutOfTime: 12, OutOfMemory: 13, OutOfOutput: 14, CPU: 2.5,
				Wall: 3, Slowest: 0.5, PeakKB: 90, Times: []uint64{6, 2, 5}},
				ProfileUse{Traces: 8, Sampled: 3, WithHard: 2, WithSoft: 2, Unit: 1, Small: 2, Calls: Range{2, 9, 15}},
				firsts{keyA: {"tiny/1": {Hits: 3, Traces: 4, Seconds: 4}}, keyB: {"big/1": {Hits: 1}}})},
		{"a later first time",
			measures(a, p, firsts{keyA: {"tiny/1": {Hits: 1, Traces: 5, Seconds: 5}}}),
			measures(TargetUse{}, ProfileUse{}, firsts{keyA: {"tiny/1": {Hits: 7, Traces: 6, Seconds: 6}}}),
			measures(a, p, firsts{keyA: {"tiny/1": {Hits: 8, Traces: 5, Seconds: 5}}})},
		{"a part without samples", measures(a, ProfileUse{}, nil), measures(TargetUse{}, p, nil), measures(a, p, nil)},
		{"nothing to add", measures(a, p, nil), nil, measures(a, p, nil)},
		{"nothing to add to", nil, measures(b, q, nil), measures(b, q, nil)},
	} {
		if got := c.to.Joined(c.other); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %+v %+v %v\nwant %+v %+v %v", c.name, got.Targets, got.Profiles["tiny/1"], got.Firsts,
				c.want.Targets, c.want.Profiles["tiny/1"], c.want.Firsts)
		}
	}
}

// TestClone checks that adding to a copy or resetting it does not change the original.
func TestClone(t *testing.T) {
	t.Parallel()
	use := TargetUse{Target: "t", Traces: 1, Times: []uint64{1}}
	of := firsts{keyA: {"tiny/1": {Hits: 1}}}
	m := measures(use, ProfileUse{}, of)
	m.Profiles = nil // which Clone leaves out
	c := m.Clone()
	if !reflect.DeepEqual(c, m) {
		t.Errorf("the copy is %+v, not %+v", c, m)
	}
	want := m.Clone()
	c.Add(m.Clone())
	if !reflect.DeepEqual(m, want) {
		t.Errorf("Add to a copy changed the original: %+v", m)
	}
	if c.Targets[0].Traces != 2 || c.Targets[0].Times[0] != 2 || c.Firsts[keyA]["tiny/1"].Hits != 2 {
		t.Errorf("the sum is %+v", c)
	}
	if c.Reset(); c.Targets[0].Target != "t" || c.Targets[0].Traces+c.Targets[0].Times[0] != 0 || len(c.Firsts) > 0 {
		t.Errorf("after Reset: %+v", c)
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("Reset of a copy changed the original: %+v", m)
	}
}

// TestAddBoundsKeys checks that a target whose failures are all different does not fill the memory.
func TestAddBoundsKeys(t *testing.T) {
	t.Parallel()
	m := &Measures{Firsts: make(firsts)}
	for i := range mostKeys + 10 {
		m.Add(&Measures{Firsts: firsts{{Detail: time.Duration(i).String()}: {"tiny/1": {Hits: 1}}}})
	}
	m.Add(&Measures{Firsts: firsts{{Detail: "0s"}: {"tiny/1": {Hits: 1}}}})
	if n := len(m.Firsts); n != mostKeys || m.Firsts[oracle.Key{Detail: "0s"}]["tiny/1"].Hits != 2 {
		t.Errorf("%d keys, want %d; the first one: %v", n, mostKeys, m.Firsts[oracle.Key{Detail: "0s"}])
	}
}

func TestRan(t *testing.T) {
	t.Parallel()
	m := &Measures{Targets: make([]TargetUse, 2)}
	for _, run := range []trace.Run{
		{End: trace.Finished}, {End: trace.Killed}, {End: trace.Exited}, {End: trace.OutOfTime}, {End: trace.OutOfCPU},
		{End: trace.OutOfMemory}, {End: trace.OutOfOutput},
	} {
		run.Usage.WallNanos = 3000 // less than 4 us
		m.Ran(1, &run)
	}
	u := m.Targets[1]
	if u.Traces != 7 || u.Died != 2 || u.OutOfTime != 2 || u.OutOfMemory != 1 || u.OutOfOutput != 1 ||
		!reflect.DeepEqual(u.Times, []uint64{0, 0, 7}) || m.Targets[0].Traces != 0 {
		t.Errorf("counted %+v", m.Targets)
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	var p ProfileUse
	for _, text := range []string{
		"ipafuzz 1 ipamir\nhard 1 -7 0\nsoft 1 1\nsoft 2 1\nsolve\n",
		"ipafuzz 1 ipamir\nsoft 1 4294967296\nsolve\nsolve\n",
		"ipafuzz 1 ipamir\nsoft 1 18446744073709551615\nsoft 2 2\nsolve\n", // the sum overflows
		"ipafuzz 1 wcnf\nhard 1 0\nsoft 1 1 9 0\nsoft 1 0\nsolve\n",
	} {
		tr, err := trace.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Sample(tr)
	}
	want := ProfileUse{Sampled: 4, WithHard: 2, WithSoft: 4, Unit: 2, Small: 2, Calls: Range{3, 4, 14},
		Solves: Range{1, 2, 5}, Hard: Range{0, 1, 2}, Soft: Range{1, 2, 7}, Vars: Range{1, 9, 19}}
	if p != want {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
}
