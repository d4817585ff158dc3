package source

import (
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// Makers has the sources of streams that were used last. It is not safe for concurrent use.
type Makers struct {
	kept    map[string]*Maker // by cell and choice
	usual   *Maker            // for usualOf; it avoids nothing, and most traces come from it
	usualOf *Stream
}

// A Maker is a source whose headers have the commands that make the traces again.
type Maker struct {
	Source
	again GenCommands
	forms map[*notes.Form]*notes.Form // those of Source, with again
}

const (
	// makersKept bounds the sources; each new lesson makes the older ones useless.
	makersKept = 256
	// formsKept bounds the forms of a source: one that has a form for each trace never uses it again.
	formsKept = 1 << 10
)

// Open returns the maker for a choice of the stream's traces.
func (m *Makers) Open(stream *Stream, choice Choice) (*Maker, error) {
	if choice.IsUsual() && m.usualOf == stream {
		return m.usual, nil
	}
	name := strconv.Itoa(stream.Index) + " " + choice.Profile + " " + strings.Join(choice.Without, ",")
	known := m.kept[name]
	if known == nil {
		fresh, err := stream.Open(choice)
		if err != nil {
			return nil, err
		}
		if m.kept == nil || len(m.kept) == makersKept {
			m.kept = make(map[string]*Maker)
		}
		known = &Maker{fresh, stream.GenCommands("ipafuzz", choice).AsNotes(), make(map[*notes.Form]*notes.Form)}
		m.kept[name] = known
	}
	if choice.IsUsual() {
		m.usual, m.usualOf = known, stream
	}
	return known, nil
}

// Header returns the header of the trace that was made last, with the command that makes it again.
func (m *Maker) Header(number, seed uint64) notes.Header {
	h := m.Source.Header(number, seed)
	whole := m.forms[h.Form]
	if whole == nil {
		if whole = m.again.AddTo(h.Form); len(m.forms) == formsKept {
			clear(m.forms)
		}
		m.forms[h.Form] = whole
	}
	h.Form = whole
	return h
}
