package fault_test

import (
	"cmp"
	"context"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

var limits = replay.Limits{CPU: 500 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 16 << 20}

func setting(name string, usual int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil || n < 1 {
		return usual
	}
	return n
}

// limitedClass reports whether a failure of the class takes long to show.
func limitedClass(class string) bool { return class == "3.1" || class == "3.2" || class == "5.7" }

// profiles returns the profiles that IPAFUZZ_PROFILES lists.
func profiles() []string { return strings.Fields(cmp.Or(os.Getenv("IPAFUZZ_PROFILES"), "tiny")) }

// models returns the models whose libraries can have defects. IPAFUZZ_MODELS lists fewer.
func models() []string {
	return strings.Fields(cmp.Or(os.Getenv("IPAFUZZ_MODELS"), "ipasir ipamir ipasir+cadical ipasir2 qbf"))
}

// defectsOf returns the names of the defects that a library of the model can have.
func defectsOf(model string) (names []string) {
	for _, d := range ref.Defects() {
		if !limitedClass(d.Class) && (d.Model == model || d.Model == "both" && (model == "ipasir" || model == "ipamir")) {
			names = append(names, d.Name)
		}
	}
	return names
}

// oneDefect returns the libraries of the models with one defect, each with every profile and every seed.
func oneDefect(models, profiles []string, seeds ...uint64) []setup {
	return eachOf(models, profiles, seeds, defectsOf)
}

// twoDefects returns the libraries of the models with two defects, each with every profile and every seed.
func twoDefects(models, profiles []string, seeds ...uint64) []setup {
	return eachOf(models, profiles, seeds, func(model string) (pairs []string) {
		names := defectsOf(model)
		for i, a := range names {
			for _, b := range names[:i] {
				if a == "option-inverted" { // with it, the library refuses to set another option
					pairs = append(pairs, b+second+a)
				} else {
					pairs = append(pairs, a+second+b)
				}
			}
		}
		return pairs
	})
}

const second = ",second=" // stands between two defects

func eachOf(models, profiles []string, seeds []uint64, libraries func(model string) []string) (all []setup) {
	for _, model := range models {
		for _, defects := range libraries(model) {
			for _, profile := range profiles {
				for _, seed := range seeds {
					all = append(all, setup{Defects: defects, Model: model, Profile: profile, Seed: seed})
				}
			}
		}
	}
	return all
}

// shuffle puts setups into the random order in which they are measured. Each group and each profile has another one.
func shuffle(all []setup) []setup {
	r := rand.New(rand.NewPCG(uint64(len(all)), uint64(crc32.ChecksumIEEE([]byte(all[0].String())))))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestOneDefect counts the faults of campaigns on libraries with one planted defect; ideally there is one.
// It prints why faults of one defect are apart, and how often failures of two libraries would be one fault.
// IPAFUZZ_DEFECTS=n takes every n-th library, IPAFUZZ_PROFILES other profiles than tiny, IPAFUZZ_MODELS only these.
func TestOneDefect(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	var sum sums
	var samples []*sample
	apart := make(tally)
	n := setting("IPAFUZZ_DEFECTS", 20)
	for i, s := range oneDefect(models(), profiles(), testseed.Of(t, 1)) {
		if i%n == 0 {
			samples = append(samples, sum.measureOne(t, s, apart))
		}
	}
	across(t, samples)
	t.Logf("why pairs of faults are apart:%v", apart)
	mean, _, _ := sum.mean()
	t.Logf("runs whose findings are one fault: %v, one block: %v, faults in a run: %.2f, time for experiments: %s",
		sum.one(), sum.oneBlock(), mean, sum.cost())
	if sum.Found == 0 || 2*sum.OneBlock < sum.Found {
		t.Errorf("only %d of %d runs have one block", sum.OneBlock, sum.Found)
	}
}

// measureOne runs a campaign on a library with one defect and adds up its faults.
func (u *sums) measureOne(t *testing.T, of setup, apart tally) *sample {
	t.Helper()
	s := of.run(t)
	u.Runs++
	u.Experiments += s.Causes.Seconds()
	u.Seconds += s.Elapsed.Seconds()
	if s.Late {
		u.Late++
	}
	faults := fault.Group(s.ofDefect(t))
	u.Faults, u.Squares = u.Faults+len(faults), u.Squares+len(faults)*len(faults)
	if fault.Blocks(faults) == 1 {
		u.OneBlock++
	}
	switch len(faults) {
	case 0:
		return s
	case 1:
		u.One++
	default:
		t.Logf("%v: %d findings are %d faults", of, len(s.findings), len(faults))
		apart.count(faults)
		if os.Getenv("IPAFUZZ_SHOW") != "" {
			show(t, faults)
		}
	}
	u.Found++
	return s
}

// TestTwoDefects runs campaigns on libraries with random pairs of planted defects and on libraries with
// each of the two. IPAFUZZ_PAIRS is the number of pairs, IPAFUZZ_PROFILES lists other profiles than tiny.
func TestTwoDefects(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	var sum sums
	for _, s := range shuffle(twoDefects(models(), profiles(), testseed.Of(t, 1)))[:setting("IPAFUZZ_PAIRS", 2)] {
		sum.measureTwo(t, s)
	}
	t.Logf("findings of both are one fault: %v, in one block: %v, one is not reported, though it is alone: %v",
		sum.merged(), share{sum.Nested, sum.Both}, sum.unreported())
}

// measureTwo runs campaigns on a library with two defects and on libraries with each of the two.
func (u *sums) measureTwo(t *testing.T, of setup) {
	t.Helper()
	u.Pairs++
	names := [2]string(strings.Split(of.Defects, second))
	var alone [2]*store.Finding
	for i, name := range names {
		one := of
		one.Defects, one.First = name, true
		s := one.run(t)
		if len(s.findings) == 0 {
			return
		}
		alone[i] = s.findings[0]
	}
	u.Alone++
	s := of.run(t)
	same, any := ownersOf(t, names, of.Model, s.findings)
	for _, f := range s.findings {
		if same[f] != [2]bool{} {
			continue
		}
		of := any[f] // f needs both defects, so it also belongs to one that fails with this key alone
		for i := range of {
			of[i] = of[i] || f.Finding.Key("") == alone[i].Finding.Key("")
		}
		any[f] = of
	}
	var reported, block [2]bool
	merged, nested := false, false
	for _, f := range fault.Group(s.findings) {
		owns := [2]bool{}
		if f.Under == "" {
			block = [2]bool{}
		}
		for _, of := range f.Findings {
			for i := range owns {
				owns[i] = owns[i] || same[of][i] && !same[of][1-i]
				block[i] = block[i] || owns[i]
				reported[i] = reported[i] || any[of][i]
			}
		}
		merged, nested = merged || owns[0] && owns[1], nested || block[0] && block[1]
	}
	if !reported[0] || !reported[1] {
		hidden := false
		for i, is := range reported {
			hidden = hidden || !is && hides(t, of, names, i)
		}
		if hidden {
			u.Hidden++
		}
		t.Logf("%v: one is not reported; the other hides it: %v", of, hidden)
		return
	}
	u.Both++
	if nested {
		u.Nested++
	}
	if merged {
		u.Merged++
		t.Logf("%v: both are wrongly one fault", of)
		if os.Getenv("IPAFUZZ_SHOW") != "" {
			show(t, fault.Group(s.findings))
		}
	}
}

// ofDefect returns the findings without slow solves that take as long without the defect.
func (s *sample) ofDefect(t *testing.T) (findings []*store.Finding) {
	t.Helper()
	for _, f := range s.findings {
		if f.Class == oracle.TooSlow {
			session := examine(t, "ref", s.Setup.Model)
			var run trace.Run
			_, err := session.Run(t.Context(), f.Original, &run)
			session.Close()
			if err != nil {
				t.Fatal(err)
			}
			if run.End.IsLimit() {
				continue
			}
		}
		findings = append(findings, f)
	}
	return findings
}

// hides reports whether the other defect of the library hides this one: no trace that shows a finding of a library with
// this defect alone, be it as generated or minimal, fails in the same way on the library unless the other defect alone
// makes it do so.
func hides(t *testing.T, of setup, names [2]string, this int) bool {
	t.Helper()
	one := of
	one.Defects = names[this]
	both := examine(t, "ref:defect="+of.Defects, of.Model)
	defer both.Close()
	other := examine(t, "ref:defect="+names[1-this], of.Model)
	defer other.Close()
	for _, f := range one.run(t).findings {
		for _, made := range []*trace.Trace{f.Original, f.Minimal} {
			if shows(t, both, made, f) && !shows(t, other, made, f) {
				return false
			}
		}
	}
	return true
}

// shows reports whether a trace fails in the same way as the finding.
func shows(t *testing.T, session *trial.Session, made *trace.Trace, f *store.Finding) bool {
	t.Helper()
	var run trace.Run
	wrong, err := session.Run(t.Context(), made, &run)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(wrong, func(w oracle.Finding) bool { return w.Class == f.Class && w.Detail == f.Detail })
}

// examine returns a session for a library.
func examine(t *testing.T, spec, model string) *trial.Session {
	t.Helper()
	target, err := targets.Resolve(spec, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	return trial.NewExamination(target, describe(t, target), limits, false)
}

func describe(t *testing.T, target *replay.Target) *apimodel.Description {
	t.Helper()
	description, err := trial.Describe(target, limits)
	if err != nil {
		t.Fatal(err)
	}
	return description
}

// ownersOf returns which of two defects alone makes the minimal trace of each finding fail in the same way,
// and which makes it fail in any way. If two answers differ, they are the defect's that makes the wrong one. A failure
// that needs both defects belongs to those that make its original trace fail with the same class, if there are any.
func ownersOf(t *testing.T, names [2]string, model string, findings []*store.Finding) (same,
	any map[*store.Finding][2]bool) {
	t.Helper()
	same, any = make(map[*store.Finding][2]bool), make(map[*store.Finding][2]bool)
	before := make(map[*store.Finding][2]bool)
	for i, name := range names {
		session := examine(t, "ref:defect="+name, model)
		for _, f := range findings {
			class, detail := diagnosed(f)
			var run trace.Run
			wrong, err := session.Run(context.Background(), f.Minimal, &run)
			if err != nil {
				t.Fatal(err)
			}
			of, ofAny := same[f], any[f]
			ofAny[i] = len(wrong) > 0
			of[i] = slices.ContainsFunc(wrong, func(w oracle.Finding) bool {
				return w.Class == trial.UnmixedClass(class, detail) && strings.HasSuffix(detail, w.Detail)
			})
			same[f], any[f] = of, ofAny
			if wrong, err = session.Run(context.Background(), f.Original, &run); err != nil {
				t.Fatal(err)
			}
			began := before[f]
			began[i] = slices.ContainsFunc(wrong, func(w oracle.Finding) bool {
				return w.Class == trial.UnmixedClass(f.Class, f.Detail)
			})
			before[f] = began
		}
		session.Close()
	}
	for f, of := range any {
		if of == [2]bool{} { // only both defects together make the minimal trace fail
			any[f] = before[f]
		}
	}
	return same, any
}

// diagnosed returns class and detail of the failure that the experiments of a finding are about.
func diagnosed(f *store.Finding) (class oracle.Class, detail string) {
	if f.Diagnosis == nil || f.Diagnosis.Of == "" {
		return f.Class, f.Detail
	}
	of, detail, _ := strings.Cut(f.Diagnosis.Of, " ")
	return oracle.Class(of), detail
}
