package apimodel

import (
	"fmt"
	"go/format"
	"strings"
)

// layout is the layout of the binary trace and of its answers. Package trace and the executor
// share constants that are generated from it.
//
// A trace is a sequence of 32-bit words, little endian: a header, the tables of variables, the
// calls, the notes, and the right and recorded answers. The executor's part ends after the calls.
var layout = []constants{
	{doc: "The first word of a trace (\"IPFZ\"), and the version of its form.", names: []constant{
		{"binary magic", 0x5a465049, ""},
		{"binary version", 1, ""},
	}},
	{doc: "Words of the header.", prefix: "head", names: inOrder("length",
		"magic", "",
		"version", "",
		"model", "number of the API model",
		"words", "of the executor's part, this header included",
		"calls", "number of calls",
		"instances", "number of instances",
		"vars", "words of the tables of variables behind this header",
		"answers", "the most words that the answers take",
		"learned", "of these, the room for learned clauses",
		"notes", "bytes of notes behind the executor's part",
		"want", "words of right and recorded answers behind the notes",
		"reserved", "",
	)},
	{doc: "Word 0 of a call is operation | flags << FLAG_SHIFT | instance << INSTANCE_SHIFT; word 1 is\n" +
		"the number of argument words behind it.", prefix: "call", names: []constant{
		{"flag shift", 8, ""},
		{"instance shift", 16, ""},
		{"words", 2, ""},
	}},
	{doc: "Flags of a call.", prefix: "flag", names: []constant{
		{"open", 1, "a clause without its final 0"},
		{"off", 2, "the call removes a callback or limit"},
	}},
	{doc: "Word 0 of an answer is kind | flags | payload words << PAYLOAD_SHIFT.", prefix: "answer",
		names: []constant{
			{"made", 1, "the call returned"},
			{"withheld", 2, "it is illegal in the state that an earlier answer led to"},
			{"unsupported", 3, "the target lacks the function"},
			{"strange", 16, "flag: a model or core has a strange value, or a text is NULL"},
			{"others polled", 32, "flag of a solve that called the terminate callback of another instance"},
			{"others learned", 64, "flag of a solve that called the learn callback of another instance"},
			{"payload shift", 8, ""},
		}},
	{doc: "Words of a solve's payload; the learned clauses follow, each with its final 0.", prefix: "solve",
		names: inOrder("length",
			"status", "",
			"nanos low", "",
			"nanos high", "",
			"polls", "calls of the terminate callback",
			"polls after", "of these, after it had first said stop",
			"learned", "calls of the learn callback",
			"odd", "of these, with a clause longer than allowed",
		)},
	{doc: "A model or core has two bits for each value, values_per_word in a word.", prefix: "values", names: []constant{
		{"per word", 16, ""},
	}},
	{doc: "Limits.", names: []constant{
		{"signature bytes", 256, "kept of a signature"},
		{"proof bytes", 1 << 18, "kept of a proof"},
		{"max instances", 4096, "of one trace"},
	}},
}

// constants is a group of constants whose names have the same prefix.
type constants struct {
	doc, prefix string
	names       []constant
}

type constant struct {
	name  string
	value uint32
	doc   string
}

// inOrder numbers the names from 0, and adds the constant count, which is how many they are. In
// namesAndDocs, a description follows each name.
func inOrder(count string, namesAndDocs ...string) []constant {
	var all []constant
	for i := 0; i < len(namesAndDocs); i += 2 {
		all = append(all, constant{namesAndDocs[i], uint32(i / 2), namesAndDocs[i+1]})
	}
	return append(all, constant{count, uint32(len(all)), ""})
}

// CLayout returns the C header of the layout.
func CLayout() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "/* %s */\n#ifndef IPAFUZZ_LAYOUT_H\n#define IPAFUZZ_LAYOUT_H\n", GeneratedBy)
	for _, group := range layout {
		fmt.Fprintf(&b, "\n/* %s */\nenum {\n", strings.ReplaceAll(group.doc, "\n", "\n * "))
		for _, c := range group.names {
			fmt.Fprintf(&b, "  IPAFUZZ_%s = %s,", cName(group.prefix, c.name), literal(c.value))
			if c.doc != "" {
				fmt.Fprintf(&b, " /* %s */", c.doc)
			}
			b.WriteString("\n")
		}
		b.WriteString("};\n")
	}
	b.WriteString("\n#endif\n")
	return []byte(b.String())
}

// GoLayout returns the constants of package trace.
func GoLayout() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "// Code generated from package apimodel by 'go generate ./apimodel'; DO NOT EDIT.\n\npackage trace\n")
	for _, group := range layout {
		fmt.Fprintf(&b, "\n// %s\nconst (\n", strings.ReplaceAll(group.doc, "\n", "\n// "))
		for _, c := range group.names {
			fmt.Fprintf(&b, "\t%s = %s", goName(group.prefix, c.name), literal(c.value))
			if c.doc != "" {
				fmt.Fprintf(&b, " // %s", c.doc)
			}
			b.WriteString("\n")
		}
		b.WriteString(")\n")
	}
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		panic(err) // a bug in the generator
	}
	return text
}

func literal(value uint32) string {
	if value > 1<<16 {
		return fmt.Sprintf("0x%x", value)
	}
	return fmt.Sprint(value)
}

// cName returns "HEAD_MAGIC" for "head" and "magic".
func cName(parts ...string) string {
	name := strings.ToUpper(strings.TrimSpace(strings.Join(parts, " ")))
	return strings.NewReplacer(" ", "_", "-", "_").Replace(name)
}

// goName returns "headMagic" for "head" and "magic".
func goName(prefix, name string) string {
	words := strings.Fields(prefix + " " + name)
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}
