package trace

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

func TestPermissiveRepairs(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"an illegal call is dropped", "val 3\nhard 1 0\nobj\nsolve = 20\nval 1\ninit\n", "hard 1 0\nsolve = 20\n"},
		{"a wrong expectation goes", "solve = 77\nval 1 = 1\n", "solve\nval 1 = 1\n"},
		{"the first expectation goes", "hard 1 0\nsolve = 77\nsolve = 30\nobj = 3\n",
			"hard 1 0\nsolve\nsolve = 30\nobj = 3\n"},
		{"numbers are found", "hard (1, -x2; 3)\nsoft four=4 17\nsoft -5\nassume\nterminate\nterminate x9\n",
			"hard 1 2 3 0\nsoft 4 17\nsoft -5 0\nassume 1\nterminate off\nterminate 9\n"},
		{"numbers are made to fit",
			"hard 99999999999 -99999999999999999999999 -0 7\nsoft 007 99999999999999999999999\nterminate 99999999999\n",
			"hard 2147483647 -2147483647 0\nsoft 7 18446744073709551615\nterminate 4294967295\n"},
		{"an answer is not an argument", "soft 4 = 17\nhard 1 = 30\n", "soft 4 0\nhard 1 0\n"},
		{"the instance stays", "@5 hard 1,2\n@70000 hard 1,2\n", "@5 hard 1 0\n@4464 hard 1 0\n"},
		{"an option without a value is dropped", "option\noption a\noption a b c\noption a b\n", "option a b\n"},
		{"blank lines and comments", "# note\n\n \n#\nsolve # x\n# y\n", "# note\n#\nsolve\n"},
		{"a call of another model is a choice of calls", "add\n", "hard 3 0\n"},
		{"other instances are chosen", "\xff\x01\x00", "@1 init\n"},
	} {
		got := Permissive([]byte("ipafuzz 1 ipamir\n"+c.text), apimodel.IPASIR)
		if err := Check(got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		wanted, err := ParseString("ipafuzz 1 ipamir\n" + c.want)
		if err != nil {
			t.Fatal(err)
		}
		if want := wanted.String(); got.String() != want {
			t.Errorf("%s: %s", c.name, firstDifference(want, got.String()))
		}
	}
}

func TestPermissiveFindsTheModel(t *testing.T) {
	for _, c := range []struct {
		text  string
		given *apimodel.Model
		want  *apimodel.Model
	}{
		{"ipafuzz 1 ipasir\n", apimodel.IPAMIR, apimodel.IPASIR},
		{"ipafuzz 1 ipamir", apimodel.IPASIR, apimodel.IPAMIR},
		{"ipafuzz 9 ipasir\r\n", nil, apimodel.IPASIR},
		{"ipafuzy 1 ipasir # x\n", nil, apimodel.IPASIR},
		{"ipafuzz 1 smt\n", apimodel.IPASIR, apimodel.IPASIR},
		{"solve\n", apimodel.IPASIR, apimodel.IPASIR},
		{"solve\n", nil, apimodel.IPAMIR},
		{"", nil, apimodel.IPAMIR},
	} {
		if got := Permissive([]byte(c.text), c.given).Model; got != c.want {
			t.Errorf("%q: model %s, want %s", c.text, got.Name, c.want.Name)
		}
	}
}

// TestPermissiveUsesEveryCall: random bytes become traces with many calls of every kind.
func TestPermissiveUsesEveryCall(t *testing.T) {
	r := newRandom(t)
	for _, m := range apimodel.Models() {
		seen := make(map[apimodel.Op]int)
		calls, instances := 0, 0
		for range 200 {
			noise := make([]byte, 2000)
			for i := range noise {
				noise[i] = byte(r.Uint32())
			}
			tr := Permissive(noise, m)
			if err := Check(tr); err != nil {
				t.Fatal(err)
			}
			for i := range tr.Calls {
				seen[tr.Calls[i].Op]++
				if tr.Calls[i].Instance > 0 {
					instances++
				}
			}
			calls += len(tr.Calls)
		}
		for i := range m.Calls {
			if op := m.Calls[i].Op; op != apimodel.OpOption && seen[op] < 20 {
				t.Errorf("%s: only %d calls of %s in %d", m.Name, seen[op], m.Calls[i].Name, calls)
			}
		}
		if calls < 200*200 || instances < calls/20 {
			t.Errorf("%s: only %d calls, %d of other instances", m.Name, calls, instances)
		}
	}
}

// TestPermissiveIsLinear: the memory that Permissive allocates grows linearly with the text. Unlike time, it does not
// depend on the load, and it shows a second pass over the trace for each line.
func TestPermissiveIsLinear(t *testing.T) {
	lines := []string{
		"x", "add 1 x\n", "@1 solve = 77\n", "\xff\x01", "solve = 20\nval 1\n", "soft 1 1 = ?\nval 1 = 1\ninit\n",
	}
	for _, line := range lines {
		bytesFor := func(size int) float64 {
			data := []byte(strings.Repeat(line, size/len(line)))
			checkPermissive(t, data, nil)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Permissive(data, nil)
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		small, large := bytesFor(1<<13), bytesFor(1<<16)
		if large > 16*small+1<<16 {
			t.Errorf("%q: %.0f bytes are allocated for 8 KB, %.0f for 64 KB", line, small, large)
		}
	}
}

// checkPermissive checks that Permissive makes a legal trace of bounded size of any bytes, keeps a legal trace as it
// is, and that its trace survives printing and parsing.
func checkPermissive(t *testing.T, data []byte, m *apimodel.Model) {
	t.Helper()
	tr := Permissive(data, m)
	if err := Check(tr); err != nil {
		t.Fatalf("not legal: %v", err)
	}
	if len(tr.Calls) > len(data) || len(tr.Lits) > len(data)+len(tr.Calls) || len(tr.Notes) > len(data) {
		t.Fatalf("%d bytes became %d calls, %d literals and %d notes", len(data), len(tr.Calls), len(tr.Lits), len(tr.Notes))
	}
	if parsed, err := Parse(bytes.NewReader(data), ""); err == nil && !Equal(parsed, tr) {
		t.Fatalf("a legal trace changes:\n%s", firstDifference(parsed.String(), tr.String()))
	}
	again, err := ParseString(tr.String())
	if err != nil || !Equal(again, tr) {
		t.Fatalf("the trace does not print and parse: %v\n%s", err, tr)
	}
}
