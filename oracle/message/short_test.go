package message

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	stringVector = "std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, " +
		"std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > >"
	pairVector = "std::vector<std::pair<int, int>, std::allocator<std::pair<int, int> > >"
)

// TestShort: names of functions become short and stay different.
func TestShort(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"SIGSEGV Solver::propagate solve", "SIGSEGV Solver::propagate solve"},
		{"SIGSEGV std::vector<int>::at Heap<VarOrder<double> >::up",
			"SIGSEGV std::vector<int>::at Heap<VarOrder<double> >::up"},
		{"SIGSEGV " + stringVector + "::at solve", "SIGSEGV std::vector<#175b0460>::at solve"},
		{"SIGSEGV " + pairVector + "::at solve", "SIGSEGV std::vector<#6ef79ab5>::at solve"},
		{"each<" + pairVector + ">::{lambda(" + stringVector + ")#1}::operator()", ""},
		{"operator<<<" + stringVector + ">", ""},
		{"operator< <" + stringVector + ">", ""},
		{"Order::operator< Order::operator<<" + stringVector + ">", ""},
		{"P::operator-> P::operator->*<" + stringVector + ">", ""},
		{"<alloc::vec::Vec<alloc::string::String> as core::ops::index::Index>::index",
			"<alloc::vec::Vec<alloc::string::String> as core::ops::index::Index>::index"},
		{"core::ptr::drop_in_place::<alloc::vec::Vec<alloc::string::String, alloc::Global> >", ""},
		{"exit 3: value 1 < 2 and 3 is not more than what the limit says, which is 4", ""},
		{"a <b " + strings.Repeat("no end ", 30), "a <b " + strings.Repeat("no end ", 30)},
		{"SIGSEGV _ZN" + strings.Repeat("3abc", 50), ""},
		{"x" + strings.Repeat("é", 100), ""},
		{"x" + strings.Repeat("<", 1<<20) + strings.Repeat(">", 1<<20), ""},
		{strings.Repeat("x<", 1<<20), ""},
	} {
		got := Short(c.text)
		if c.want != "" && got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
		if again := Short(got); again != got {
			t.Errorf("%s\nbecomes %s", got, again)
		}
		if len(got) > 250 || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%q is not short", got)
		}
		for _, change := range []string{"int", "char"} {
			other := strings.Replace(c.text, change, "long", 1)
			if other != c.text && Short(other) == got {
				t.Errorf("%s\nand\n%s are the same", c.text, other)
			}
		}
	}
	if Short("f<"+pairVector+">") != Short("f<"+strings.ReplaceAll(pairVector, "> >", ">>")+">") {
		t.Error("blanks between brackets matter")
	}
}

// TestShortDeath: the stack of a death has readable names.
func TestShortDeath(t *testing.T) {
	frame := func(name string) trace.Frame { return trace.Frame{Module: "/l.so", Offset: 1, Function: name} }
	const insert = "_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_St6vectorISt4pairIS5_" +
		"S7_IiSaIiEEESaISB_EEESt10_Select1stISE_ESt4lessIS5_ESaISE_EE24_M_get_insert_unique_posERS7_"
	deep := make([]trace.Frame, 0, 24)
	for range 12 {
		deep = append(deep, frame(insert), frame("solve"))
	}
	for name, death := range map[string]trace.Death{
		"frames":    {Frames: []trace.Frame{frame(insert), frame("solve")}},
		"recursion": {Frames: deep},
		"report": {Stderr: "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\n    #0 0x1 in Heap<" +
			stringVector + ">::up(int) /x/Heap.h:5:12\n"},
	} {
		if got := Death(&death, "SIGSEGV", "in solve"); len(got) > 150 || !strings.Contains(got, "<#") {
			t.Errorf("%s: %s (%d bytes)", name, got, len(got))
		}
	}
}
