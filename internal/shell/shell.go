// Package shell quotes words of commands that people copy into a POSIX shell.
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote returns the word as the shell reads it, in quotes where it needs them. The result is printable UTF-8, so that
// it stays what it is on a terminal or a page, whatever bytes the word has.
func Quote(word string) string {
	switch {
	case word != "" && isPlain(word):
		return word
	case !isPrintable(word) && !strings.HasSuffix(word, "\n"): // $(...) drops newlines at the end
		return `"$(printf '` + format(word) + `')"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// QuotePath is Quote for the path of a file, which commands must not take for a flag. "-" alone stays what it is.
func QuotePath(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return Quote(path)
}

func isPrintable(word string) bool {
	return utf8.ValidString(word) && !strings.ContainsFunc(word, unicode.IsControl)
}

// format returns a format of printf that prints the word.
func format(word string) string {
	var b strings.Builder
	for _, ch := range []byte(word) {
		switch {
		case ch == '%':
			b.WriteString("%%")
		case ch < ' ' || ch > '~' || ch == '\'' || ch == '\\':
			fmt.Fprintf(&b, `\%03o`, ch)
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
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
