package registry

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

var symptom = oracle.Key{Target: "t", Class: oracle.NotOptimal, Detail: "d"}

// because returns a finding of the symptom with a cause.
func because(t *testing.T, why cause.Cause) *store.Finding {
	t.Helper()
	minimal, err := trace.ParseString("ipafuzz 1 ipamir\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	f := &store.Finding{Finding: oracle.Finding{Class: symptom.Class, Detail: symptom.Detail}, Key: symptom, Target: "t",
		Original: minimal, Minimal: minimal}
	if why != "" {
		f.Diagnosis = &cause.Diagnosis{Cause: why}
	}
	return f
}

func causesOf(x *Examination) (causes []cause.Cause) {
	for _, k := range x.Known {
		causes = append(causes, k.Cause)
	}
	return causes
}

// TestExamine checks which failures with the key of a finding are examined.
func TestExamine(t *testing.T) {
	held := Held{From: source.Origin{Number: 7}}
	for _, row := range []struct {
		name  string
		why   cause.Cause
		known cause.Cause
		want  []cause.Cause
	}{
		{"a cause", "tautology", "", []cause.Cause{"tautology"}},
		{"a failure that needs nothing special", cause.Nothing, "", []cause.Cause{cause.Nothing}},
		{"an unknown cause explains all", "", "", nil},
		{"a known fault", "none", "tautology", []cause.Cause{"tautology"}},
		{"a known fault without a cause", "none", cause.Nothing, nil},
	} {
		config := Config{}
		if row.known != "" {
			config.Known = map[oracle.Key][]*store.Finding{symptom: {known(row.known, nil)}}
		}
		r := New(config)
		if row.why != "none" {
			if r.Examine(symptom, "", held) != nil || len(r.Held(symptom)) > 0 {
				t.Errorf("%s: a failure of a new key is examined", row.name)
			}
			r.Wants(symptom, true)
			if r.Examine(symptom, "", held) != nil {
				t.Errorf("%s: a failure is examined before the first one is confirmed", row.name)
			}
			if got := r.Held(symptom); !slices.Equal(got, []Held{held}) || len(r.Held(symptom)) > 0 {
				t.Errorf("%s: held %v", row.name, got)
			}
			if err := r.Add(because(t, row.why)); err != nil {
				t.Fatal(err)
			}
			r.Settled(symptom, true)
		}
		x := r.Examine(symptom, "", held)
		if (x == nil) != (row.want == nil) || x != nil && !slices.Equal(causesOf(x), row.want) {
			t.Errorf("%s: %+v, want %v", row.name, x, row.want)
		}
		if x == nil {
			continue
		}
		if !r.Examining(symptom, 0) || r.Examining(symptom, 0) || r.Examine(symptom, "", held) != nil ||
			len(r.Held(symptom)) != 1 {
			t.Errorf("%s: two failures are examined at once", row.name)
		}
		r.Examined(symptom, false, NothingNew)
	}
}

// TestExamineGivesUp checks that failures are only sampled once several of them were nothing new.
func TestExamineGivesUp(t *testing.T) {
	r := New(Config{})
	if err := r.Add(because(t, "tautology")); err != nil {
		t.Fatal(err)
	}
	looks := 0
	for range 1000 {
		r.Wants(symptom, true) // counts a hit
		x := r.Examine(symptom, "", Held{})
		if x != nil && x.Wants(0, false) && r.Examining(symptom, 0) {
			looks++
			r.Examined(symptom, false, NothingNew)
		}
	}
	const turns = 19 // up to 1000: 1, 2, 3, 4, 6, 8, 12 and so on
	if looks < mostExamined || looks > mostExamined+turns {
		t.Errorf("%d of 1000 failures were examined", looks)
	}
}

// TestExamineConspicuous checks that failures with a feature which other traces seldom have are sampled twice, unless
// samples often show nothing new.
func TestExamineConspicuous(t *testing.T) {
	const common, rare = feature.Set(1 << feature.Redeclare), feature.Set(1 << feature.EmptyClause)
	for _, row := range []struct {
		verdict    Verdict
		sets, want int
	}{{Passed, 1, 2}, {NothingNew, 1, 2}, {Passed, 2, 4}, {NothingNew, 2, mostInVain}} {
		r := New(Config{})
		if err := r.Add(because(t, "tautology")); err != nil {
			t.Fatal(err)
		}
		samples := 0
		for i := range 1000 {
			features := common
			if i%20 == 0 {
				features |= rare << (i / 20 % row.sets)
			}
			ran := new(Frequencies)
			for range 5 {
				ran.Add(common)
			}
			ran.Add(features)
			r.Ran(ran)
			x := r.Examine(symptom, "", Held{Features: features})
			if x.isTurn = false; !x.Wants(features, true) {
				continue
			}
			if features == common || !r.Examining(symptom, features) {
				t.Fatalf("%+v: failure %d is sampled", row, i)
			}
			samples++
			r.Examined(symptom, true, row.verdict)
		}
		if samples != row.want {
			t.Errorf("%+v: %d samples", row, samples)
		}
	}
}

// TestExamineRare checks that failures with a feature that few traces have are sampled twice, also if the feature is no
// more frequent among failures.
func TestExamineRare(t *testing.T) {
	for every, want := range map[int]int{10: 2, 2: 0} {
		r := New(Config{})
		if err := r.Add(because(t, "tautology")); err != nil {
			t.Fatal(err)
		}
		samples := 0
		for i := range 1000 {
			features := feature.Set(1 << feature.Redeclare)
			if i%every == 0 {
				features |= 1 << feature.Tautology
			}
			ran := new(Frequencies)
			ran.Add(features)
			r.Ran(ran)
			x := r.Examine(symptom, "", Held{Features: features})
			if x.isTurn = false; i >= 10 && x.Wants(features, true) && r.Examining(symptom, features) {
				samples++
				r.Examined(symptom, true, Passed)
			}
		}
		if samples != want {
			t.Errorf("a feature of every %d traces: %d samples", every, samples)
		}
	}
}

// TestExplainsWithoutNeeds checks that a finding does not explain a failure that lacks a need of the finding, although
// both need common things only.
func TestExplainsWithoutNeeds(t *testing.T) {
	for _, row := range []struct {
		known, now cause.Cause
		want       bool
	}{
		{"incremental", cause.Nothing, false},
		{"terminate", "unequal-weights", false},
		{"incremental", "last-assumption + incremental", true},
		{"unused-variable + option", "option", false},
		{"option", "unused-variable + option", true},
		{cause.Nothing, "incremental", true},
		{"incremental", "", true},
	} {
		for _, old := range []bool{false, true} {
			config := Config{}
			if old {
				config.Known = map[oracle.Key][]*store.Finding{symptom: {known(row.known, because(t, row.known).Minimal)}}
			}
			r := New(config)
			if !old {
				if err := r.Add(because(t, row.known)); err != nil {
					t.Fatal(err)
				}
			}
			if got := r.Explains(because(t, row.now)); got != row.want {
				t.Errorf("%q explains %q: %v", row.known, row.now, got)
			}
		}
	}
}

// TestAddBeside checks that a key can have several findings, but no two of one kind.
func TestAddBeside(t *testing.T) {
	announced := 0
	r := New(Config{Most: 3, Announce: func(_ *store.Finding, fresh bool) {
		if fresh {
			announced++
		}
	}})
	first, second, third := because(t, "tautology"), because(t, "empty-clause"), because(t, "zero-weight")
	if err := r.Add(first); err != nil {
		t.Fatal(err)
	}
	if r.Explains(second) || !r.Explains(because(t, "tautology + incremental")) || r.Explains(because(t, "incremental")) {
		t.Error("kinds are mixed up")
	}
	if err := r.AddBeside(second); err != nil || !strings.HasPrefix(second.Variety, "empty-clause-") {
		t.Errorf("%v, variety %q", err, second.Variety)
	}
	if !r.Explains(because(t, "empty-clause")) {
		t.Error("the second finding explains nothing")
	}
	if x := r.Known(symptom); x == nil || !slices.Equal(causesOf(x), []cause.Cause{"tautology", "empty-clause"}) {
		t.Errorf("known are %+v", x)
	}
	if err := r.AddBeside(because(t, "empty-clause")); err != nil {
		t.Fatal(err)
	}
	if err := r.AddBeside(third); !errors.Is(err, ErrEnough) {
		t.Errorf("the third finding of three: %v", err)
	}
	if found, _ := r.Counts(); found != 3 || len(r.Found()) != 3 || len(r.Watch()) != 3 || announced != 3 {
		t.Errorf("%d findings, %d announced, want 3", found, announced)
	}
	if r.Known(symptom) != nil {
		t.Error("failures are examined although there are enough findings")
	}
}

// TestExamineElsewhere checks that a crash at another place is examined, whatever the cause of the known
// one, and that a crash at the same place is not.
func TestExamineElsewhere(t *testing.T) {
	for _, row := range []struct {
		known, location string
		why             cause.Cause
		want            bool
	}{
		{"f.c:1", "f.c:2", cause.Nothing, true},
		{"f.c:1", "f.c:2", "", true},
		{"f.c:1", "f.c:1", "tautology", false},
		{"f.c:1", "", "", false},
		{"", "f.c:1", "", false},
		{"", "f.c:1", "tautology", true},
	} {
		r := New(Config{})
		found := because(t, row.why)
		found.Location = row.known
		if err := r.Add(found); err != nil {
			t.Fatal(err)
		}
		if got := r.Examine(symptom, row.location, Held{}) != nil; got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}

// TestKnownPlace checks that a known crash may explain one at another place: the build may be another.
func TestKnownPlace(t *testing.T) {
	r := New(Config{Known: map[oracle.Key][]*store.Finding{symptom: {known("tautology", nil)}}})
	found := because(t, "tautology")
	found.Location = "f.c:2"
	if !r.Explains(found) {
		t.Error("it does not")
	}
	if found = because(t, "zero-weight"); r.Explains(found) {
		t.Error("it explains what it cannot")
	}
}

// known returns a finding of an earlier campaign.
func known(why cause.Cause, minimal *trace.Trace) *store.Finding {
	f := &store.Finding{Key: symptom, Minimal: minimal}
	f.Finding = oracle.Finding{Class: symptom.Class, Detail: symptom.Detail}
	if why != "" {
		f.Diagnosis = &cause.Diagnosis{Cause: why}
	}
	return f
}
