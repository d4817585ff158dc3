package notes

import (
	"strconv"
	"strings"
)

// An Origin says what made a trace. Notes omits fields that are zero.
type Origin struct {
	Generator string // with its version; "" for a trace of a corpus
	Profile   string // with its version
	Seed      uint64
	Options   []string // options with other than default values, as NAME=VALUE
	Parents   []string // names of the traces that it was mutated from
	Command   string   // command of a generator that is another program
	Corpus    string   // name of the trace in a corpus
	Mutations []string
	Features  []string
	Fitted    string // what the target would not take whole: "that the generator printed"
}

const (
	generator = "gen="
	corpus    = "corpus="
	mutations = "mutations="
	features  = "features="
	fitted    = "fitted to the target: it is not all "

	profile = "profile="
	seed    = "seed="
	parents = "of="

	command = "generator"
)

// Notes returns the notes of the origin. They share one piece of memory.
func (o *Origin) Notes() []string {
	text, ends := make([]byte, 0, 256), make([]int, 0, 8)
	end := func() { ends = append(ends, len(text)) }
	if o.Generator != "" {
		text = o.appendGenerated(text)
		end()
	}
	if o.Corpus != "" {
		text = append(append(text, corpus...), o.Corpus...)
		end()
	}
	if o.Command != "" {
		text = append(append(append(text, command...), ": "...), o.Command...)
		end()
	}
	if o.Mutations != nil {
		text = appendJoined(append(text, mutations...), o.Mutations)
		end()
	}
	if len(o.Features) > 0 {
		text = appendJoined(append(text, features...), o.Features)
		end()
	}
	if o.Fitted != "" {
		text = append(append(text, fitted...), o.Fitted...)
		end()
	}
	if len(ends) == 0 {
		return nil
	}
	all, from := string(text), 0
	notes := make([]string, len(ends), len(ends)+1) // callers add the command that makes the trace again
	for i, to := range ends {
		notes[i], from = oneLine(all[from:to]), to
	}
	return notes
}

func appendJoined(line []byte, words []string) []byte {
	for i, word := range words {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, word...)
	}
	return line
}

func (o *Origin) appendGenerated(line []byte) []byte {
	return o.appendAfterSeed(appendHex(o.appendBeforeSeed(line), o.Seed))
}

func (o *Origin) appendBeforeSeed(line []byte) []byte {
	line = append(append(line, generator...), o.Generator...)
	if o.Profile != "" {
		line = append(append(append(line, ' '), profile...), o.Profile...)
	}
	return append(append(append(line, ' '), seed...), "0x"...)
}

func appendHex(line []byte, n uint64) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		line = append(line, "0123456789abcdef"[n>>shift&15])
	}
	return line
}

func (o *Origin) appendAfterSeed(line []byte) []byte {
	for _, option := range o.Options {
		line = append(append(line, ' '), option...)
	}
	if len(o.Parents) > 0 {
		line = appendJoined(append(append(line, ' '), parents...), o.Parents)
	}
	return line
}

// OriginOf returns the origin that a header states.
func OriginOf(notes []string) Origin {
	var o Origin
	for _, note := range notes {
		switch {
		case strings.HasPrefix(note, generator):
			o.read(oneLine(note))
		case strings.HasPrefix(note, corpus):
			o.Corpus = note[len(corpus):]
		case strings.HasPrefix(note, mutations):
			o.Mutations = list(note[len(mutations):])
		case strings.HasPrefix(note, features):
			o.Features = list(note[len(features):])
		case strings.HasPrefix(note, fitted):
			o.Fitted = note[len(fitted):]
		}
	}
	o.Command = last(notes, command)
	return o
}

// read reads the note of a generator. Values of options may contain blanks, and so may the names
// of parents, which come last.
func (o *Origin) read(note string) {
	note, origins, mutated := strings.Cut(note, " "+parents)
	if mutated {
		o.Parents = list(origins)
	}
	words := strings.Split(note, " ")
	o.Generator, o.Options = words[0][len(generator):], nil
	for _, word := range words[1:] {
		switch n := len(o.Options); {
		case strings.HasPrefix(word, profile) && n == 0:
			o.Profile = word[len(profile):]
		case strings.HasPrefix(word, seed) && n == 0:
			o.Seed, _ = strconv.ParseUint(word[len(seed):], 0, 64)
		case strings.Contains(word, "=") || n == 0:
			o.Options = append(o.Options, word)
		default:
			o.Options[n-1] += " " + word
		}
	}
}

func list(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}
