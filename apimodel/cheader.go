package apimodel

import (
	"fmt"
	"slices"
	"strings"
)

//go:generate go run ./internal/generate

// GeneratedBy is the first line of every generated file.
const GeneratedBy = "Generated from package apimodel by 'go generate ./apimodel'; do not edit."

// Values in the C table ipafuzz_then that are no states.
const (
	thenStays   = 0xfe
	thenNoEntry = 0xff
)

// CHeader returns the C header of the executor: the numbers of calls, states and conditions, the
// forms of arguments and answers, and tables that say where calls are legal and where they lead.
// The executor follows the states of a run with these tables, so it always agrees with the
// checker of traces.
func CHeader() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "/* %s */\n", GeneratedBy)
	b.WriteString("#ifndef IPAFUZZ_OPCODES_H\n#define IPAFUZZ_OPCODES_H\n\n#include <stdint.h>\n\n")

	fmt.Fprintf(&b, "#define IPAFUZZ_NUM_MODELS %d\n", lastID())
	fmt.Fprintf(&b, "#define IPAFUZZ_NUM_OPS %d /* operation 0 is none */\n", NumOps)
	fmt.Fprintf(&b, "#define IPAFUZZ_NUM_STATES %d\n", numStates)
	fmt.Fprintf(&b, "#define IPAFUZZ_NUM_CONDITIONS %d\n\n", len(conditionNames))

	b.WriteString("/* Calls, as numbered in the binary trace. */\nenum ipafuzz_op {\n")
	for op := range executed {
		fmt.Fprintf(&b, "  %s = %d,%s\n", cOp(op), op, functionsComment(op))
	}
	b.WriteString("};\n\n")
	cEnum(&b, "state", "States of one solver instance.", "STATE", stateNames[:])
	cEnum(&b, "condition", "What decides between the states that one call may lead to.", "", conditionSymbols[:])
	cEnum(&b, "form", "How the arguments of a call stand in the trace.", "FORM", formNames[:FormWeighted])
	cEnum(&b, "reply", "What a call answers.", "REPLY", replyNames[:])

	b.WriteString("struct ipafuzz_call {\n  uint8_t form, reply;\n  uint32_t most; /* of a number in one word */\n};\n\n")
	b.WriteString("__attribute__ ((unused)) static const struct ipafuzz_call ipafuzz_calls[IPAFUZZ_NUM_OPS] = {\n")
	for op := range executed {
		o := &operations[op]
		fmt.Fprintf(&b, "    [%s] = {IPAFUZZ_FORM_%s, IPAFUZZ_%s, 0x%xu},\n",
			cOp(op), formNames[o.form], cName("reply", o.reply.String()), uint32(o.most))
	}
	b.WriteString("};\n\n")
	legalTable(&b)
	thenTable(&b)
	b.WriteString("#endif\n")
	return []byte(b.String())
}

// executed yields the operations that the executor knows: those of libraries.
func executed(yield func(Op) bool) {
	for op := OpInit; op < NumOps; op++ {
		inLibrary := slices.ContainsFunc(Libraries(), func(m *Model) bool { return m.Call(op) != nil })
		if inLibrary && !yield(op) {
			return
		}
	}
}

func cEnum(b *strings.Builder, name, doc, prefix string, names []string) {
	fmt.Fprintf(b, "/* %s */\nenum ipafuzz_%s {\n", doc, name)
	for i, n := range names {
		fmt.Fprintf(b, "  IPAFUZZ_%s = %d,\n", cName(prefix, n), i)
	}
	b.WriteString("};\n\n")
}

func legalTable(b *strings.Builder) {
	b.WriteString("/* The states that a call is legal in: bit s is set for state s. 0: the model\n" +
		" * has no such call. By model number. */\n" +
		"__attribute__ ((unused)) static const uint16_t\n    ipafuzz_legal[IPAFUZZ_NUM_MODELS + 1][IPAFUZZ_NUM_OPS] = {\n")
	for _, m := range Libraries() {
		fmt.Fprintf(b, "        [%d] = {/* %s */\n", m.ID, m.Name)
		for i := range m.Calls {
			call := &m.Calls[i]
			fmt.Fprintf(b, "            [%s] = 0x%04x, /* %s: %s */\n", cOp(call.Op), uint16(call.Legal), call.Name, call.Legal)
		}
		b.WriteString("        },\n")
	}
	b.WriteString("};\n\n")
}

func thenTable(b *strings.Builder) {
	fmt.Fprintf(b, "#define IPAFUZZ_THEN_STAYS 0x%x /* the call does not change the state */\n", thenStays)
	fmt.Fprintf(b, "#define IPAFUZZ_THEN_NONE 0x%x  /* the call knows no such condition */\n\n", thenNoEntry)
	b.WriteString("/* The state after a call of the model, by model, call and condition. A call has an\n" +
		" * entry for ALWAYS, or for the conditions that decide between its states; never both. */\n" +
		"__attribute__ ((unused)) static const uint8_t\n" +
		"    ipafuzz_then[IPAFUZZ_NUM_MODELS + 1][IPAFUZZ_NUM_OPS][IPAFUZZ_NUM_CONDITIONS] = {\n")
	for _, m := range Libraries() {
		fmt.Fprintf(b, "        [%d] = {/* %s */\n", m.ID, m.Name)
		for i := range m.Calls {
			row := m.Calls[i].thenRow()
			fmt.Fprintf(b, "            [%s] = {%s},\n", cOp(m.Calls[i].Op), strings.Join(row[:], ", "))
		}
		b.WriteString("        },\n")
	}
	b.WriteString("};\n\n")
}

// thenRow returns the call's line of the C table ipafuzz_then.
func (call *Call) thenRow() (row [len(conditionNames)]string) {
	for c := range row {
		row[c] = fmt.Sprintf("0x%02x", thenNoEntry)
	}
	if len(call.Steps) == 0 {
		row[Always] = fmt.Sprintf("0x%02x", thenStays)
	}
	for _, step := range call.Steps {
		row[step.When] = fmt.Sprintf("0x%02x", uint8(step.Then))
	}
	return row
}

// lastID returns the highest number of a model. Numbers of models index C tables.
func lastID() uint32 {
	var last uint32
	for _, m := range Libraries() {
		last = max(last, m.ID)
	}
	return last
}

func cOp(op Op) string { return "IPAFUZZ_" + cName("op", op.String()) }

var conditionSymbols = [len(conditionNames)]string{
	"ALWAYS", "CLAUSE_CLOSED", "CLAUSE_OPEN", "ANSWERED_0", "ANSWERED_10", "ANSWERED_20", "ANSWERED_30", "ANSWERED_40",
}

// functionsComment lists the C functions of an operation.
func functionsComment(op Op) string {
	var names []string
	for _, m := range Libraries() {
		if call := m.Call(op); call != nil && call.Function != "" && !slices.Contains(names, call.Function) {
			names = append(names, call.Function)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " /* " + strings.Join(names, ", ") + " */"
}
