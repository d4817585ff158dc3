package notes

import (
	"fmt"
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
	Fitted    string // what the trace is only a part of, because it was fitted to the target
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

// Notes returns the lines of the origin.
func (o *Origin) Notes() []string {
	var notes []string
	if o.Generator != "" {
		notes = append(notes, oneLine(o.generated()))
	}
	if o.Corpus != "" {
		notes = append(notes, oneLine(corpus+o.Corpus))
	}
	if o.Command != "" {
		notes = append(notes, line(command, o.Command))
	}
	if o.Mutations != nil {
		notes = append(notes, mutations+strings.Join(o.Mutations, ","))
	}
	if len(o.Features) > 0 {
		notes = append(notes, features+strings.Join(o.Features, ","))
	}
	if o.Fitted != "" {
		notes = append(notes, fitted+oneLine(o.Fitted))
	}
	return notes
}

func (o *Origin) generated() string {
	line := make([]byte, 0, 128)
	line = append(append(line, generator...), o.Generator...)
	if o.Profile != "" {
		line = append(append(append(line, ' '), profile...), o.Profile...)
	}
	line = append(append(line, ' '), seed...)
	line = fmt.Appendf(line, "0x%016x", o.Seed)
	for _, option := range o.Options {
		line = append(append(line, ' '), option...)
	}
	for i, parent := range o.Parents {
		if i == 0 {
			line = append(append(line, ' '), parents...)
		} else {
			line = append(line, ',')
		}
		line = append(line, parent...)
	}
	return string(line)
}

// OriginOf returns the origin that a header states.
func OriginOf(notes []string) Origin {
	var o Origin
	for _, note := range notes {
		switch {
		case strings.HasPrefix(note, generator):
			o.read(oneLine(note)) // Notes writes it on one line
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

// read reads the line of a generator. The value of an option may contain blanks, and so may
// the names of parents, which come last.
func (o *Origin) read(note string) {
	note, of, mutated := strings.Cut(note, " "+parents)
	if mutated {
		o.Parents = list(of)
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
