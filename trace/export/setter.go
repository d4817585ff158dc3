package export

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

func (p *cProgram) option(s *solver, i int) {
	name, value := p.t.Option(&p.t.Calls[i])
	p.setOption(s.instance, name, value)
}

// setOption writes a call that sets an option of a solver. Like ipafuzz, it omits the call if
// the library's own function cannot take the value.
func (p *cProgram) setOption(instance uint16, name, value string) {
	switch function := p.o.Setter.Function; {
	case function == "":
		p.line("ipafuzz_set_option (s%d, %s, %s);", instance, quoted(name), quoted(value))
	case !p.o.Setter.Int:
		p.line("%s (s%d, %s, %s);", function, instance, quoted(name), quoted(value))
	default:
		if number, ok := apimodel.AsInt(value); ok {
			p.line("%s (s%d, %s, %d);", function, instance, quoted(name), number)
		}
	}
}

// setterDeclaration declares the library's own function, if the program calls it.
func (p *cProgram) setterDeclaration() string {
	function, kind := p.o.Setter.Function, "const char *"
	if function == "" || !strings.Contains(p.body.String(), function+" (") {
		return ""
	}
	if p.o.Setter.Int {
		kind = "int "
	}
	return fmt.Sprintf("\n#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid %s (void *solver, const char *name, %svalue);\n",
		function, kind)
}
