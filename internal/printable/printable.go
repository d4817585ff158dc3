// Package printable makes text by others, such as targets and files, safe to show on a
// page, on a terminal or in a message. It also formats counts.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Text returns text with its lines and tabs. Other control characters, and bytes
// that are not UTF-8, become U+FFFD: an HTML page must not hold a NUL.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if IsOrder(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// IsOrder reports whether a terminal may obey the character instead of showing it. Lines and tabs are shown.
func IsOrder(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// Line returns text as one line, every run of white space as one blank, without characters
// that a terminal would obey.
func Line(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, string(unicode.ReplacementChar))), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// Name returns a name as it is if it is plain text, and quoted as in Go if not.
func Name(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// Slug returns text as part of a file name: letters and digits in lower case, single
// hyphens for everything else, and at most limit bytes.
func Slug(s string, limit int) string {
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

// Value describes a value of a TOML or JSON file in a line, for an error message: an excerpt
// of a text, or the kind of a value that has parts.
func Value(value any) string {
	switch value := value.(type) {
	case string:
		return Excerpt([]byte(value))
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	case time.Time:
		return "a date"
	case []any:
		return "a list"
	case nil:
		return "nothing"
	}
	return Line(fmt.Sprint(value))
}

// Count prints a count with separators: 1,234,567.
func Count[N int | int64 | uint64 | float64](n N) string {
	digits := fmt.Sprint(uint64(n))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Things prints a count with its noun, which must have a regular plural: 1 trace, 2 traces.
func Things[N int | int64 | uint64](n N, singular string) string {
	if n != 1 {
		singular += "s"
	}
	return Count(n) + " " + singular
}

// Times prints how often something happened: once, 2 times.
func Times[N int | int64 | uint64](n N) string {
	if n == 1 {
		return "once"
	}
	return Things(n, "time")
}

// excerptBytes is how much of a text an excerpt shows.
const excerptBytes = 40

// Excerpt returns the beginning of text in quotes, for an error message.
func Excerpt(text []byte) string {
	if len(text) > excerptBytes {
		return fmt.Sprintf("%s... (%d bytes)", strconv.QuoteToASCII(string(text[:excerptBytes])), len(text))
	}
	return strconv.QuoteToASCII(string(text))
}

const hexDigits = "0123456789abcdef"

// AppendEscaped appends text as it stands between the quotes of an answer: all but
// printable ASCII as \xHH, and " and \ as \" and \\.
func AppendEscaped[T string | []byte](dst []byte, text T) []byte {
	for i := range len(text) {
		switch b := text[i]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b < ' ' || b > '~':
			dst = append(dst, '\\', 'x', hexDigits[b>>4], hexDigits[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return dst
}
