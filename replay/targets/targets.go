// Package targets finds the target that a spec names.
package targets

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A File names targets.
type File = replay.TargetsFile

// DefaultFile is read when it exists and no other is named.
const DefaultFile = replay.DefaultTargetsFile

// ReadFile reads a targets file, ipafuzz.toml if there is one and the path is empty.
func ReadFile(path string) (*File, error) { return replay.ReadTargetsFile(path) }

// Resolve turns what the user wrote into a target.
func Resolve(spec, model string, file *File) (*replay.Target, error) {
	return replay.Resolve(spec, model, file)
}

// ForModel returns the target as it serves another model.
func ForModel(t *replay.Target, m *apimodel.Model, file *File) (*replay.Target, error) {
	return t.ForModel(m, file)
}
