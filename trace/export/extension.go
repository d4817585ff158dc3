package export

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// inC reports whether a C program can make a call of an extension. Programs do not ask about
// constraints of ipasir+cadical, because their checks do not know them.
func inC(m *apimodel.Model, op apimodel.Op) bool {
	return m == apimodel.CaDiCaL && !op.AsksAnswer() || m == apimodel.IPASIR2
}

func inNone(*apimodel.Model, apimodel.Op) bool { return false }

// inJava reports whether a Java program can make a call of an extension: Sat4j can count solutions.
func inJava(_ *apimodel.Model, op apimodel.Op) bool { return op == apimodel.OpEnumerate }

// declarations returns the C declarations of the functions that the model adds. The pointer that
// ipasir_init returns is also the one that these functions of CaDiCaL take.
func declarations(m *apimodel.Model) string {
	var b strings.Builder
	b.WriteString("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n")
	declared := make(map[string]bool)
	for i := range m.Calls {
		call := &m.Calls[i]
		if m.Own(call) && inC(m, call.Op) && !declared[call.Function] {
			declared[call.Function] = true
			b.WriteString(call.Prototype() + "\n")
		}
	}
	b.WriteString("#ifdef __cplusplus\n}\n#endif\n")
	return b.String()
}

// layered are the functions of IPASIR that ipasir2_layer.h builds from those of IPASIR-2.
var layered = []string{"signature", "init", "release", "add", "assume", "solve", "val", "failed", "set_terminate",
	"set_learn"}

// clientCalls are the functions in ipasir2_client.h.
var clientCalls = []string{"set_option", "havoc", "errors", "misuse"}

// layer writes the interface of IPASIR-2 and a layer over it with the functions of IPASIR.
func (p *cProgram) layer(b *bytes.Buffer) {
	p.header(b, "ipasir2.h")
	b.WriteString("#define IPASIR2_LINKED 1\n")
	p.header(b, "ipasir2_layer.h")
	for _, name := range layered {
		fmt.Fprintf(b, "#define ipasir_%s layer_%[1]s\n", name)
	}
	b.WriteString("#define ipafuzz_import layer_import\n\n")
	for _, name := range clientCalls {
		if strings.Contains(p.body.String(), "ipafuzz_"+name+" (") {
			p.header(b, "ipasir2_client.h")
			break
		}
	}
	for _, name := range clientCalls {
		fmt.Fprintf(b, "#define ipafuzz_%s layer_%[1]s\n", name)
	}
	b.WriteByte('\n')
}

// code writes a call about error codes of IPASIR-2, and the check of its answer.
func (p *cProgram) code(made, what, right string, i int) {
	p.unguard()
	if p.want.codes {
		p.expect(i, what, right, made)
	} else {
		p.line("%s;", made)
	}
}

func (p *cProgram) errors(s *solver, i int) {
	p.code(fmt.Sprintf("ipafuzz_errors (s%d)", s.instance), "no error code of a right call", "!%s", i)
}

func (p *cProgram) misuse(s *solver, i int) {
	p.code(fmt.Sprintf("ipafuzz_misuse (s%d, %d)", s.instance, p.t.Calls[i].Num), "the error code of a wrong call",
		"layer_refused (%s)", i)
}

func (p *cProgram) proof(s *solver, _ int) {
	p.line("{ uint64_t size; ipafuzz_proof (s%d, &size); }", s.instance)
}

// plain writes a call of the function in the row of the call. The program does not check the answer.
func (p *cProgram) plain(_ *solver, i int) {
	c := &p.t.Calls[i]
	call := p.t.Model.Call(c.Op)
	if !p.t.Model.Own(call) {
		call = p.t.Model.Interface().Call(c.Op)
	}
	write := func(args ...any) {
		list := fmt.Sprintf("s%d", c.Instance)
		for _, arg := range args {
			list += fmt.Sprintf(", %v", arg)
		}
		p.line("%s (%s);", call.Function, list)
	}
	switch c.Op.Form() {
	case apimodel.FormNone:
		write()
	case apimodel.FormLit:
		write(p.t.Lit(c))
	case apimodel.FormSoft:
		write(p.t.Lit(c), unsigned(c.Num))
	case apimodel.FormLong:
		write(unsigned(c.Num))
	case apimodel.FormLits:
		for _, lit := range p.t.Args(c) {
			write(lit)
		}
		write(0)
	case apimodel.FormExtend:
		for _, v := range p.t.Args(c) {
			write(c.Num, v)
		}
		write(c.Num, 0)
	case apimodel.FormNumber: // a limit, or a group
		if call.Word == "" {
			write(c.Num)
			return
		}
		number := int64(c.Num)
		if c.Flags&trace.Off != 0 {
			number = -1
		}
		write(quoted(call.Word), number)
	}
}
