package translate

import (
	"context"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A nativeDriver is a driver of targets whose functions ipafuzz calls itself.
type nativeDriver struct {
	driver
	native replay.NativeDriver
}

// OpenInProcess implements replay.NativeDriver.
func (d *nativeDriver) OpenInProcess(*replay.Target) (replay.Runner, error) {
	inner, err := d.native.OpenInProcess(d.target)
	if err != nil {
		return nil, err
	}
	return &runner{inner}, nil
}

// Symbols implements replay.NativeDriver.
func (d *nativeDriver) Symbols(*replay.Target) ([]replay.Symbol, error) {
	return d.native.Symbols(d.target)
}

// Setters implements replay.NativeDriver.
func (d *nativeDriver) Setters(*replay.Target) []string { return d.native.Setters(d.target) }

// Binary implements replay.NativeDriver.
func (d *nativeDriver) Binary(*replay.Target) string { return d.native.Binary(d.target) }

// A runner runs the calls of formula files on the runner of a target.
type runner struct{ replay.Runner }

// Description implements replay.Runner.
func (r *runner) Description() (*apimodel.Description, error) {
	return described(r.Runner.Description())
}

// Run implements replay.Runner.
func (r *runner) Run(ctx context.Context, t *trace.Trace, run *trace.Run) error {
	calls, from := format.Calls(t)
	if err := r.Runner.Run(ctx, calls, run); err != nil {
		return err
	}
	*run = fileRun(t, *run, from)
	return nil
}
