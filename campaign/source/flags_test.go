package source

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// TestCommandsAsNotes: notes made from parts are those of the whole commands, also if these have line breaks.
func TestCommandsAsNotes(t *testing.T) {
	for _, g := range []GenCommands{{before: "a --number ", after: " --b"}, {before: "'\na' ", after: " '\r\nb\n'"}, {}} {
		again := g.AsNotes()
		for _, number := range []uint64{0, 1, 123456} {
			if got, want := again.Of(number), notes.Again(g.Of(number)); got != want {
				t.Errorf("%+v, number %d: %q, want %q", g, number, got, want)
			}
			h := notes.Header{Form: again.AddTo(notes.NewForm([]string{"first"})), Number: number}
			if got, want := h.Notes(), []string{"first", again.Of(number)}; !slices.Equal(got, want) {
				t.Errorf("%+v, number %d: the header is %q, want %q", g, number, got, want)
			}
		}
	}
}
