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
