// Package pipe runs traces on programs of any language that speak
// docs/protocol.md: a runner reads traces line by line on its stdin and answers on
// its stdout.
package pipe

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// Prefix begins the spec of a pipe target; the command follows.
const Prefix = "pipe:"

// Resolve completes a target that is a command. It starts the runner once, to ask
// which models it serves, and waits for that until ctx ends: then its error is an os.ErrDeadlineExceeded.
func Resolve(ctx context.Context, t *replay.Target, wanted *apimodel.Model) error {
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
	stop := func() bool { return true }
	r, err := startRunner(t, replay.DefaultLimits, func(r *runner) { stop = context.AfterFunc(ctx, r.Kill) })
	if !stop() && err != nil {
		return fmt.Errorf("the wait for %s ended: %w", t.Name, os.ErrDeadlineExceeded)
	}
	if err != nil {
		return err
	}
	defer r.close()
	t.Model = wanted
	names := r.description.Models
	if wanted != nil {
		if wanted.Extends == nil && !slices.Contains(names, wanted.Name) {
			return replay.Unusable(t.Name, "it says that it serves %s, not %s", strings.Join(names, " and "), wanted.Name)
		}
		return nil
	}
	for _, m := range apimodel.Libraries() {
		isPlain := slices.Contains(apimodel.Models(), m)
		if slices.Contains(names, m.Name) && (t.Model == nil || isPlain) {
			t.Model = m // prefers IPAMIR, then IPASIR
		}
	}
	return nil
}

// A driver runs traces on runners.
type driver struct{}
