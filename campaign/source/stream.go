package source

import (
	"cmp"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// The profiles of numbers that have no trace to run. A trace that only creates a solver takes its place.
const (
	NoTrace  = ""  // an external generator failed; not counted as a trace
	Filtered = "-" // the trace has a trait to avoid
	// Postponed: the trace is expensive, and cheaper ones come first.
	Postponed = "+"
	// Elsewhere: a side lane runs the trace, with its real profile.
	Elsewhere = "="
)

// HasTrace reports whether the trace with this profile is the one that its number makes, not a substitute.
func HasTrace(profile string) bool {
	return profile != NoTrace && profile != Filtered && profile != Postponed && profile != Elsewhere
}

// A Stream is the sequence of traces of a cell. Number, seed and lessons determine a
// trace on every machine. Only the lessons change.
type Stream struct {
	*Cell
	Index   int // of the cell in the configuration
	Seed    uint64
	Shard   uint64
	Lessons Lessons
	// TargetsFile is the targets file in the commands that make traces again; "" for the default file.
	TargetsFile string

	generate gen.Config // of the cell, with the model and the description of its target
	// hasProofs reports that some traces ask the target for proofs.
	hasProofs bool
	// isTuned reports that some traces set a share of all options.
	isTuned bool
}

// NewStream returns the stream of a shard of a cell.
func NewStream(cell *Cell, index int, seed, shard uint64, description *apimodel.Description) *Stream {
	s := &Stream{Cell: cell, Index: index, Seed: seed, Shard: shard, generate: cell.Generate}
	s.generate.Model, s.generate.Description = cell.Target.Model, description
	s.hasProofs = s.isDefault() && len(description.ProofFormats(cell.Target.Model)) > 0 &&
		!slices.Contains(cell.Generate.Without, feature.Of(apimodel.OpProof).String())
	s.isTuned = s.isDefault() && description.Settable() >= manyOptions &&
		!cell.Target.Model.Optimizes() && !cell.Target.Model.Quantified() &&
		!slices.Contains(cell.Generate.Without, feature.Options.String())
	return s
}

// Open returns a source of the stream's traces. They lack the chosen features and those that the cell
// excludes.
func (s *Stream) Open(choice Choice) (Source, error) {
	config := s.generate
	config.Without = slices.Concat(config.Without, choice.Without)
	config.Profile = cmp.Or(choice.Profile, config.Profile)
	return OpenSource(s.From, config)
}

// CanGrow reports whether the cell may also run traces of larger and of regular profiles, because the user chose no
// profile, family, schedule or bound. Only the two standard interfaces have such profiles.
func (s *Stream) CanGrow() bool { return s.isDefault() && s.Generate.Bounds == gen.Bounds{} }

// isDefault reports whether the user chose no profile, family or schedule.
func (s *Stream) isDefault() bool {
	c := &s.Generate
	return s.From == nil && c.ProfileName() == gen.DefaultProfile && c.Family == "" && c.Schedule == "" &&
		c.PlantFile == "" && slices.Contains(apimodel.Models()[:2], s.Target.Model.Interface())
}

// Chosen returns the choice for the trace of a number. It depends only on the lessons, the number, the
// seed, and on what the target provides.
func (s *Stream) Chosen(lessons []Lesson, number, seed uint64) Choice {
	choice := Chosen(lessons, number, seed)
	maxSAT := s.Target.Model.Optimizes()
	switch profile := regularProfile(number, maxSAT); {
	case profile != "" && s.CanGrow():
		choice.Profile = profile
	case s.hasProofs && number%ProofShare == proofAt:
		choice.Profile = ProofProfile
	case s.isTuned && number%tunedStride >= tunedFrom && choice.Profile == "":
		choice.Profile = tunedProfile
	}
	return choice
}
