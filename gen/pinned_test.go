package gen_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
	"github.com/ipafuzz/ipafuzz/trace"
)

// goldenFile holds one line for each group of pinned traces: its name, then
// "column=hash" for each of its columns, most often one for each profile.
const goldenFile = "testdata/pinned.txt"

var update = flag.String("update", "", "write "+goldenFile+
	": 'new' adds and removes rows and columns, 'changed' also replaces hashes: old seeds make other traces then")

// Each hash covers this many traces, or fewer if they have this many calls.
const (
	tracesPinned = 200
	callsPinned  = 5_000
)

// The pinned traces come from these campaigns in turn.
var campaigns = []uint64{0, 1, 0x9f3c21d0a7b45e11, 1<<64 - 1}

// TestTracesArePinned: the traces of all families, profiles, schedules, models, bounds and mutations are the same, byte
// for byte, as in earlier versions. If it fails, undo the change, or raise the version of the family or profile that it
// alters and run this test with -update.
func TestTracesArePinned(t *testing.T) {
	if testing.Short() {
		t.Skip("makes the traces of 4,484 hashes: 20 s")
	}
	t.Parallel()
	p := &pins{test: t, rows: map[string][]cell{}}
	p.families()
	p.profiles()
	p.schedules()
	p.features()
	p.bounds()
	p.mutations()
	p.formulas()
	p.files()
	p.compare()
}

type cell struct{ column, hash string }

// pins collects the hashes of the traces that the current code makes.
type pins struct {
	test  *testing.T
	order []string // names of the rows
	rows  map[string][]cell
}

func (p *pins) add(row, column string, h hash.Hash64) {
	if _, known := p.rows[row]; !known {
		p.order = append(p.order, row)
	}
	p.rows[row] = append(p.rows[row], cell{column, fmt.Sprintf("%016x", h.Sum64())})
}

// families pins every family with every profile for every model.
func (p *pins) families() {
	for _, f := range append(family.All(), family.Older()...) {
		for _, m := range apimodel.Propositional() {
			for _, profile := range allProfiles() {
				c := gen.Config{Model: m, Family: f.String(), Profile: profile.String(), Description: described(p.test, m, "")}
				p.traces(fmt.Sprintf("family %s %s", f, m.Name), profile.String(), c)
			}
		}
	}
}

func (p *pins) profiles() {
	for _, m := range apimodel.Propositional() {
		for _, profile := range allProfiles() {
			c := gen.Config{Model: m, Profile: profile.String(), Description: described(p.test, m, "")}
			p.traces("profile "+m.Name, profile.String(), c)
			c.Description = described(p.test, m, "options")
			p.traces("options "+m.Name, profile.String(), c)
		}
	}
}

// schedules pins every schedule with the profiles that have schedules.
func (p *pins) schedules() {
	for _, m := range apimodel.Propositional() {
		for _, s := range family.Schedules(false) {
			for _, profile := range allProfiles() {
				c := gen.Config{Model: m, Schedule: s.String(), Profile: profile.String()}
				if len(profile.Families) > 1 {
					p.traces(fmt.Sprintf("schedule %s %s", s, m.Name), profile.String(), c)
				}
			}
		}
	}
}

// features pins traces without each of the features, and traces without any.
func (p *pins) features() {
	for _, m := range apimodel.Propositional() {
		known, err := gen.KnownFeatures(m, "")
		if err != nil {
			p.test.Fatal(err)
		}
		var all []string
		for _, f := range known {
			if f.Name != "deciding" { // added after these pins; headers name the features that are off
				all = append(all, f.Name)
			}
		}
		for _, profile := range []string{"tiny", "small"} {
			c := gen.Config{Model: m, Profile: profile, Description: described(p.test, m, "options")}
			for _, name := range all {
				c.Without = []string{name}
				p.traces("without "+name, m.Name+"+"+profile, c)
			}
			c.Without = all
			p.traces("without everything", m.Name+"+"+profile, c)
		}
	}
}

// bounds pins traces under tight bounds, and some under very wide ones.
func (p *pins) bounds() {
	for _, b := range []gen.Bounds{
		{MaxVars: 1},
		{MaxVars: 2, MaxCalls: 8},
		{MaxVars: 6, MaxCalls: 20, MaxWeight: 1, MaxSum: 1},
		{MaxVars: 30, MaxCalls: 300, MaxWeight: 100, MaxSum: 150},
		{MaxVars: 30, MaxCalls: 300, MaxWeight: 1<<63 - 1, MaxSum: 1<<64 - 1},
		{MaxVars: 5_000, MaxCalls: 2_000, MaxWeight: 1 << 40},
		{MaxVars: 50_000_000, MaxCalls: 400},
		{MaxVars: 1<<31 - 1, MaxCalls: 1<<31 - 1},
	} {
		row := fmt.Sprintf("bounds %d,%d,%d,%d", b.MaxVars, b.MaxCalls, b.MaxWeight, b.MaxSum)
		for _, m := range apimodel.Propositional() {
			for _, profile := range []string{"mixed", "wide"} {
				c := gen.Config{Model: m, Profile: profile, Bounds: b}
				p.traces(row, m.Name+"+"+profile, c)
			}
			c := gen.Config{Model: m, Profile: "mixed", Bounds: b, Description: described(p.test, m, "picky")}
			p.traces(row, m.Name+"+picky", c)
		}
	}
}

// traces pins the first traces of a configuration with their headers.
func (p *pins) traces(row, column string, c gen.Config) {
	g, err := gen.New(c)
	if err != nil {
		p.test.Fatalf("%s %s: %v", row, column, err)
	}
	h := fnv.New64a()
	var t trace.Trace
	var text []byte
	for i, calls := 0, 0; i < tracesPinned && calls < callsPinned; i++ {
		seed := nthSeed(i)
		g.Generate(seed, &t)
		t.Notes = g.Notes(seed)
		text = t.AppendText(text[:0])
		h.Write(text)
		calls += len(t.Calls)
	}
	p.add(row, column, h)
}

// mutations pins mutants and traces fitted to a target.
func (p *pins) mutations() {
	for _, m := range apimodel.Propositional() {
		for _, c := range []struct {
			name   string
			config gen.Config
		}{
			{"plain", gen.Config{}},
			{"bounded", gen.Config{Bounds: gen.Bounds{MaxVars: 6, MaxCalls: 40, MaxWeight: 1000, MaxSum: 5000}}},
			{"picky", gen.Config{Description: described(p.test, m, "picky")}},
			{"without", gen.Config{Without: []string{"gaps", "repeat-solve", "two-instances", "early-release"}}},
		} {
			for _, parents := range []string{"tiny", "small", "app"} {
				config := c.config
				config.Model = m
				column := c.name + "+" + parents
				p.mutants(m, column, config, gen.Config{Model: m, Profile: parents,
					Description: described(p.test, m, "options")})
			}
		}
	}
}

func (p *pins) mutants(m *apimodel.Model, column string, c, parents gen.Config) {
	g, err := gen.New(parents)
	if err != nil {
		p.test.Fatal(err)
	}
	mutator, err := mutate.New(c)
	if err != nil {
		p.test.Fatal(err)
	}
	mutated, fitted := fnv.New64a(), fnv.New64a()
	var first, second, out trace.Trace
	var text []byte
	for i := range tracesPinned / 2 {
		g.Generate(nthSeed(2*i), &first)
		g.Generate(nthSeed(2*i+1), &second)
		done, err := mutator.Mutate(nthSeed(i), []*trace.Trace{&first, &second}, &out)
		if err != nil {
			p.test.Fatal(err)
		}
		out.Notes = mutate.Notes(nthSeed(i), []string{"a", "b"}, done, nil)
		text = out.AppendText(text[:0])
		mutated.Write(text)
		same := mutator.Fit(&first, &out)
		text = fmt.Appendf(out.AppendText(text[:0]), "%v\n", same)
		fitted.Write(text)
	}
	p.add(fmt.Sprintf("mutation/%d %s", mutate.Version, m.Name), column, mutated)
	p.add("fit "+m.Name, column, fitted)
}

// formulas pins the families' formulas at their published sizes.
func (p *pins) formulas() {
	for _, info := range append(family.All()[1:], family.Older()...) {
		source, err := family.NewSource(info.String())
		if err != nil {
			p.test.Fatal(err)
		}
		h := fnv.New64a()
		var f family.Formula
		var buffer []byte
		for i, clauses := 0, 0; i < tracesPinned && clauses < 20*callsPinned; i++ {
			source.Formula(nthSeed(i), &f)
			buffer = binary.LittleEndian.AppendUint32(buffer[:0], uint32(f.Vars))
			for number := range f.Clauses() {
				lits, weight := f.Clause(number)
				buffer = binary.LittleEndian.AppendUint64(buffer, weight)
				for _, l := range lits {
					buffer = binary.LittleEndian.AppendUint32(buffer, uint32(l))
				}
			}
			h.Write(buffer)
			clauses += f.Clauses()
		}
		p.add("formulas", info.String(), h)
	}
}

// files pins traces of formula files.
func (p *pins) files() {
	m := apimodel.WCNF
	for _, profile := range gen.ProfilesOf(m) {
		p.traces("profile wcnf", profile.String(), gen.Config{Model: m, Profile: profile.String()})
	}
	for _, f := range append(family.Files(), family.Older()...) {
		for _, profile := range []string{"small/1", "wide/1"} {
			p.traces(fmt.Sprintf("family %s wcnf", f), profile, gen.Config{Model: m, Family: f.String(), Profile: profile})
		}
	}
	for _, profile := range gen.ProfilesOf(apimodel.CNF) {
		p.traces("profile cnf", profile.String(), gen.Config{Model: apimodel.CNF, Profile: profile.String()})
	}
	var all []string
	for _, f := range feature.Files {
		all = append(all, f.String())
		p.traces("files without "+f.String(), "mixed", gen.Config{Model: m, Without: []string{f.String()}})
	}
	p.traces("files without everything", "mixed", gen.Config{Model: m, Without: all})
	for _, b := range []gen.Bounds{
		{MaxVars: 1},
		{MaxVars: 2, MaxCalls: 8},
		{MaxVars: 6, MaxCalls: 20, MaxWeight: 1, MaxSum: 1},
		{MaxVars: 30, MaxCalls: 300, MaxWeight: 100, MaxSum: 150},
		{MaxVars: 1<<31 - 1, MaxCalls: 1<<31 - 1},
	} {
		row := fmt.Sprintf("files bounds %d,%d,%d,%d", b.MaxVars, b.MaxCalls, b.MaxWeight, b.MaxSum)
		for _, profile := range []string{"mixed", "wide"} {
			p.traces(row, profile, gen.Config{Model: m, Profile: profile, Bounds: b})
		}
	}
	for _, c := range []gen.Config{{}, {Bounds: gen.Bounds{MaxVars: 6, MaxCalls: 40, MaxWeight: 1000, MaxSum: 5000}},
		{Without: []string{"wide-soft", "no-hard"}}} {
		for _, parents := range []string{"tiny", "small"} {
			column := fmt.Sprintf("%d,%d+%s", c.MaxVars, len(c.Without), parents)
			c.Model = m
			p.mutants(m, column, c, gen.Config{Model: m, Profile: parents})
		}
	}
}

// compare compares the hashes with the golden file, or writes them to it.
func (p *pins) compare() {
	golden, err := os.ReadFile(goldenFile)
	if err != nil && *update == "" {
		p.test.Fatal(err)
	}
	made, pinned := p.hashes(), hashesOf(string(golden))
	changed := 0
	for key, hash := range pinned {
		if made[key] == "" && *update == "" {
			p.test.Errorf("%s is pinned, but the code no longer makes it", key)
		} else if made[key] != "" && made[key] != hash {
			changed++
		}
	}
	if changed > 0 && *update != "changed" {
		p.test.Errorf("%d of %d pinned groups of traces have changed: %s", changed, len(pinned), someChanged(made, pinned))
	}
	for key := range made {
		if pinned[key] == "" && *update == "" {
			p.test.Errorf("%s is not pinned: run this test with -update=new", key)
		}
	}
	switch {
	case *update == "":
	case *update != "new" && *update != "changed":
		p.test.Errorf("-update=%s: want new or changed", *update)
	case *update == "new" && p.test.Failed():
		p.test.Log("-update=new replaces no hash; -update=changed does")
	default:
		if err := os.WriteFile(goldenFile, []byte(p.String()), 0o644); err != nil {
			p.test.Fatal(err)
		}
	}
}

func (p *pins) String() string {
	var text strings.Builder
	for _, row := range p.order {
		text.WriteString(row + ":")
		for _, c := range p.rows[row] {
			text.WriteString(" " + c.column + "=" + c.hash)
		}
		text.WriteString("\n")
	}
	return text.String()
}

func (p *pins) hashes() map[string]string { return hashesOf(p.String()) }

// hashesOf returns the hashes in a golden file by row and column.
func hashesOf(golden string) map[string]string {
	hashes := make(map[string]string)
	for line := range strings.Lines(golden) {
		row, columns, _ := strings.Cut(line, ": ")
		for _, column := range strings.Fields(columns) {
			name, hash, _ := strings.Cut(column, "=")
			hashes[row+" "+name] = hash
		}
	}
	return hashes
}

// someChanged names the first twelve groups that have changed.
func someChanged(made, pinned map[string]string) string {
	var names []string
	for key, hash := range pinned {
		if made[key] != "" && made[key] != hash {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return strings.Join(names[:min(len(names), 12)], "; ")
}

// nthSeed returns the seed of the i-th pinned trace.
func nthSeed(i int) uint64 {
	return draw.Seed(campaigns[i%len(campaigns)], uint64(i%3), uint64(i/len(campaigns)))
}

func allProfiles() []gen.ProfileInfo { return gen.Profiles() }

// described returns the description of that name in testdata. For "", it returns nil, or the zero Description if the
// model extends another, because the added calls need capabilities.
func described(t *testing.T, m *apimodel.Model, name string) *apimodel.Description {
	if name == "" && m.Extends == nil {
		return nil
	}
	var text []byte
	if name != "" {
		var err error
		if text, err = os.ReadFile("testdata/" + name + ".target"); err != nil {
			t.Fatal(err)
		}
	}
	const asWithout = "policy failed-non-assumption=any\npolicy weight=below-2^64\n" // as without a description
	d, err := apimodel.ParseDescription(string(text) + asWithout)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
