package trace

import (
	"bytes"
	"os"
	"testing"
)

func addSeeds(f *testing.F) {
	for _, text := range goldenFiles(f) {
		f.Add(text)
	}
	loose, err := os.ReadFile("testdata/loose.input")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(loose)
	f.Add([]byte(quantifiedText))
	for _, c := range wrong {
		f.Add([]byte(c.text))
	}
}

// FuzzParse: Parse returns a legal trace or an error whose place lies within the text. A trace that it accepts is the
// same after printing and parsing.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := Parse(bytes.NewReader(text), "f")
		if err != nil {
			e, ok := err.(*ParseError)
			if !ok {
				t.Fatalf("the error is a %T, not a *ParseError: %v", err, err)
			}
			lines := bytes.Split(text, lineEnd)
			if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > len(lines[e.Line-1])+1 {
				t.Fatalf("the place lies outside the text: %v", err)
			}
			if len(e.Error()) > 1000 || bytes.ContainsFunc([]byte(e.Error()), func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Fatalf("the message is too long or has unprintable characters: %q", e.Error())
			}
			tr, err = ParseSyntax(bytes.NewReader(text), "f")
			if err != nil {
				return
			}
			if Check(tr) == nil {
				t.Fatalf("Check accepts a trace that Parse refuses: %v", e)
			}
		} else if err := Check(tr); err != nil {
			t.Fatalf("Check refuses a trace that Parse accepts: %v", err)
		}
		printed := tr.String()
		again, err := ParseSyntax(bytes.NewReader([]byte(printed)), "printed")
		if err != nil {
			t.Fatalf("the printed trace does not parse: %v\n%s", err, printed)
		}
		if !Equal(tr, again) || again.String() != printed {
			t.Fatalf("the trace changes:\n%s", firstDifference(printed, again.String()))
		}
	})
}
