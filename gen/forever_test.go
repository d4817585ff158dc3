package gen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// pinnedFile holds a line for every family version, the hash of its first 1000
// formulas, and for every profile version and model, the hash of its first 1000
// traces (100 of the published size); the same for every schedule, and for the
// planted assignments of the families that have some.
const pinnedFile = "testdata/pinned.txt"

// TestVersionsAreForEver pins all families and profiles. When it fails either
// the change was not meant to change formulas or traces, or the version of what
// changed must be raised; then IPAFUZZ_UPDATE=1 writes the new line.
func TestVersionsAreForEver(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes thousands of large formulas")
	}
	var lines []string
	for i := range families {
		lines = append(lines, fmt.Sprintf("family %s %#016x", &families[i], formulaFingerprint(t, families[i].name, 1000)))
	}
	for i := range profiles {
		for _, m := range apimodel.Models() {
			traces := uint64(1000)
			if profiles[i].name == "published" {
				traces = 100
			}
			g := newGenerator(t, Config{Model: m, Profile: profiles[i].name})
			lines = append(lines, fmt.Sprintf("profile %s %s %#016x", &profiles[i], m.Name, fingerprint(g, traces)))
		}
	}
	for _, schedule := range Schedules() {
		for _, m := range apimodel.Models() {
			g := newGenerator(t, Config{Model: m, Profile: "small", Schedule: schedule.Name})
			lines = append(lines, fmt.Sprintf("schedule %s small/1 %s %#016x", schedule.Name, m.Name, fingerprint(g, 1000)))
		}
	}
	for _, name := range []string{"planted/1", "cores/1"} {
		for _, m := range apimodel.Models() {
			g := newGenerator(t, Config{Model: m, Profile: "small", Family: strings.TrimSuffix(name, "/1")})
			lines = append(lines, fmt.Sprintf("planted %s small/1 %s %#016x", name, m.Name, plantedFingerprint(g, 1000)))
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	if os.Getenv("IPAFUZZ_UPDATE") != "" {
		if err := os.WriteFile(pinnedFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(pinnedFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(want, []byte("\n")) {
		if i < len(lines) && string(line) != lines[i] {
			t.Errorf("pinned: %s\nnow:    %s", line, lines[i])
		}
	}
	if len(want) != len(got) {
		t.Errorf("%s has other lines than there are families and profiles", pinnedFile)
	}
}

// plantedFingerprint hashes the planted assignments of the first traces.
func plantedFingerprint(g *Generator, traces uint64) uint64 {
	h := fnv.New64a()
	var t trace.Trace
	for number := range traces {
		g.Generate(Seed(0, 0, number), &t)
		for i := range t.Planted {
			p := &t.Planted[i]
			for _, part := range []any{number, p.Instance, p.Optimal, p.Cost, uint32(len(p.Lits)), p.Lits} {
				if err := binary.Write(h, binary.LittleEndian, part); err != nil {
					panic(err)
				}
			}
		}
	}
	return h.Sum64()
}

func formulaFingerprint(t *testing.T, name string, formulas uint64) uint64 {
	source, err := NewSource(name)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	var f Formula
	var buffer []byte
	for number := range formulas {
		source.Formula(Seed(0, 0, number), &f)
		buffer = binary.LittleEndian.AppendUint32(buffer[:0], uint32(f.Vars))
		for i := range f.Clauses() {
			lits, weight := f.Clause(i)
			buffer = binary.LittleEndian.AppendUint64(buffer, weight)
			for _, l := range lits {
				buffer = binary.LittleEndian.AppendUint32(buffer, uint32(l))
			}
		}
		h.Write(buffer)
	}
	return h.Sum64()
}
