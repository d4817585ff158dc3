package notes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// TestForms: the notes of a form and of what fills its gaps are those of the origin.
func TestForms(t *testing.T) {
	var words notes.Words
	for i := range words {
		words[i] = fmt.Sprintf("word%d", i)
	}
	for _, origin := range []notes.Origin{
		{Generator: "tiny/1", Profile: "tiny/1", Options: []string{"max-vars=5", "plant=\x00s a\nb\r"}},
		{Generator: "external", Options: []string{"format=wcnf"}, Command: "./gen: \x00n",
			Fitted: "that the generator printed"},
		{Generator: "mutation/3", Parents: []string{"\x00w", "d"}, Mutations: []string{"x", "y"}},
		{Corpus: "a/b c\x00", Fitted: "of the trace in the corpus"},
		{},
	} {
		for _, set := range []uint64{0, 1, 1<<63 | 1<<5} {
			origin.Seed, origin.Features = 0x123456789abcdef, nil
			form := origin.Form(nil)
			if set != 0 {
				form = origin.Form(&words)
				for i, word := range words {
					if set>>i&1 != 0 {
						origin.Features = append(origin.Features, word)
					}
				}
			}
			h := notes.Header{Form: form.WithNumber("again: \x000 ", " end\x00"), Seed: origin.Seed, Number: 77, Words: set}
			want := append(origin.Notes(), "again: \x000 77 end\x00")
			if got := h.Notes(); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			h.Form = notes.ReadForm(h.Form.Lines(), h.Form.Words())
			if got := h.Notes(); !slices.Equal(got, want) {
				t.Errorf("read again: got  %q\nwant %q", got, want)
			}
			gaps := 0
			for _, line := range h.Form.Lines() {
				gaps += notes.WordsGaps(line)
			}
			if (gaps == 1) != (set != 0) {
				t.Errorf("%q has %d gaps for words", strings.Join(h.Form.Lines(), "\n"), gaps)
			}
		}
	}
	if got := (&notes.Header{}).Notes(); got != nil {
		t.Errorf("a header without a form has the notes %q", got)
	}
}

// FuzzForms: a form without gaps has the notes that it was made of.
func FuzzForms(f *testing.F) {
	f.Add("a\x00s\x00\n\x000\x00w\nb", "\x00n\x00")
	f.Fuzz(func(t *testing.T, text, line string) {
		lines := strings.Split(text, "\n")
		h := notes.Header{Form: notes.NewForm(lines).WithNumber(line, line), Number: 5, Words: 1}
		if got, want := h.Notes(), append(lines, line+"5"+line); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		forged := notes.Header{Form: notes.ReadForm([]string{text, line}, nil)}
		if got := forged.Notes(); len(got) != 2 {
			t.Errorf("%q", got)
		}
	})
}
