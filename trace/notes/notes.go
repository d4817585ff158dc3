// Package notes reads and writes the header of a trace: the notes, which are comments before the
// first call. Notes are in any order, and there may be others than those of this package.
//
// An Origin says what made a trace, and a Result what a reduction found out about it. Other notes
// are the command that makes the trace again, and the title of the trace in a suite.
package notes

import (
	"strings"
)

const (
	again       = "again"
	title       = "title"
	unconfirmed = "unconfirmed"
)

// Again returns the note with the command that makes the trace again.
func Again(command string) string { return line(again, command) }

// Title returns the note with the title of the trace in a suite.
func Title(text string) string { return line(title, text) }

// TitleOf returns the title that a header states, or "".
func TitleOf(notes []string) string { return last(notes, title) }

// Unconfirmed returns the note of a trace whose failure is unconfirmed, with the reason.
func Unconfirmed(reason string) string { return line(unconfirmed, reason) }

// IsUnconfirmed reports whether a header says that the failure of the trace is unconfirmed.
func IsUnconfirmed(notes []string) bool { return last(notes, unconfirmed) != "" }

// line returns a note of a kind. It joins the lines of the text, because each line is a note.
func line(kind, text string) string { return kind + ": " + oneLine(text) }

func oneLine(text string) string {
	if strings.IndexByte(text, '\n') < 0 && strings.IndexByte(text, '\r') < 0 {
		return text
	}
	isBreak := func(r rune) bool { return r == '\n' || r == '\r' }
	return strings.Join(strings.FieldsFunc(text, isBreak), " ")
}

// last returns the text of the last note of a kind, which is the newest, or "".
func last(notes []string, kind string) (text string) {
	for _, note := range notes {
		if found, said := cut(note); found == kind {
			text = said
		}
	}
	return text
}

func cut(note string) (kind, text string) {
	kind, text, _ = strings.Cut(note, ": ")
	return kind, text
}
