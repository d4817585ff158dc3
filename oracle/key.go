package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/message"
)

// A Key names what one sees of a failure. Findings with one key may come from different faults. Keys are
// comparable. The zero Key names nothing.
//
// The text of a key is TARGET CLASS DETAIL, separated by single blanks. A target is a command or a file name, and a
// detail may be part of an error message, so both may contain blanks and anything else but line breaks. The class
// is the first word after the beginning that looks like one ("2.1"). Finding.Key, parseKey and On make keys, and
// ensure that no word of a target looks like a class. So the text of a key parses to that key.
//
// Details have names of functions in the form of message.Short.
type Key struct {
	Target string
	Class  Class
	Detail string // tells failures of one class apart
}

func newKey(target string, class Class, detail string) Key {
	return Key{unambiguous(oneLine(target)), class, message.Short(oneLine(detail))}
}

// unambiguous joins words of a target that look like a class to the words before them.
func unambiguous(target string) string {
	for {
		at, _, found := cutClass(target + " ")
		if !found {
			return target
		}
		target = target[:at] + "_" + target[at+1:]
	}
}

// parseKey parses the text of a key.
func parseKey(text string) (Key, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return Key{}, fmt.Errorf("%q is not the key of a failure: a key is one line", text)
	}
	at, rest, found := cutClass(text)
	if !found { // a detail may be empty, and the blank before it lost
		at, rest, found = cutClass(text + " ")
	}
	if !found {
		return Key{}, fmt.Errorf("%q is not the key of a failure: want a target, a class and a detail, "+
			"such as 'build/lib.so 2.1 not optimal'", text)
	}
	class := text[at+1 : at+1+classLen]
	return newKey(text[:at], Class(class), rest), nil
}

const classLen = len("2.1")

// cutClass finds the first " CLASS " of a text. It returns where that
// begins and what follows it.
func cutClass(text string) (at int, rest string, found bool) {
	const length = classLen + len("  ")
	for at := 0; at+length <= len(text); at++ {
		s := text[at : at+length]
		if s[0] == ' ' && s[1] >= '1' && s[1] <= '9' && s[2] == '.' && s[3] >= '1' && s[3] <= '9' &&
			s[4] == ' ' {
			return at, text[at+length:], true
		}
	}
	return 0, "", false
}

// String returns the text of the key, which parseKey reads.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return k.Target + " " + k.Failure()
}

// Failure returns the key without its target.
func (k Key) Failure() string { return string(k.Class) + " " + k.Detail }

// IsZero reports whether the key names nothing.
func (k Key) IsZero() bool { return k == Key{} }

// Compare orders keys by their texts.
func (k Key) Compare(other Key) int { return strings.Compare(k.String(), other.String()) }

// On returns the key of the same failure on another target.
func (k Key) On(target string) Key { return newKey(target, k.Class, k.Detail) }

// allocationMark begins the detail of a failure that follows a failed allocation.
const allocationMark = "then: "

// WithoutAllocation returns the key that the failure would have if it did not follow a failed allocation.
func (k Key) WithoutAllocation() Key {
	failure, found := strings.CutPrefix(k.Detail, allocationMark)
	if k.Class != FailedAllocation || !found {
		return k
	}
	if plain, err := parseKey(k.Target + " " + failure); err == nil {
		return plain
	}
	return k
}

// IsOf reports whether k is a key of the target.
func (k Key) IsOf(target string) bool { return k.Target == unambiguous(oneLine(target)) }

// Slug is a short name for a directory: the key, made safe for every file
// system and told apart by a hash.
func (k Key) Slug() string {
	sum := sha256.Sum256([]byte(k.String()))
	parts := []string{printable.Slug(k.Target, 24), string(k.Class), printable.Slug(k.Detail, 28),
		hex.EncodeToString(sum[:5])}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "_")
}

// MarshalText returns the text of the key.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes; the empty text is the zero key.
func (k *Key) UnmarshalText(text []byte) (err error) {
	*k = Key{}
	if len(text) > 0 {
		*k, err = parseKey(string(text))
	}
	return err
}

// oneLine joins the words of a text with single blanks.
func oneLine(s string) string {
	clean := true
	for i := range len(s) {
		if s[i] < ' ' {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' }), " ")
}
