package replay

import (
	"debug/elf"
	"encoding/hex"
	"os"
	"strings"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Driver runs traces on the targets of one kind.
type Driver interface {
	// OpenQueue opens a queue that runs traces on the target.
	OpenQueue(t *Target, way Way, limits Limits, o QueueOptions) (Queue, error)
}

// A ReadingDriver is the Driver of targets that cannot read every formula.
type ReadingDriver interface {
	Driver
	// Unreadable returns why the target cannot read the formula of the solve at that index, or "".
	Unreadable(t *trace.Trace, solve int) string
}

// A NativeDriver is the Driver of targets whose functions ipafuzz calls itself.
type NativeDriver interface {
	Driver
	// OpenInProcess loads the target into this process.
	OpenInProcess(t *Target) (Runner, error)
	// Symbols lists the functions that ipafuzz looks for in the target.
	Symbols(t *Target) ([]Symbol, error)
	// Setters lists functions of a library or an archive whose names suggest that they set
	// options, except those that ipafuzz calls anyway.
	Setters(t *Target) []string
	// Binary returns the file that holds the target's machine code, or "" if that is ipafuzz.
	Binary(t *Target) string
}

// A Symbol is a function that ipafuzz looks for in a target.
type Symbol struct {
	Name     string `json:"name"`
	Exported bool   `json:"exported"`
	Demanded bool   `json:"demanded"` // the interface does not work without it
}

// Symbols lists the functions that ipafuzz looks for in the target, in the order of the
// model's table. The list is empty if the target's functions are not symbols of a file.
func (t *Target) Symbols() ([]Symbol, error) {
	if native, ok := t.Driver.(NativeDriver); ok {
		return native.Symbols(t)
	}
	return nil, nil
}

// Setters lists functions that the targets file could name as the target's setter of options.
// The list is empty if the file names one.
func (t *Target) Setters() []string {
	if native, ok := t.Driver.(NativeDriver); ok && t.Setter.Function == "" {
		return native.Setters(t)
	}
	return nil
}

// An Identity tells one build of a target from another.
type Identity struct {
	Path    string `json:"path,omitempty"`
	Size    int64  `json:"size,omitempty"`
	BuildID string `json:"build_id,omitempty"`
}

// Identify tells which build of the target this is.
func (t *Target) Identify() Identity {
	native, ok := t.Driver.(NativeDriver)
	if !ok {
		return Identity{Path: strings.Join(t.Command, " ")}
	}
	path := native.Binary(t)
	if path == "" {
		return Identity{}
	}
	id := Identity{Path: t.Path}
	if stat, err := os.Stat(path); err == nil {
		id.Size = stat.Size()
	}
	if file, err := elf.Open(path); err == nil {
		defer file.Close()
		if section := file.Section(".note.gnu.build-id"); section != nil {
			if data, err := section.Data(); err == nil && len(data) > 16 {
				id.BuildID = hex.EncodeToString(data[16:])
			}
		}
	}
	return id
}
