package cause

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// name names a fault by its simplest failure: by its place; or else by the rare inputs that it needs; or
// else by its cause (or its symptom, if the cause is unknown) and the shape of its root or minimal trace. So
// the name often stays the same if another campaign reduces the failure to another trace.
func (f *Failure) name() string {
	rare := f.rareInputs()
	switch {
	case f.Location != "" && f.Symptom == oracle.Deadlock.Info().Name:
		return dashed(f.Symptom) + "-" + digest(f.Location)
	case f.Location != "":
		return crash + "-" + digest(f.Location)
	case f.Cause == "": // at least, it says how the fault fails
		return dashed(cmp.Or(f.Symptom, "unknown")) + "-" + digest(f.Symptom+f.Key+Shape(f.Minimal))
	case rare != Nothing:
		return dashed(string(rare)) + "-" + digest(f.Symptom)
	}
	return dashed(string(f.Cause)) + "-" + digest(f.Symptom+Shape(cmp.Or(f.Root, f.Minimal)))
}

// Variety names a failure among others with its key: by its place or, if it has none, by its cause and
// minimal trace.
func (f *Failure) Variety() string {
	if f.Location != "" {
		return f.name()
	}
	name := f.name()
	return name[:strings.LastIndexByte(name, '-')+1] + digest(f.skeleton())
}

func dashed(text string) string { return strings.NewReplacer(joint, "+", " ", "-").Replace(text) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:3])
}

// Shape describes a trace without its variables, polarities, weights and the order of its clauses.
func Shape(t *trace.Trace) string {
	if t == nil {
		return ""
	}
	calls := substance(t)
	times := make(map[int32]int)
	for _, i := range calls {
		if c := &t.Calls[i]; c.Op.HasLits() {
			for _, lit := range t.Args(c) {
				times[lit]++
			}
		}
	}
	var lines, run []string
	last := -1 // the previous call in the run
	end := func() {
		slices.Sort(run)
		lines, run = append(lines, run...), nil
	}
	for _, i := range calls {
		c := &t.Calls[i]
		if last >= 0 && (t.Calls[last].Op != c.Op || t.Calls[last].Instance != c.Instance || !movable(c)) {
			end()
		}
		run, last = append(run, callShape(t, c, times)), i
	}
	end()
	return strings.Join(lines, "\n")
}

// callShape describes a call by how often its literals and their negations occur in the trace.
func callShape(t *trace.Trace, c *trace.Call, times map[int32]int) string {
	if c.Op.Form() == apimodel.FormText {
		return fmt.Sprintf("%d %d %s", c.Op, c.Flags, t.Bytes[c.Pos:c.Pos+c.Len])
	}
	var lits []string
	if c.Op.HasLits() {
		for _, lit := range t.Args(c) {
			lits = append(lits, fmt.Sprint(times[lit], times[-lit]))
		}
	}
	slices.Sort(lits)
	return fmt.Sprintf("%d %d %s", c.Op, c.Flags, strings.Join(lits, ","))
}
