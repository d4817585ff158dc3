// Package native runs traces on targets whose functions ipafuzz calls itself: the
// built-in library, shared libraries, and directories with a static library. They
// run in worker processes, or in this one.
package native

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/cexternal/load"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A driver runs traces on native targets. Its fields depend on the target's kind.
type driver struct {
	allocator bool      // the shared library exports its own malloc
	sanitizer sanitizer // that the shared library was built with
	archive   string    // the static library of a directory
	program   string    // the worker that is linked with the archive

	loaded    atomic.Bool // a worker has loaded the target
	bearsFork atomic.Bool // a worker that had loaded it forked, and the child lived
}

// OpenQueue implements replay.Driver.
func (d *driver) OpenQueue(t *replay.Target, way replay.Way, limits replay.Limits,
	o replay.QueueOptions) (replay.Queue, error) {
	s, err := openStream(t, way, limits, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Binary implements replay.NativeDriver.
func (d *driver) Binary(t *replay.Target) string {
	switch t.Kind {
	case replay.Library:
		return t.Path
	case replay.Static:
		return d.program
	}
	return ""
}

// ownSymbols are optional functions of ipafuzz.h with which ipafuzz can test a library more deeply.
var ownSymbols = []string{"ipafuzz_describe", "ipafuzz_set_option", "ipafuzz_havoc", "ipafuzz_proof"}

// ipasir2Symbols are looked for in a library that has none of the ownSymbols.
var ipasir2Symbols = []string{"ipasir2_options", "ipasir2_set_option"}

// moreIPASIR2 are functions of IPASIR-2 that ipafuzz uses and that are not calls of the model.
var moreIPASIR2 = []string{"ipasir2_options", "ipasir2_set_import", "ipasir2_set_delete", "ipasir2_set_fixed"}

// draftValue is the name that ipasir2_value had in the last draft of IPASIR-2.
const draftValue = "ipasir2_val"

// DraftFlag returns the option with which C code is compiled that is linked with the target, if the target is a
// library of the last draft of IPASIR-2; otherwise "".
func DraftFlag(t *replay.Target) string {
	d, ok := t.Driver.(*driver)
	if !ok || t.Model != apimodel.IPASIR2 {
		return ""
	}
	if exported, err := d.exported(t); err != nil || !exported[draftValue] {
		return ""
	}
	return "-DIPASIR2_DRAFT"
}

// Symbols implements replay.NativeDriver.
func (d *driver) Symbols(t *replay.Target) ([]replay.Symbol, error) {
	exported, err := d.exported(t)
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", t.Name, err)
	}
	if exported == nil {
		return nil, nil
	}
	var symbols []replay.Symbol
	draft := DraftFlag(t) != ""
	add := func(name string, demanded bool) {
		if draft && name == "ipasir2_value" {
			name = draftValue
		}
		symbols = append(symbols, replay.Symbol{Name: name, Exported: exported[name], Demanded: demanded})
	}
	for i := range t.Model.Calls {
		call := &t.Model.Calls[i]
		layered := t.Model == apimodel.IPASIR2 && t.Model.Own(call) // made of other functions
		if call.Function != "" && !layered && !slices.Contains(ownSymbols, call.Function) {
			add(call.Function, call.Optional == "")
		}
	}
	for _, name := range ownSymbols {
		add(name, false)
	}
	if t.Model == apimodel.IPASIR2 {
		for _, name := range moreIPASIR2 {
			add(name, false)
		}
	}
	if t.Setter.Function != "" {
		add(t.Setter.Function, true)
	}
	if t.Kind == replay.Library && t.Model.Prefix() == apimodel.IPASIR.Prefix() {
		for _, name := range ipasir2Symbols {
			add(name, false)
		}
	}
	return symbols, nil
}

// Load loads the target's functions into this process. It works for the built-in library and for
// shared libraries.
func Load(t *replay.Target) (exec.Target, error) {
	switch t.Kind {
	case replay.BuiltIn:
		return exec.Target(ref.Target(t.Model.ID)), nil
	case replay.Library:
		table, err := load.Open(t.Path, t.Model.ID, setterOf(t))
		if err != nil {
			return nil, replay.Unusable(t.Name, "%s", inSource(err.Error()))
		}
		return table, nil
	case replay.Static:
		return nil, replay.NotInProcess(t.Name, "directory")
	}
	return nil, replay.NotInProcess(t.Name, string(t.Kind))
}

// inProcess runs traces in this process without isolation and limits, for debuggers,
// sanitizers and embedding.
type inProcess struct {
	target   *replay.Target
	table    exec.Target
	settings []exec.Setting
	encoder  trace.Encoder
	encoded  []uint32
	answers  []uint32
}

// OpenInProcess implements replay.NativeDriver.
func (d *driver) OpenInProcess(t *replay.Target) (replay.Runner, error) {
	if d.sanitizer.library != "" { // its runtime would end ipafuzz
		return nil, replay.Unusable(t.Name, "it needs %s, which must be loaded first, and cannot run in this process",
			d.sanitizer.library)
	}
	table, err := Load(t)
	if err != nil {
		return nil, err
	}
	r := &inProcess{target: t, table: table}
	for _, s := range t.Settings {
		r.settings = append(r.settings, exec.Setting(s))
	}
	return r, nil
}

// Run implements replay.Runner.
func (r *inProcess) Run(ctx context.Context, t *trace.Trace, run *trace.Run) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.encoded, err = r.encoder.Append(r.encoded[:0], t); err != nil {
		return err
	}
	if need := trace.AnswerWords(r.encoded); len(r.answers) <= need {
		r.answers = make([]uint32, need+1)
	}
	words, err := exec.Run(r.table, r.settings, r.encoded, r.answers)
	if err != nil {
		return fmt.Errorf("target %s: %w", r.target.Name, err)
	}
	*run = trace.Run{}
	return trace.DecodeAnswers(t, r.encoded, words, &run.Answers)
}

// SetLimits does nothing: a run in this process has no limits.
func (r *inProcess) SetLimits(replay.Limits) {}

// Description loads the target in another process, so that the target leaves nothing in this one.
func (r *inProcess) Description() (*apimodel.Description, error) {
	hello, err := replay.Greet(r.target, replay.DefaultLimits)
	return hello.Description, err
}

// Close does nothing: the library stays loaded.
func (r *inProcess) Close() {}
