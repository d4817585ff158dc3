package trace

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

const quantifiedText = `ipafuzz 1 qbf
# all calls
exists 1 2 0
forall 3 0
exists 0
exists 4 0
extend 3 5 0
extend 1 0
clause 1 -3 4 0
clause 2
clause 3 0
clause 6 -6 0
push
clause 0
assume -1
pop
solve
val 1
model
failed -1
core
@1 forall 1 0
@1 open 7
@1 clause 1 0
@1 close 7
@1 deactivate 7
@1 assume -1
@1 solve
@1 activate 7
@1 open 7
@1 close 7
@1 delete 7
@1 open 7
@1 solve
`

func TestQuantifiedRoundTrip(t *testing.T) {
	want, err := ParseString(quantifiedText)
	if err != nil {
		t.Fatal(err)
	}
	if text := want.String(); text != quantifiedText {
		t.Errorf("the trace prints as\n%s", text)
	}
	binary, err := want.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := parseBinary(binary); err != nil || !Equal(got, want) {
		t.Errorf("parseBinary returns %v (%v)", got, err)
	}
	var packer Packer
	packer.Add(want)
	if text, err := unpackerOf(&packer).Next(want.Notes); err != nil || string(text) != quantifiedText {
		t.Errorf("unpacking gives %s (%v)", text, err)
	}
	copied := &Trace{Model: want.Model, Notes: want.Notes}
	for i := range want.Calls {
		copied.Append(want, &want.Calls[i])
	}
	if !Equal(copied, want) {
		t.Errorf("a copy call by call is\n%s", copied)
	}
	other := want.Clone()
	for i := range other.Calls {
		if other.Calls[i].Op == apimodel.OpExtend {
			other.Calls[i].Num++
		}
	}
	if Equal(other, want) {
		t.Error("Equal ignores the level of extend")
	}
}

func TestQuantifiedMisuse(t *testing.T) {
	for _, c := range []struct{ calls, want string }{
		{"pop", "2:1: want a push before each pop, got \"pop\" (pop without push)"},
		{"push;pop;pop", "4:1: want a push before each pop, got \"pop\" (pop without push)"},
		{"push;release;init;pop", "5:1: want a push before each pop, got \"pop\" (pop without push)"},
		{"push;@1 pop", "3:4: want a push before each pop, got \"pop\" (pop without push)"},
		{"exists 1 2 0;forall 3  2 0", "3:11: want a variable that no block and no clause names so far, " +
			"got \"2\" (variable 2 is in two blocks)"},
		{"exists 1 0;extend 1 1 0", "3:10: want a variable that no block and no clause names so far, " +
			"got \"1\" (variable 1 is in two blocks)"},
		{"exists 2 1 2 0", "2:12: want a variable that no block and no clause names so far, " +
			"got \"2\" (variable 2 is twice in a block)"},
		{"exists 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 9 0", "2:50: want a variable that no block and no clause names " +
			"so far, got \"9\" (variable 9 is twice in a block)"},
		{"clause 1 0;exists 1 0", "3:8: want a variable that no block and no clause names so far, " +
			"got \"1\" (variable 1 is free: a clause names it)"},
		{"push;clause -1 0;pop;exists 1 0", "5:8: want a variable that no block and no clause names so far, " +
			"got \"1\" (variable 1 is free: a clause names it)"},
		{"exists -1 0", "2:8: want a variable from 1 to 2147483647, or 0 to end the block, got \"-1\""},
		{"exists 1", "2:9: want the variables of exists up to the final 0, got the end of the line"},
		{"extend 0 1 0", "2:8: want the level of a block, from 1 to 2147483647, got \"0\""},
		{"extend 1 1 0", "2:8: want a block before, got \"1\" (there is no block 1)"},
		{"exists 0;forall 0;extend 3 0", "4:8: want the level of a block, from 1 to 2, got \"3\" (there is no block 3)"},
		{"assume 1", "2:8: want a literal of the outermost block, got \"1\" (variable 1 is not in the outermost block)"},
		{"forall 1 0;exists 2 0;assume -2", "4:8: want a literal of the outermost block, got \"-2\" " +
			"(variable 2 is not in the outermost block)"},
		{"forall 1 0;clause 2 0;assume -1", "4:8: want a literal of the outermost block, got \"-1\" " +
			"(variable 1 is not in the outermost block)"},
		{"forall 1 0;assume -1;assume 1", "4:8: want a literal of the outermost block that is not assumed yet, got \"1\" " +
			"(variable 1 is assumed twice)"},
		{"forall 1 0;assume -1;clause 1 2 0", "4:10: want the solve that the assumption is for, got \"2\" " +
			"(an assumed variable would not be in the outermost block any more)"},
		{"exists 0;forall 1 0;assume -1;extend 1 2 0", "5:8: want the solve that the assumption is for, got \"1\" " +
			"(an assumed variable would not be in the outermost block any more)"},
		{"push;open 1", "3:1: want frames or groups, not both, got \"open\" (open in a solver that has had frames)"},
		{"open 1;push", "3:1: want frames or groups, not both, got \"push\" (push in a solver that has groups)"},
		{"open 2;close 2;close 2", "4:7: want the open group, got \"2\" (group 2 is closed twice)"},
		{"close 2", "2:7: want a group that exists, got \"2\" (there is no group 2)"},
		{"open 1;open 2", "3:6: want at most one open group, got \"2\" (group 2 is opened while a group is open)"},
		{"open 1;deactivate 1", "3:12: want a closed group, got \"1\" (group 1 is open)"},
		{"open 1;delete 1", "3:8: want a closed group, got \"1\" (group 1 is open)"},
		{"open 1;close 1;deactivate 1;delete 1", "5:8: want an active group, got \"1\" (group 1 is deactivated)"},
		{"open 1;close 1;deactivate 1;open 1", "5:6: want an active group, got \"1\" (group 1 is deactivated)"},
		{"open 1;close 1;deactivate 1;deactivate 1", "5:12: want an active group, got \"1\" (group 1 is deactivated twice)"},
		{"open 1;close 1;activate 1", "4:10: want a deactivated group, got \"1\" (group 1 is active already)"},
		{"open 1;close 1;delete 1;close 1", "5:7: want a group that exists, got \"1\" (there is no group 1)"},
		{"clause 1;push", "3:1: want a call that is legal in state CLAUSE, got push: " +
			"it needs START or INPUT or SAT or UNSAT"},
		{"open 2147483648", "2:6: want the number of a group, from 0 to 2147483647, got \"2147483648\""},
	} {
		lines := strings.ReplaceAll(c.calls, ";", "\n") + "\n"
		_, err := ParseString("ipafuzz 1 qbf\n" + lines)
		if err == nil || err.Error() != "trace:"+c.want {
			t.Errorf("%s:\n got %v\nwant trace:%s", c.calls, err, c.want)
		}
		// Check refuses the same calls.
		syntax, err := ParseSyntax(strings.NewReader("ipafuzz 1 qbf\n"+lines), "")
		if err != nil {
			continue
		}
		if _, isCheck := errors.AsType[*CheckError](Check(syntax)); !isCheck {
			t.Errorf("%s: Check accepts it", c.calls)
		}
	}
}

// TestQuantifiedLegal: Parse accepts calls that are legal, although a simple checker could refuse them.
func TestQuantifiedLegal(t *testing.T) {
	for _, calls := range []string{
		"exists 0;solve",
		"exists 0;forall 0;forall 1 0;exists 0;forall 2 0;exists 3 0;assume 2;assume -1;solve",
		"clause 9 0;forall 1 0;assume 9;solve",
		"clause 9 0;exists 1 0;forall 2 0;assume 9;assume 1;solve",
		"forall 1 0;assume -1;solve;clause 2 0;assume 2;solve",
		"forall 1 0;assume 1;exists 2 0;clause 2 0;solve",
		"forall 1 0;assume 1;extend 1 2 0;solve",
		"forall 1 0;assume 1;solve;assume 1;solve",
		"exists 1 0;assume 1;clause 2 0;solve",
		"push;push;pop;push;pop;pop;solve",
		"push;pop;release;init;open 1;close 1;solve",
		"open 1;solve;solve;close 1;solve",
		"open 1;close 1;open 2;close 2;deactivate 1;open 2;close 2;solve",
		"open 1;close 1;delete 1;open 1;solve",
		"open 0;close 0",
		"push;release;init;exists 1 0;@1 exists 1 0;@2 clause 1 0",
		"solve;val 1;failed 1;model;core;val 1",
	} {
		lines := strings.ReplaceAll(calls, ";", "\n") + "\n"
		read, err := ParseString("ipafuzz 1 qbf\n" + lines)
		if err != nil {
			t.Errorf("%s: %v", calls, err)
			continue
		}
		binary, err := read.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Read(bytes.NewReader(binary), ""); err != nil || !Equal(again, read) {
			t.Errorf("%s: in binary: %v", calls, err)
		}
	}
}

// TestQuantifiedWant: in model qbf, expected answers do not change which calls are legal.
func TestQuantifiedWant(t *testing.T) {
	text := "ipafuzz 2 qbf\nforall 1 0\nclause 1 0\nassume 1\nsolve want 10\nval 1 want 0\ncore want 1\npush\n" +
		"solve want 20\nval 1 want -1\nmodel want -1\npop\n"
	read, err := ParseString(text)
	if err != nil || read.String() != text {
		t.Errorf("%v %v", read, err)
	}
	if _, err := ParseString(text + "pop\n"); err == nil {
		t.Error("Parse accepts a pop without a push after answers")
	}
}
