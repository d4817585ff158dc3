package stats

import "testing"

// TestSupported checks when the counts support what faults need.
func TestSupported(t *testing.T) {
	for _, row := range []struct {
		with, without Tried
		want          bool
	}{
		{Tried{1000, 500}, Tried{300, 0}, true},
		{Tried{1000, 500}, Tried{300, 60}, true},
		{Tried{1000, 500}, Tried{0, 0}, false},
		{Tried{0, 0}, Tried{300, 10}, false},
		{Tried{30000, 20319}, Tried{10000, 6603}, false}, // 67.73 % and 66.03 %
		{Tried{1000, 3}, Tried{300, 0}, false},           // may be chance
		{Tried{100, 50}, Tried{300, 240}, false},
	} {
		if l := (&Learned{With: row.with, Without: row.without}); l.Supported() != row.want {
			t.Errorf("with %v, without %v: supported is %v", row.with, row.without, l.Supported())
		}
	}
}

// TestOthers checks that what some faults need is not said of all: DepQBF's faults needed options, it said, though
// 6 % of the traces without failed, and 9 % with them.
func TestOthers(t *testing.T) {
	for _, row := range []struct {
		with, without Tried
		want          bool
	}{
		{Tried{10000, 852}, Tried{3738, 230}, true},
		{Tried{38000, 6400}, Tried{10553, 163}, false},
		{Tried{1000, 500}, Tried{300, 0}, false},
	} {
		if l := (&Learned{With: row.with, Without: row.without}); l.Others() != row.want {
			t.Errorf("with %v, without %v: others is %v", row.with, row.without, l.Others())
		}
	}
}
