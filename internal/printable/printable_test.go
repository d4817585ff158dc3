package printable

import (
	"strings"
	"testing"
)

func TestShownTexts(t *testing.T) {
	t.Parallel()
	const odd = "a\tb\nc\x00\x1b[31m\xff\u00e9 \u200b\r\n  \"d\\"
	for _, c := range []struct{ how, got, want string }{
		{"Text", Text(odd), "a\tb\nc\ufffd\ufffd[31m\ufffd\u00e9 \u200b\ufffd\n  \"d\\"},
		{"Line", Line(odd), "a b c\ufffd\ufffd[31m\ufffd\u00e9 \ufffd \"d\\"},
		{"Name of plain text", Name("na\u00efve.trace"), "na\u00efve.trace"},
		{"Name with a quote", Name(`a"b`), `"a\"b"`},
		{"Name with an escape", Name("a\x1bb"), `"a\x1bb"`},
		{"Excerpt", Excerpt([]byte("x\u00e9\n")), `"x\u00e9\n"`},
		{"Excerpt of 40 bytes", Excerpt([]byte(strings.Repeat("x", 40))), `"` + strings.Repeat("x", 40) + `"`},
		{"Excerpt of 41 bytes", Excerpt([]byte(strings.Repeat("x", 41))),
			`"` + strings.Repeat("x", 40) + `"... (41 bytes)`},
		{"Things, one", Things(1, "trace"), "1 trace"},
		{"Things, none", Things(0, "trace"), "0 traces"},
		{"Times, one", Times(1), "once"},
		{"Times, many", Times(uint64(1234)), "1,234 times"},
		{"AppendEscaped", string(AppendEscaped([]byte("="), "a\"\\ ~\x7f\n\xc3")), `=a\"\\ ~\x7f\x0a\xc3`},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.how, c.got, c.want)
		}
	}
}
