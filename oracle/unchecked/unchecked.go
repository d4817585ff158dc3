// Package unchecked names what a run was asked to check and did not, and why. Nothing that is unchecked counts as
// right: every command counts it, names it in its last line, and ends with exit code 4.
package unchecked

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Reason says why something stayed unchecked.
type Reason uint8

// The reasons. The comment says what each is about, and when it applies.
const (
	TooHard      Reason = iota // an answer that no check decided within its limits
	GaveUp                     // an answer "unknown" that the interface or a policy allows
	NoValues                   // a claimed solution whose values the target did not tell
	NoObjective                // a claimed solution whose cost the target did not tell
	NotDefined                 // an answer about weights that the interface does not define
	NotTaken                   // a solve that the target cannot take, so that it was not made
	Disputed                   // an answer about which targets differ, and nothing proves which one is right
	TimeLimit                  // a trace that met a limit, and its problem may be hard
	NotConfirmed               // a failure that did not recur, or was not run again
	NotRun                     // a trace or test that did not run to its end
	NoTrace                    // a requested target or profile of which no trace ran
	NoAnswer                   // a target of which traces ran, and no answer was decided
	ProofCut                   // a proof that is larger than ipafuzz reads
	ProofOutside               // a proof about calls that its format cannot express, or an answer known to be wrong
	ProofFormat                // a proof with rules or of a version that no checker here knows
	NoChecker                  // a proof that needs a checker which is missing
	CheckerFails               // a proof on which the checker died, hung or said nothing of use
	reasons                    // their number
)

// kinds describes the reasons, in the order in which messages name them.
var kinds = [reasons]struct{ name, thing, says string }{
	TooHard:      {"too-hard", "answer", "no check decided it within its limits"},
	GaveUp:       {"gave-up", "answer", "the target gave up"},
	NoValues:     {"no-values", "answer", "the target told no values of its solution"},
	NoObjective:  {"no-objective", "answer", "the target told no cost of its solution"},
	NotDefined:   {"not-defined", "answer", "the interface does not define such weights"},
	NotTaken:     {"not-taken", "solve", "the target cannot take it"},
	Disputed:     {"disputed", "answer", "the targets differ, and nothing proves which one is right"},
	TimeLimit:    {"time-limit", "trace", "met a limit on a problem that may be hard"},
	NotConfirmed: {"not-confirmed", "failure", "seen and not confirmed"},
	NotRun:       {"not-run", "trace", "it did not run to its end"},
	NoTrace:      {"no-trace", "part", "none of its traces ran"},
	NoAnswer:     {"no-answer", "target", "none of its answers was decided"},
	ProofCut:     {"proof-cut", "proof", "larger than ipafuzz reads"},
	ProofOutside: {"proof-outside", "proof", "about calls or an answer that no checker can relate it to"},
	ProofFormat:  {"proof-format", "proof", "no checker here knows its rules or its version"},
	NoChecker:    {"no-checker", "proof", "needs the checker veripb, which is not in PATH"},
	CheckerFails: {"checker-fails", "proof", "the checker veripb failed"},
}

// String returns the name of the reason, as in JSON.
func (r Reason) String() string {
	if r >= reasons {
		return fmt.Sprintf("reason-%d", uint8(r))
	}
	return kinds[r].name
}

// MarshalText implements encoding.TextMarshaler.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Reason) UnmarshalText(text []byte) error {
	for i := range kinds {
		if kinds[i].name == string(text) {
			*r = Reason(i)
			return nil
		}
	}
	return fmt.Errorf("unknown reason %q", text)
}

// Counts counts what stayed unchecked, by reason. Counts wrap around, so that they can be subtracted.
type Counts [reasons]uint64

// Add adds the counts of another part of the run.
func (c *Counts) Add(other Counts) {
	for i := range c {
		c[i] += other[i]
	}
}

// Minus returns what c has more than an earlier value.
func (c Counts) Minus(before Counts) (more Counts) {
	for i := range c {
		more[i] = c[i] - before[i]
	}
	return more
}

// Any reports whether anything stayed unchecked.
func (c Counts) Any() bool { return c != Counts{} }

// Answers returns the number of answers of solve that stayed unchecked.
func (c Counts) Answers() uint64 {
	return c[TooHard] + c[GaveUp] + c[NoValues] + c[NoObjective] + c[NotDefined]
}

// Items returns the counts as items, in the order of the reasons.
func (c Counts) Items() (items []Item) {
	for i, n := range c {
		if n > 0 {
			items = append(items, Item{Reason: Reason(i), Count: n})
		}
	}
	return items
}

// MarshalJSON writes the counts that are not 0, by name.
func (c Counts) MarshalJSON() ([]byte, error) {
	named := make(map[Reason]uint64)
	for i, n := range c {
		if n > 0 {
			named[Reason(i)] = n
		}
	}
	return json.Marshal(named)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Counts) UnmarshalJSON(text []byte) error {
	named := make(map[Reason]uint64)
	if err := json.Unmarshal(text, &named); err != nil {
		return err
	}
	*c = Counts{}
	for reason, n := range named {
		c[reason] = n
	}
	return nil
}

// An Item is one line about what stayed unchecked.
type Item struct {
	Reason Reason `json:"reason"`
	Count  uint64 `json:"count,omitempty"` // 0 if Name says what it is
	Name   string `json:"name,omitempty"`  // of the target, profile or test
}

// String describes the item: "2 proofs (larger than ipafuzz reads)".
func (i Item) String() string {
	kind := &kinds[i.Reason]
	if i.Name != "" {
		return fmt.Sprintf("%s (%s)", i.Name, kind.says)
	}
	return fmt.Sprintf("%s (%s)", printable.Things(i.Count, kind.thing), kind.says)
}

// Join returns the items with those of one reason and name added up.
func Join(items []Item) (joined []Item) {
	for _, i := range items {
		at := slices.IndexFunc(joined, func(o Item) bool { return o.Reason == i.Reason && o.Name == i.Name })
		if at < 0 {
			joined = append(joined, i)
		} else {
			joined[at].Count += i.Count
		}
	}
	return joined
}

// Text lists items for the last line of a command. It is "" if there are none.
func Text(items []Item) string {
	var texts []string
	for _, i := range Join(items) {
		texts = append(texts, i.String())
	}
	if len(texts) == 0 {
		return ""
	}
	return "Unchecked: " + strings.Join(texts, "; ") + "."
}

// A Note says why something in one run stayed unchecked.
type Note struct {
	Call   int
	Reason Reason
	Why    string // beyond the reason; may be empty
}
