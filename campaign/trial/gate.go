package trial

import "context"

// A Gate decides when trials may begin, so that those of several follow-ups take turns.
type Gate interface {
	Enter(ctx context.Context) error // waits for the turn, or until ctx ends
	Leave()
}

type gateKey struct{}

// WithGate returns a context whose trials pass through the gate. The gate is in the context because trials
// begin deep inside reductions, which need not know of it.
func WithGate(ctx context.Context, g Gate) context.Context {
	return context.WithValue(ctx, gateKey{}, g)
}

// enter waits until a trial may begin. The caller must call leave.
func enter(ctx context.Context) (leave func(), err error) {
	g, gated := ctx.Value(gateKey{}).(Gate)
	if !gated {
		return func() {}, nil
	}
	return g.Leave, g.Enter(ctx)
}
