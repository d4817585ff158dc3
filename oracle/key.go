package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A Key names a fault: findings with the same key are taken for the same fault.
// Keys are comparable. The zero Key names nothing.
//
// The text of a key is TARGET CLASS WEIGHTS DETAIL, separated by single blanks.
// A target is a command or a file name and a detail may be part of an error
// message, so both may hold blanks and anything else but line breaks: the class is
// the first word after the beginning that looks like one ("2.1") and is followed
// by a weight class. Keys are made by Finding.Key, ParseKey and On, which see to
// it that a target has no two such words; then the text of a key parses to that key.
type Key struct {
	Target string
	Class  Class
	Weight WeightClass
	Detail string // tells faults of one class apart
}

func newKey(target string, class Class, weight WeightClass, detail string) Key {
	return Key{unambiguous(oneLine(target)), class, weight, oneLine(detail)}
}

// unambiguous joins the words of a target that look like a class and weights.
func unambiguous(target string) string {
	for {
		at, _, found := cutClass(target + " ")
		if !found {
			return target
		}
		after := at + 1 + classLen
		target = target[:after] + "_" + target[after+1:]
	}
}

// ParseKey parses the text of a key.
func ParseKey(text string) (Key, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return Key{}, fmt.Errorf("%q is not the key of a failure: a key is one line", text)
	}
	at, rest, found := cutClass(text)
	if !found { // a detail may be empty, and the blank before it lost
		at, rest, found = cutClass(text + " ")
	}
	if !found {
		return Key{}, fmt.Errorf("%q is not the key of a failure: want a target, a class, "+
			"a weight class and a detail, such as 'build/lib.so 2.1 S not optimal'", text)
	}
	class := text[at+1 : at+1+classLen]
	return Key{text[:at], Class(class), WeightClass(text[at+1+classLen+1]), rest}, nil
}

const classLen = len("2.1")

// cutClass finds the first " CLASS WEIGHTS " of a text. It returns where that
// begins and what follows it.
func cutClass(text string) (at int, rest string, found bool) {
	const length = classLen + len("  S ")
	for at := 0; at+length <= len(text); at++ {
		s := text[at : at+length]
		if s[0] == ' ' && s[1] >= '1' && s[1] <= '9' && s[2] == '.' && s[3] >= '1' && s[3] <= '9' &&
			s[4] == ' ' && strings.IndexByte(weightClasses, s[5]) >= 0 && s[6] == ' ' {
			return at, text[at+length:], true
		}
	}
	return 0, "", false
}

func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return k.Target + " " + k.Failure()
}

// Failure returns the key without its target.
func (k Key) Failure() string { return string(k.Class) + " " + k.Weight.String() + " " + k.Detail }

// IsZero reports whether the key names nothing.
func (k Key) IsZero() bool { return k == Key{} }

// Compare orders keys by their texts.
func (k Key) Compare(other Key) int { return strings.Compare(k.String(), other.String()) }

// On returns the key of the same failure of another target.
func (k Key) On(target string) Key { return newKey(target, k.Class, k.Weight, k.Detail) }

// IsOf reports whether k is a key of the target.
func (k Key) IsOf(target string) bool { return k.Target == unambiguous(oneLine(target)) }

// LighterThan reports whether the keys differ in their weights only and k is the
// one that needs smaller weights, which is worse.
func (k Key) LighterThan(heavier Key) bool {
	weight := strings.IndexByte(weightClasses, byte(k.Weight))
	differ := weight > 0 && strings.IndexByte(weightClasses, byte(heavier.Weight)) > weight
	k.Weight = heavier.Weight
	return differ && k == heavier
}

// Slug is a short name for a directory: the key, made safe for every file
// system and told apart by a hash.
func (k Key) Slug() string {
	sum := sha256.Sum256([]byte(k.String()))
	weight := k.Weight.String()
	if k.Weight == NoWeights {
		weight = "N"
	}
	parts := []string{fileSafe(k.Target, 24), string(k.Class), weight, fileSafe(k.Detail, 28), hex.EncodeToString(sum[:5])}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "_")
}

func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes; nothing is the zero key.
func (k *Key) UnmarshalText(text []byte) (err error) {
	*k = Key{}
	if len(text) > 0 {
		*k, err = ParseKey(string(text))
	}
	return err
}

// fileSafe keeps letters and digits, in lower case, and turns the rest into
// single hyphens.
func fileSafe(s string, limit int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
		if b.Len() >= limit {
			break
		}
	}
	return b.String()
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
