// Package shell quotes words of commands that people copy into a POSIX shell.
package shell

import "strings"

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
