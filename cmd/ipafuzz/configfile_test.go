package main

import (
	"os"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/ipafuzz/ipafuzz/replay"
)

// TestWayOfThreads: threads need a process for each trace, unless the user wants something else.
func TestWayOfThreads(t *testing.T) {
	for args, want := range map[string]replay.Way{
		"fuzz": replay.Persistent, "fuzz --way fork": replay.Fork, "fuzz --threads": replay.Fork,
		"fuzz --threads --way persistent": replay.Persistent,
	} {
		parser, err := newParser()
		if err != nil {
			t.Fatal(err)
		}
		cli.Fuzz = fuzzCommand{}
		if _, err := parser.Parse(strings.Fields(args)); err != nil || cli.Fuzz.way() != want {
			t.Errorf("%s: %s, %v, want %s", args, cli.Fuzz.way(), err, want)
		}
	}
}

// TestTheFileInTheDocs checks that fuzz accepts every key of the example.
func TestTheFileInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/campaigns.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```toml\n")
	example, _, _ := strings.Cut(rest, "```")
	path := t.TempDir() + "/night.toml"
	if err := os.WriteFile(path, []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if _, err := toml.Decode(example, &values); err != nil || len(values) == 0 {
		t.Fatalf("%v: %q", err, example)
	}
	parser, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"fuzz", "--config", path}); err != nil {
		t.Fatal(err)
	}
	if f := &cli.Fuzz; len(f.Target) != 2 || len(f.Profile) != 2 || f.Workers != 8 || f.Seed == nil || *f.Seed != 0x5eed ||
		f.Time == nil || f.Time.Hours() != 12 || f.CPU.Seconds() != 2 {
		t.Errorf("%+v", cli.Fuzz)
	}
}
