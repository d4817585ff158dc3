package native

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestLongFailuresAreShort: however much a linker prints, ten lines explain it.
func TestLongFailuresAreShort(t *testing.T) {
	var output strings.Builder
	for i := range 900 {
		fmt.Fprintf(&output, "/usr/bin/ld: glue.o: in function `f%d':\n"+
			"glue.cpp:(.text+0x1): undefined reference to `_ZN7Core%03d5solveEv'\n", i, i)
	}
	output.WriteString("/usr/bin/ld: undefined reference to `std::terminate()'\n")
	for i := range 3 {
		fmt.Fprintf(&output, "ld.lld: error: undefined symbol: %s\n", strings.Repeat("x", 200+i))
	}
	f := &failedLink{command: "cc", err: errors.New("exit status 1"), output: []byte(output.String()),
		dir: "solver", link: []string{"cc"}, log: "link.log"}
	said := f.String()
	if lines := strings.Count(said, "\n") + 1; lines > 10 || len(said) > 1200 {
		t.Errorf("%d lines, %d bytes", lines, len(said))
	}
	for _, want := range []string{"undefined: std::terminate()\n", "undefined: Core001::solve()\n", "... and 900 more\n",
		"likely cause: it needs the library of C++, which cc does not link\n", "file LINK in solver\n", "printed: link.log"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in:\n%s", want, said)
		}
	}
	for output, want := range map[string]string{
		"": "the command fails",
		"relocation R_X86_64_32 against `.rodata' can not be used when making a PIE object; recompile with -fPIE": "-no-pie",
		"libx.a: file format not recognized":    "another machine",
		"multiple definition of `f'; a.o":       "symbols of the same names",
		"undefined reference to `gzopen'":       "write -lz",
		"\xff\xfe undefined reference to `\xff": "is not linked",
	} {
		f.output = []byte(output)
		if said := f.String(); !strings.Contains(said, want) {
			t.Errorf("%q: want %q in:\n%s", output, want, said)
		}
	}
	f.output, f.setter = []byte("undefined reference to `f'\nundefined reference to `own_set'"), "own_set"
	if said := f.String(); !strings.Contains(said, "undefined: own_set\nlikely cause: the archive lacks") {
		t.Errorf("a wrong set-option:\n%s", said)
	}
}
