package trace

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// readHeader reads the first line: magic word, version, model.
func (p *parser) readHeader() {
	first := magicWord + " " + strconv.Itoa(FormatVersion) + " MODEL as the first line"
	if !p.readLine() {
		panic(p.failure(first, "an empty file"))
	}
	field := p.lex.next()
	if string(field) != magicWord {
		panic(p.notATrace(field, first))
	}
	field = p.lex.next()
	version, ok := ParseUnsigned(field, 1<<31)
	if p.version = version; !ok || version < versionWithoutAnswers || version > FormatVersion {
		err := p.unexpected(field, "format version 1 or "+strconv.Itoa(FormatVersion))
		if ok && version > FormatVersion {
			err.Got += ": the trace is of a newer ipafuzz"
		}
		panic(err)
	}
	field = p.lex.next()
	if p.trace.Model = apimodel.ByName(string(field)); p.trace.Model == nil {
		panic(p.unexpected(field, "a model ("+apimodel.Names()+")"))
	}
	p.endOfLine("the end of the line")
}

// notATrace explains what the file has in place of a header.
func (p *parser) notATrace(field []byte, want string) *ParseError {
	line := p.lex.line
	if field == nil { // a blank line or a comment
		p.lex.start = 0
		if len(line) > 0 {
			return p.failure(want, printable.Excerpt(line))
		}
		return p.unexpected(nil, want)
	}
	err := p.failure(want, printable.Excerpt(line[p.lex.start:]))
	if !p.whole && len(field) < len(magicWord) && strings.HasPrefix(magicWord, string(field)) {
		err.Got += " and the end of the file: the file is cut off"
	} else if kind := looksLike(line); kind != "" {
		err.Got += ": this looks like " + kind + ", not like a trace"
	}
	return err
}

// looksLike guesses the kind of a file from its first line. It returns "" if it does not know.
func looksLike(line []byte) string {
	for _, known := range []struct{ prefix, kind string }{
		{"p cnf", "DIMACS CNF"},
		{"p inccnf", "iCNF"},
		{"p wcnf", "a WCNF file"},
		{"h ", "a WCNF file"},
		{"c ", "a DIMACS file"},
		{"c\t", "a DIMACS file"},
		{"\x1f\x8b", "gzip"},
		{"\x28\xb5\x2f\xfd", "zstd"},
		{"\xfd7zXZ", "xz"},
		{"BZh", "bzip2"},
		{"\xef\xbb\xbf" + magicWord, "a text with a byte order mark"},
	} {
		if bytes.HasPrefix(line, []byte(known.prefix)) {
			return known.kind
		}
	}
	if string(line) == "c" {
		return "a DIMACS file"
	}
	return ""
}
