package message

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Short replaces arguments of a template longer than longestArguments bytes, and what follows the first
// wordKept bytes of a word longer than longestWord, with a hash.
const longestArguments, longestWord, wordKept = 32, 120, 100

// Short returns a text in which the names of functions have a readable length, because template arguments of
// C++ can have thousands of bytes. Names that differ stay different. Short does not change a short text.
func Short(text string) string {
	if len(text) <= longestArguments {
		return text
	}
	text = withoutArguments(text)
	words := strings.Split(text, " ")
	for i, word := range words {
		if len(word) <= longestWord {
			continue
		}
		end := wordKept
		for end > 0 && !utf8.RuneStart(word[end]) {
			end--
		}
		words[i] = word[:end] + hashOf(word)
	}
	return strings.Join(words, " ")
}

// withoutArguments replaces the long template arguments of a text. Names in Rust may begin with arguments that
// say what the name is about, as in <Vec<T> as Index>::index. These stay.
func withoutArguments(text string) string {
	ends := brackets(text)
	if len(ends) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for at := 1; at < len(text); at++ {
		if end := ends[at]; end-at > longestArguments && mayEndName(text[at-1]) {
			b.WriteString(text[done:at] + "<" + hashOf(text[at:end]) + ">")
			done, at = end, end-1
		}
	}
	return b.String() + text[done:]
}

// brackets returns the index after each pair of angle brackets, by the index of its beginning.
func brackets(text string) map[int]int {
	var open []int
	ends := make(map[int]int)
	for at := 0; at < len(text); {
		if n := operatorAt(text[at:]); n > 0 {
			at += n
			continue
		}
		switch last := len(open) - 1; {
		case text[at] == '<':
			open = append(open, at)
		case text[at] == '>' && last >= 0:
			ends[open[last]] = at + 1
			open = open[:last]
		}
		at++
	}
	return ends
}

// mayEndName reports whether the name of a template may end with c: a letter, a digit, a sign of an operator,
// or the :: of Rust.
func mayEndName(c byte) bool {
	return strings.IndexByte("_:)]<>=-+*/%&|^!~,", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' ||
		'A' <= c && c <= 'Z'
}

// operatorAt returns the length of an operator's name with angle brackets in it, or of an arrow, at the
// beginning of a text, or 0 if there is none.
func operatorAt(text string) int {
	if text[0] != 'o' && text[0] != '-' {
		return 0
	}
	for _, name := range []string{"operator<=>", "operator<<=", "operator>>=", "operator<=", "operator>=",
		"operator->*", "operator->", "operator<<", "operator>>", "operator<", "operator>", "->"} {
		if strings.HasPrefix(text, name) {
			return len(name)
		}
	}
	return 0
}

// hashOf returns a short hash. It ignores blanks, because demanglers disagree on "> >".
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(text, " ", "")))
	return "#" + hex.EncodeToString(sum[:4])
}
