package export

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// setOption writes a call that sets an option of a solver. Like ipafuzz, it omits the call if
// the library's own function cannot take the value.
func (p *cProgram) setOption(c *trace.Call, name, value string) {
	switch function := p.o.Setter.Function; {
	case function == "":
		p.line("ipafuzz_set_option (s%d, %s, %s);", c.Instance, quoted(name), quoted(value))
	case !p.o.Setter.Int:
		p.line("%s (s%d, %s, %s);", function, c.Instance, quoted(name), quoted(value))
	default:
		if number, ok := apimodel.AsInt(value); ok {
			p.line("%s (s%d, %s, %d);", function, c.Instance, quoted(name), number)
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
