package main

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagrules"
)

// TestFlagRulesNameFlags guards against rules that refuse nothing, because a flag has another name.
func TestFlagRulesNameFlags(t *testing.T) {
	parser, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	for _, unknown := range flagrules.Unknown(parser.Model.Node) {
		t.Errorf("a rule names %s, which does not exist", unknown)
	}
}
