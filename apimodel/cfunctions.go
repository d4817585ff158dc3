package apimodel

import (
	"fmt"
	"slices"
	"strings"
)

// CFunctions returns the C header of the functions behind the calls: the numbers of the models,
// the functions that each call and each capability needs, and for extensions how the executor
// makes the calls. Each list is a macro that takes a macro, so that a C file can expand it in
// its own way.
func CFunctions() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "/* %s */\n", GeneratedBy)
	b.WriteString("#ifndef IPAFUZZ_FUNCTIONS_H\n#define IPAFUZZ_FUNCTIONS_H\n\n")

	b.WriteString("/* The numbers of the API models, as in the binary trace. */\nenum {\n")
	for _, m := range Libraries() {
		fmt.Fprintf(&b, "  %s = %d, /* %s */\n", cModel(m), m.ID, m.Name)
	}
	b.WriteString("};\n\n/* Capabilities that are functions of the target, as one bit each. */\nenum {\n")
	for _, c := range Capabilities() {
		if c.Bit() != 0 {
			fmt.Fprintf(&b, "  IPAFUZZ_%s = 0x%x,\n", cName("has", c.Name), c.Bit())
		}
	}
	b.WriteString("};\n\n")

	b.WriteString("/* HAS (bit, condition): the target has a capability. */\n#define IPAFUZZ_CAPABILITIES(HAS)")
	for _, c := range Capabilities() {
		if c.Bit() != 0 {
			fmt.Fprintf(&b, " \\\n  HAS (IPAFUZZ_%s, %s)", cName("has", c.Name), cCondition(membersOf(c.Name)))
		}
	}
	b.WriteString("\n\n/* NEEDS (op, condition): the target has the functions that a call needs. */\n" +
		"#define IPAFUZZ_NEEDS(NEEDS)")
	for op := range executed {
		members := []string{operations[op].member}
		if capability := operations[op].row.Optional; capability != "" {
			members = membersOf(capability)
		}
		fmt.Fprintf(&b, " \\\n  NEEDS (%s, %s)", cOp(op), cCondition(members))
	}
	b.WriteString("\n\n/* FUNCTION (model, member, symbol, result, parameters): what no SAT or MaxSAT standard has. */\n" +
		"#define IPAFUZZ_EXTENSIONS(FUNCTION)")
	eachExtension(func(m *Model, call *Call, first bool) {
		if first {
			s := call.shape()
			fmt.Fprintf(&b, " \\\n  FUNCTION (%s, %s, %s, %s, (%s))",
				cModel(m), call.member(), call.Function, s.result, s.parameters)
		}
	})
	b.WriteString("\n\n/* CALL (op, shape, member, word): how the executor makes these calls. */\n" +
		"#define IPAFUZZ_EXTENSION_CALLS(CALL)")
	eachExtension(func(m *Model, call *Call, _ bool) {
		fmt.Fprintf(&b, " \\\n  CALL (%s, %s, %s, %q)", cOp(call.Op), call.shape().name, call.member(), call.Word)
	})
	b.WriteString("\n\n#endif\n")
	return []byte(b.String())
}

// A cShape says how C declares and calls the function of a call.
type cShape struct{ name, result, parameters string }

// shape derives the C function from the types of the arguments and the answer. It returns the
// zero cShape if the executor cannot call such a function.
func (call *Call) shape() cShape {
	form, _ := formOf(call)
	word := call.Reply == ReplyFlag || call.Reply == ReplyCode
	switch {
	case form == FormNone && word:
		return cShape{"ASK", "int", "void *solver"}
	case form == FormNone && call.Reply == ReplyNothing:
		return cShape{"DO", "void", "void *solver"}
	case form == FormLit && word:
		return cShape{"ASK_LIT", "int", "void *solver, int32_t lit"}
	case form == FormLit && call.Reply == ReplyNothing:
		return cShape{"GIVE_LIT", "void", "void *solver, int32_t lit"}
	case form == FormLits && call.Reply == ReplyNothing:
		return cShape{"GIVE_LITS", "void", "void *solver, int32_t " + call.listed() + "_or_zero"}
	case form == FormExtend && call.Reply == ReplyNothing:
		return cShape{"GIVE_LEVEL", "void", "void *solver, int32_t level, int32_t var_or_zero"}
	case form == FormNumber && call.Args[0] == ArgGroup && call.Reply == ReplyNothing:
		return cShape{"GIVE_NUMBER", "void", "void *solver, int32_t group"}
	case form == FormNumber && call.Word != "" && call.Reply == ReplyNothing:
		return cShape{"LIMIT", "void", "void *solver, const char *name, int limit"}
	case form == FormNumber && call.Reply == ReplyCounts:
		return cShape{"COUNT", "uint64_t", "void *solver, uint32_t most"}
	}
	return cShape{}
}

// listed names the elements of the call's list.
func (call *Call) listed() string {
	if call.Args[len(call.Args)-1] == ArgVars {
		return "var"
	}
	return "lit"
}

// generated reports whether generated code makes the call, as for all calls that neither IPASIR
// nor IPAMIR has.
func (op Op) generated() bool { return op >= OpConstrain && op != OpProof }

// Prototype returns the C declaration of the call's function. The call must be one that
// generated code makes.
func (call *Call) Prototype() string {
	s := call.shape()
	return fmt.Sprintf("%s %s (%s);", s.result, call.Function, s.parameters)
}

// eachExtension calls visit for the calls that generated code makes. first is true if no
// earlier call has the same function.
func eachExtension(visit func(m *Model, call *Call, first bool)) {
	seen := make(map[string]bool)
	for _, m := range Libraries() {
		for i := range m.Calls {
			if call := &m.Calls[i]; call.Op.generated() {
				visit(m, call, !seen[call.Function])
				seen[call.Function] = true
			}
		}
	}
}

// member returns the name of the call's function in the C struct ipafuzz_target.
func (call *Call) member() string {
	if call.Member != "" {
		return call.Member
	}
	_, name, _ := strings.Cut(call.Function, "_")
	return name
}

// membersOf lists the functions that make up a capability.
func membersOf(capability string) []string {
	var members []string
	for op := range executed {
		if o := &operations[op]; o.row.Optional == capability && !slices.Contains(members, o.member) {
			members = append(members, o.member)
		}
	}
	return members
}

// cCondition returns a C condition: the pointer target has all members.
func cCondition(members []string) string {
	var b strings.Builder
	for i, member := range members {
		switch {
		case i > 0 && i%3 == 0: // three members in a line
			b.WriteString(" && \\\n       ")
		case i > 0:
			b.WriteString(" && ")
		}
		b.WriteString("target->" + member)
	}
	return b.String()
}

// cModel returns the C name of a model: "IPAFUZZ_CADICAL" for "ipasir+cadical".
func cModel(m *Model) string {
	_, name, extends := strings.Cut(m.Name, "+")
	if !extends {
		name = m.Name
	}
	return "IPAFUZZ_" + cName("", name)
}
