package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/diagnose"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestRegroup groups the samples in the directory IPAFUZZ_SAMPLES, which make faults keeps in build/faults. So other
// rules need no new campaigns. If experiments changed, IPAFUZZ_ANEW names a directory for the samples with what the
// experiments find out now. IPAFUZZ_ONLY names a defect; other libraries are left out.
func TestRegroup(t *testing.T) {
	if os.Getenv("IPAFUZZ_SAMPLES") == "" {
		t.Skip("needs samples of make faults")
	}
	samples := readSamples(t, os.Getenv("IPAFUZZ_SAMPLES"))
	if anew := os.Getenv("IPAFUZZ_ANEW"); anew != "" {
		t.Setenv("IPAFUZZ_SAMPLES", anew)
		for _, of := range samples {
			if !of.Setup.First {
				of.diagnose(t)
			}
			of.store(t)
		}
	}
	var sum sums
	apart := make(tally)
	for _, of := range samples {
		switch {
		case of.Setup.First:
		case strings.Contains(of.Setup.Defects, second):
			sum.measureTwo(t, of.Setup)
		default:
			sum.measureOne(t, of.Setup, apart)
		}
	}
	mean, _, _ := sum.mean()
	t.Logf("one fault: %v, faults in a run: %.2f; of two defects merged: %v, one not reported: %v", sum.one(), mean,
		sum.merged(), sum.unreported())
	t.Logf("why pairs of faults are apart:%v", apart)
}

func readSamples(t *testing.T, dir string) (samples []*sample) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		of := new(sample)
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, of)
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(of.Setup.Defects, os.Getenv("IPAFUZZ_ONLY")) {
			samples = append(samples, of)
		}
	}
	return samples
}

// diagnose determines the causes of the findings again.
func (s *sample) diagnose(t *testing.T) {
	t.Helper()
	for i := range s.Kept {
		k := &s.Kept[i]
		if k.Diagnosis == nil {
			continue
		}
		session := examine(t, "ref:defect="+s.Setup.Defects, s.Setup.Model)
		f := k.finding(t, session.Target.Name)
		failure := diagnose.Failure{Key: f.Key, Minimal: f.Minimal, Rate: trial.Rate{Failed: 3, Runs: 3},
			Config: dd.Config{Description: describe(t, session.Target)}}
		result, err := failure.Run(t.Context(), session)
		session.Close()
		if err != nil {
			t.Fatal(err)
		}
		if result == nil {
			t.Logf("%v: %s does not fail", s.Setup, f.Key)
			continue
		}
		k.Diagnosis, k.Normal = result.Diagnosis, ""
		if trace.CallsAlone(result.Normal) != trace.CallsAlone(f.Minimal) {
			k.Normal = result.Normal.String()
		}
	}
}

// TestNormalForms brings the minimal traces of the samples in IPAFUZZ_SAMPLES with one defect into their normal forms,
// and also each with randomly renamed and negated variables. It counts the traces whose renamed form fails with the
// same key and has the same normal form.
func TestNormalForms(t *testing.T) {
	if os.Getenv("IPAFUZZ_SAMPLES") == "" {
		t.Skip("needs samples of make faults")
	}
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 11))
	failed, alike := 0, 0
	for _, of := range readSamples(t, os.Getenv("IPAFUZZ_SAMPLES")) {
		if of.Setup.First || strings.Contains(of.Setup.Defects, second) {
			continue
		}
		session := examine(t, "ref:defect="+of.Setup.Defects, of.Setup.Model)
		for i := range of.Kept {
			if of.Kept[i].Diagnosis == nil {
				continue
			}
			f := of.Kept[i].finding(t, session.Target.Name)
			before := normalForm(t, session, f.Key, f.Minimal)
			after := normalForm(t, session, f.Key, renamed(f.Minimal, r))
			if before == "" || after == "" {
				continue
			}
			failed++
			if before == after {
				alike++
			} else if os.Getenv("IPAFUZZ_SHOW") != "" {
				t.Logf("%v: %s\n%s\nrenamed\n%s", of.Setup, f.Key, before, after)
			}
		}
		session.Close()
	}
	t.Logf("%v of the renamed traces have the same normal form", share{alike, failed})
}

// normalForm returns the calls of the normal form, or "" if the trace does not fail with the key.
func normalForm(t *testing.T, session *trial.Session, key oracle.Key, minimal *trace.Trace) string {
	t.Helper()
	prober, err := cause.NewProber(t.Context(), session, minimal, key, trial.Rate{Failed: 3, Runs: 3})
	if errors.Is(err, cause.ErrNotFailing) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	test := dd.TestFunc(func(ctx context.Context, _ int, one *trace.Trace) (dd.Verdict, error) {
		same, err := prober.ShowsKey(ctx, one)
		return dd.Verdict{Same: same, Call: -1}, err
	})
	normal, err := dd.Canonical(t.Context(), minimal, test, dd.Config{Description: describe(t, session.Target)})
	if errors.Is(err, dd.ErrNotFailing) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return trace.CallsAlone(normal.Trace)
}

// renamed returns the trace with other variables of the same set, some of them negated.
func renamed(t *trace.Trace, r *rand.Rand) *trace.Trace {
	to, vars := make(map[int32]int32), []int32(nil)
	image := t.Clone()
	image.Want = trace.Answers{}
	for i := range image.Calls {
		if image.Calls[i].Op.HasLits() {
			for _, lit := range image.Args(&image.Calls[i]) {
				if v := trace.Var(lit); to[v] == 0 {
					to[v], vars = v, append(vars, v)
				}
			}
		}
	}
	for i, number := range r.Perm(len(vars)) {
		to[vars[i]] = vars[number]
		if r.IntN(2) == 0 {
			to[vars[i]] = -vars[number]
		}
	}
	name := func(lit int32) int32 {
		if lit < 0 {
			return -to[-lit]
		}
		return to[lit]
	}
	for i := range image.Calls {
		if c := &image.Calls[i]; c.Op.HasLits() {
			for k, lits := 0, image.Args(c); k < len(lits); k++ {
				lits[k] = name(lits[k])
			}
		}
	}
	image.Planted = t.RenamePlanted(name)
	return image
}
