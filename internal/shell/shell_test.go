package shell

import (
	"os/exec"
	"strings"
	"testing"
)

// TestShellReadsWhatWasQuoted: every byte that a word can have, alone and among others, at every place.
func TestShellReadsWhatWasQuoted(t *testing.T) {
	t.Parallel()
	words := []string{"", "a b", "~/a", "#a", "$HOME", "`a`", "$(a)", "a;b&c|d<e>f", "(a)", "{a,b}", "[a]*?", "a!b", `\`,
		"'", "a'b\"c", "a=b"}
	for ch := 1; ch < 256; ch++ {
		words = append(words, string([]byte{byte(ch)}), string([]byte{'a', byte(ch), 'b'}))
	}
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+Join(words...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	read := strings.Split(string(out), "\x00")
	if len(read) != len(words)+1 {
		t.Fatalf("the shell reads %d words, want %d", len(read)-1, len(words))
	}
	for i, word := range words {
		if read[i] != word {
			t.Errorf("%s: the shell reads %q, want %q", Quote(word), read[i], word)
		}
		if !isPrintable(Quote(word)) && !strings.HasSuffix(word, "\n") {
			t.Errorf("%q in quotes is not printable: %q", word, Quote(word))
		}
	}
}

func TestQuotePath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"-": "-", "-d.cnf": "./-d.cnf", "-a b": "'./-a b'", "a-b": "a-b"} {
		if got := QuotePath(path); got != want {
			t.Errorf("QuotePath(%q) = %s, want %s", path, got, want)
		}
	}
}

// TestWrap checks that the shell reads wrapped commands as they were, and that no line is too long.
func TestWrap(t *testing.T) {
	t.Parallel()
	words := []string{"--model", "a b", "it's", `\`, "'", "/a/path/that/is/longer/than/one/line/of/the/terminal", "",
		"a long text with many words, and it's in quotes", "ä ö ü ß, ñ", "a\xff b%\x1b'\\", "--seed", "0xc", "x"}
	for width := 8; width < 90; width++ {
		lines := Wrap(`printf '%s\0' `+Join(words...), width)
		out, err := exec.Command("sh", "-c", strings.Join(lines, "\n")).Output()
		if want := strings.Join(words, "\x00") + "\x00"; err != nil || string(out) != want {
			t.Errorf("%d: %v, the shell reads %q, want %q", width, err, out, want)
		}
		for _, line := range lines {
			if len(line) > width {
				t.Errorf("%d: a line of %d bytes: %s", width, len(line), line)
			}
		}
	}
	if got := Wrap("ipafuzz replay a.trace --target ref", 24); len(got) != 2 || got[0] != `ipafuzz replay a.trace \` {
		t.Errorf("broken into %q", got)
	}
}

func TestPlainWordsAreNotQuoted(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"ref", "ref:defect=redeclare-adds", "./lib/libsolver.so", "a@b+c,d-e_f", "0x1F"} {
		if got := Quote(word); got != word {
			t.Errorf("%s is quoted: %s", word, got)
		}
	}
}
