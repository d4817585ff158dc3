// Package shell quotes words of commands that people copy into a POSIX shell.
package shell

import (
	"strings"
	"unicode/utf8"
)

// Quote returns the word as the shell reads it, in quotes where it needs them.
func Quote(word string) string {
	if word != "" && isPlain(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Join quotes the words and separates them by spaces.
func Join(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// Wrap breaks a command into lines of at most width bytes, at least 8, which the shell reads as the same command.
// They must be written without indentation. Wrap prefers to break before a word.
func Wrap(command string, width int) (lines []string) {
	var line strings.Builder
	quoted := false
	end := func() {
		next := ""
		if quoted {
			line.WriteByte('\'')
			next = "'"
		}
		lines = append(lines, line.String()+`\`)
		line.Reset()
		line.WriteString(next)
	}
	for rest := command; rest != ""; {
		_, n := utf8.DecodeRuneInString(rest)
		if rest[0] == '\\' && !quoted && len(rest) > 1 {
			n = 2
		}
		unit := rest[:n]
		rest = rest[n:]
		reserve := 1
		if quoted || unit == "'" {
			reserve = 2
		}
		if line.Len()+n+reserve > width {
			end()
		}
		line.WriteString(unit)
		if unit == "'" {
			quoted = !quoted
		}
		word, _, _ := strings.Cut(rest, " ")
		if unit == " " && !quoted && line.Len()+len(word)+1 > width && len(word) < width {
			end()
		}
	}
	return append(lines, line.String())
}

// isPlain reports whether no byte of the word means anything to a shell. It goes by
// bytes, since a path need not be UTF-8.
func isPlain(word string) bool {
	for _, ch := range []byte(word) {
		letter := ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9'
		if !letter && strings.IndexByte("/.-_:=,@+", ch) < 0 {
			return false
		}
	}
	return true
}
