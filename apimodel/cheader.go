package apimodel

import (
	"fmt"
	"strings"
)

//go:generate go run ./internal/generate

// GeneratedBy stands at the top of every file that is made from this package.
const GeneratedBy = "Generated from package apimodel by 'go generate ./apimodel'; do not edit."

// Codes of the C table ipafuzz_then that are no states.
const (
	thenStays   = 0xfe
	thenNoEntry = 0xff
)

// CHeader returns the C header of the executor: the numbers of calls, states
// and conditions, and the tables of what is legal and where it leads. The
// executor follows the states of a run with it, so it can not drift from the
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
	for op := OpInit; op < NumOps; op++ {
		fmt.Fprintf(&b, "  %s = %d,%s\n", cOp(op), op, functionsComment(op))
	}
	b.WriteString("};\n\n/* States of one solver instance. */\nenum ipafuzz_state {\n")
	for s := range numStates {
		fmt.Fprintf(&b, "  IPAFUZZ_STATE_%s = %d,\n", s, s)
	}
	b.WriteString("};\n\n/* What decides between the states that one call may lead to. */\nenum ipafuzz_condition {\n")
	for c := range conditionSymbols {
		fmt.Fprintf(&b, "  %s = %d,\n", cCondition(Condition(c)), c)
	}
	b.WriteString("};\n\n")

	b.WriteString("/* The states that a call is legal in: bit s is set for state s. 0: the model\n * has no such call. By model number. */\n")
	b.WriteString("__attribute__ ((unused)) static const uint16_t\n    ipafuzz_legal[IPAFUZZ_NUM_MODELS + 1][IPAFUZZ_NUM_OPS] = {\n")
	for _, m := range AllModels() {
		fmt.Fprintf(&b, "        [%d] = {/* %s */\n", m.ID, m.Name)
		for i := range m.Calls {
			call := &m.Calls[i]
			fmt.Fprintf(&b, "            [%s] = 0x%04x, /* %s: %s */\n", cOp(call.Op), uint16(call.Legal), call.Name, call.Legal)
		}
		b.WriteString("        },\n")
	}
	b.WriteString("};\n\n")

	b.WriteString("/* How many literals are the whole of a call's arguments: 1, or any number. 0: it\n * has other arguments, or none. */\nenum { IPAFUZZ_ANY_LITERALS = 2 };\n")
	b.WriteString("__attribute__ ((unused)) static const uint8_t ipafuzz_literals[IPAFUZZ_NUM_OPS] = {\n")
	for op := range NumOps {
		if n := literalsOf(op); n != "0" {
			fmt.Fprintf(&b, "    [%s] = %s,\n", cOp(op), n)
		}
	}
	b.WriteString("};\n\n")

	fmt.Fprintf(&b, "#define IPAFUZZ_THEN_STAYS 0x%x /* the call does not change the state */\n", thenStays)
	fmt.Fprintf(&b, "#define IPAFUZZ_THEN_NONE 0x%x  /* the call knows no such condition */\n\n", thenNoEntry)
	b.WriteString("/* The state after a call, by model, call and condition. A call has an entry for\n * ALWAYS, or entries for the conditions that decide between its states; never both. */\n")
	b.WriteString("__attribute__ ((unused)) static const uint8_t\n    ipafuzz_then[IPAFUZZ_NUM_MODELS + 1][IPAFUZZ_NUM_OPS][IPAFUZZ_NUM_CONDITIONS] = {\n")
	for id := range lastID() + 1 {
		m := ByID(id)
		name := "none"
		if m != nil {
			name = m.Name
		}
		fmt.Fprintf(&b, "        [%d] = {/* %s */\n", id, name)
		for op := range NumOps {
			row := thenRow(m, op)
			fmt.Fprintf(&b, "            [%d] = {%s},", op, strings.Join(row[:], ", "))
			if m != nil && m.Call(op) != nil {
				fmt.Fprintf(&b, " /* %s */", m.Call(op).Name)
			}
			b.WriteString("\n")
		}
		b.WriteString("        },\n")
	}
	b.WriteString("};\n\n#endif\n")
	return []byte(b.String())
}

// thenRow writes out one line of the C table ipafuzz_then.
func thenRow(m *Model, op Op) (row [len(conditionNames)]string) {
	for c := range row {
		row[c] = fmt.Sprintf("0x%02x", thenNoEntry)
	}
	if m == nil || m.Call(op) == nil {
		return row
	}
	call := m.Call(op)
	if len(call.Steps) == 0 {
		row[Always] = fmt.Sprintf("0x%02x", thenStays)
	}
	for _, step := range call.Steps {
		row[step.When] = fmt.Sprintf("0x%02x", uint8(step.Then))
	}
	return row
}

// literalsOf is the entry of an operation in the C table ipafuzz_literals.
func literalsOf(op Op) string {
	for _, m := range AllModels() {
		call := m.Call(op)
		switch {
		case call == nil || len(call.Args) != 1:
		case call.Args[0] == ArgLit:
			return "1"
		case call.Args[0] == ArgLits || call.Args[0] == ArgClause:
			return "IPAFUZZ_ANY_LITERALS"
		}
	}
	return "0"
}

// lastID returns the highest model number; C tables are indexed by it.
func lastID() uint32 {
	var last uint32
	for _, m := range AllModels() {
		last = max(last, m.ID)
	}
	return last
}

func cOp(op Op) string {
	return "IPAFUZZ_OP_" + strings.ReplaceAll(strings.ToUpper(op.String()), "-", "_")
}

var conditionSymbols = [len(conditionNames)]string{
	"ALWAYS", "CLAUSE_CLOSED", "CLAUSE_OPEN", "ANSWERED_0", "ANSWERED_10", "ANSWERED_20", "ANSWERED_30", "ANSWERED_40",
}

func cCondition(c Condition) string { return "IPAFUZZ_" + conditionSymbols[c] }

// functionsComment lists the C functions that an operation stands for.
func functionsComment(op Op) string {
	var names []string
	for _, m := range AllModels() {
		if call := m.Call(op); call != nil && call.Function != "" {
			if len(names) == 0 || names[len(names)-1] != call.Function {
				names = append(names, call.Function)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " /* " + strings.Join(names, ", ") + " */"
}
