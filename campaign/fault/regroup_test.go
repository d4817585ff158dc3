package fault_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/diagnose"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
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
