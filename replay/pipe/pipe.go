// Package pipe runs traces on programs of any language that speak
// docs/protocol.md: a runner reads traces line by line on its stdin and answers on
// its stdout.
package pipe

import (
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// Prefix begins the spec of a pipe target; the command follows.
const Prefix = "pipe:"

// Resolve completes a target that is a command. It starts the runner once, to ask
// which models it serves.
func Resolve(t *replay.Target, wanted *apimodel.Model) error {
	t.Kind, t.Driver = replay.Pipe, driver{}
	if len(t.Command) == 0 {
		return replay.Unusable(t.Name, "want a command after pipe:")
	}
	if len(t.Settings) > 0 && strings.HasPrefix(t.Name, Prefix) {
		return replay.Unusable(t.Name, "options of a runner belong in its command line or in the targets file")
	}
	if _, err := t.Program(); err != nil {
		return replay.Unusable(t.Name, "%v", err)
	}
	r, err := startRunner(t, replay.DefaultLimits, func(*runner) {})
	if err != nil {
		return err
	}
	defer r.close()
	t.Model = wanted
	for _, m := range append(apimodel.Models(), apimodel.QBF) {
		serves := slices.Contains(r.description.Models, m.Name)
		if wanted == nil && serves && (t.Model == nil || !m.Quantified()) {
			t.Model = m // prefers IPAMIR
		}
		if wanted == m && !serves {
			return replay.Unusable(t.Name, "it says that it serves %s, not %s",
				strings.Join(r.description.Models, " and "), m.Name)
		}
	}
	return nil
}

// A driver runs traces on runners.
type driver struct{}
