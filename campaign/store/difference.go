package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// differs says how the configuration of a campaign differs from that of an earlier one. If it returns "",
// the campaign may continue the earlier one.
func differs(was, is *Record) string {
	if was.Seed != is.Seed {
		return fmt.Sprintf("its seed is %#x, not %#x", was.Seed, is.Seed)
	}
	if was.Shard != is.Shard || was.Of != is.Of {
		return fmt.Sprintf("it is %s, not %s", shardName(was.Shard, was.Of), shardName(is.Shard, is.Of))
	}
	if was.Way != is.Way {
		return fmt.Sprintf("it isolates traces by %s, not %s", was.Way, is.Way)
	}
	if was, is := asSet(was.Avoid), asSet(is.Avoid); was != is {
		return fmt.Sprintf("it avoids %s, not %s", was, is)
	}
	for _, c := range []struct {
		does    string
		was, is []TargetRecord
	}{{"fuzzes", was.Targets, is.Targets}, {"compares with", was.Against, is.Against}} {
		if a, b := targetNames(c.was), targetNames(c.is); a != b {
			return fmt.Sprintf("it %s %s, not %s", c.does, a, b)
		}
		for i := range c.was {
			if a, b := asJSON(c.was[i]), asJSON(c.is[i]); a != b {
				return fmt.Sprintf("the target %s has changed: it was %s, and is %s", c.was[i].Name, a, b)
			}
		}
	}
	if a, b := asJSON(was.Cells), asJSON(is.Cells); a != b {
		return fmt.Sprintf("it makes other traces: %s, not %s", a, b)
	}
	return ""
}

func shardName(shard, of uint64) string {
	switch {
	case of > 0:
		return fmt.Sprintf("shard %d of %d", shard, of)
	case shard > 0:
		return fmt.Sprintf("shard %d", shard)
	}
	return "the whole campaign"
}

func targetNames(targets []TargetRecord) string {
	var names []string
	for _, t := range targets {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "no target"
	}
	return strings.Join(names, ", ")
}

// asSet returns the sorted names without repetitions, as text.
func asSet(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", ")
}

func asJSON(v any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.Encode(v)
	return strings.TrimSpace(text.String())
}
