package trace

import (
	"os"
	"strings"
	"testing"
)

// TestExamplesOfTheDocumentationParse: the examples in docs/trace-format.md are legal traces.
func TestExamplesOfTheDocumentationParse(t *testing.T) {
	page, err := os.ReadFile("../docs/trace-format.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for i, part := range strings.Split(string(page), "\n```trace\n") {
		if i == 0 {
			continue
		}
		text, _, ended := strings.Cut(part, "\n```\n")
		if !ended {
			t.Fatal("a trace block does not end")
		}
		examples++
		tr, err := ParseString(text + "\n")
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		} else if Check(tr) != nil {
			t.Error(Check(tr))
		}
	}
	if examples < 5 {
		t.Errorf("%d examples, want at least 5", examples)
	}
}
