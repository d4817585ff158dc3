package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

type mergeCommand struct {
	Dirs []string `arg:"" placeholder:"DIR"`
	Out  string   `required:"" type:"path" placeholder:"DIR"`
}

func (m *mergeCommand) Run() error {
	merged, err := store.Merge(m.Dirs, m.Out, programName())
	var cannot *store.MergeError
	var stored *store.StoredError
	if errors.As(err, &cannot) || errors.As(err, &stored) {
		return exit.Misuse(err)
	}
	if err != nil {
		return exit.MisuseOfDirectory(err)
	}
	r := &merged.Record
	fmt.Printf("%s, %s traces, %s solves, %s: %s\n", printable.Things(len(r.Parts), "part"),
		printable.Count(r.Stats.Traces), printable.Count(r.Stats.Solves),
		printable.Things(len(merged.Findings), "finding"), m.Out)
	if missing := merged.Missing(); len(missing) > 0 {
		var names []string
		for _, shard := range missing {
			names = append(names, fmt.Sprint(shard))
		}
		fmt.Fprintf(os.Stderr, "ipafuzz: of %d shards these are missing: %s\n", r.Of, strings.Join(names, ", "))
	}
	return nil
}
