package conform

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A Sentence is something that a header file demands or promises, in our words.
type Sentence struct {
	Number   int
	Function string // the function that it is about; "literals" if it is about all literal arguments
	Text     string
	Edition  string // the edition that has it; "": all editions of the header
}

// String returns the sentence as the header of a case states it.
func (s *Sentence) String() string { return fmt.Sprintf("%s: %s", s.Function, s.Text) }

// sentencesText has a section for each model, such as "[ipasir]", with the sentences of its
// header in order, one a line: "FUNCTION: TEXT" or "FUNCTION (EDITION): TEXT". A model that
// extends another one has only the sentences that it adds.
//
//go:embed sentences.txt
var sentencesText string

var sentences = sync.OnceValue(func() map[string][]Sentence {
	all := make(map[string][]Sentence)
	model := ""
	for line := range strings.SplitSeq(sentencesText, "\n") {
		head, text, found := strings.Cut(line, ": ")
		if !found {
			model = strings.Trim(line, "[]")
			continue
		}
		function, edition, _ := strings.Cut(strings.TrimSuffix(head, ")"), " (")
		all[model] = append(all[model], Sentence{len(all[model]) + 1, function, text, edition})
	}
	return all
})

// Sentences returns the sentences of the model's header, in the order of the header.
func Sentences(m *apimodel.Model) []Sentence { return sentences()[m.Name] }

// SentenceNumber returns the sentence with that number, or nil if there is none.
func SentenceNumber(m *apimodel.Model, number int) *Sentence {
	if list := Sentences(m); number >= 1 && number <= len(list) {
		return &list[number-1]
	}
	return nil
}
