package apimodel

import (
	"math"
	"strings"
	"testing"
)

func TestOperations(t *testing.T) {
	for _, want := range []struct {
		op       Op
		form     Form
		reply    Reply
		does     Effect
		ofAnswer bool
		most     uint64
	}{
		{OpClause, FormLits, ReplyNothing, Poses, false, math.MaxUint64},
		{OpSoft, FormSoft, ReplyNothing, Poses, false, math.MaxUint64},
		{OpHavoc, FormLong, ReplyNothing, Steers, false, math.MaxUint64},
		{OpOption, FormText, ReplyCode, Steers, false, math.MaxUint64},
		{OpTerminate, FormNumber, ReplyNothing, Steers, false, math.MaxUint32},
		{OpLearn, FormNumber, ReplyNothing, Steers, false, math.MaxInt32},
		{OpModel, FormVars, ReplyModel, Asks, true, math.MaxUint64},
		{OpCore, FormAssumed, ReplyCore, Asks, true, math.MaxUint64},
		{OpSignature, FormNone, ReplyText, Asks, false, math.MaxUint64},
		{OpConstraintFailed, FormNone, ReplyFlag, Asks, true, math.MaxUint64},
		{OpFixed, FormLit, ReplyCode, Asks, false, math.MaxUint64},
		{NumOps, FormNone, ReplyNothing, 0, false, 0},
	} {
		op := want.op
		if op.Form() != want.form || op.Reply() != want.reply || op.AsksAnswer() != want.ofAnswer || op.Most() != want.most ||
			operations[op].does != want.does || op.HasLits() != want.form.HasLits() {
			t.Errorf("%v: form %d, reply %v, effects %v, of an answer %v, most %d; want %+v",
				op, op.Form(), op.Reply(), operations[op].does, op.AsksAnswer(), op.Most(), want)
		}
	}
}

// TestBinds: only exists, forall and extend put variables into blocks.
func TestBinds(t *testing.T) {
	for _, m := range AllModels() {
		for _, call := range m.Calls {
			want := call.Name == "exists" || call.Name == "forall" || call.Name == "extend"
			if call.Op.Binds() != want {
				t.Errorf("%s of %s: Binds is %v, want %v", call.Name, m.Name, call.Op.Binds(), want)
			}
		}
	}
	if NumOps.Binds() {
		t.Error("an unknown operation binds variables")
	}
}

func TestModelsMustAgree(t *testing.T) {
	for name, change := range map[string]func(*Call){
		"arguments":  func(c *Call) { c.Args = []Arg{ArgCount} },
		"answer":     func(c *Call) { c.Reply = ReplyCode },
		"effect":     func(c *Call) { c.Does = Clears },
		"capability": func(c *Call) { c.Optional = "havoc" },
		"function":   func(c *Call) { c.Member = "other" },
		"query":      func(c *Call) { c.Legal = readySAT },
	} {
		var o operation
		row := *IPASIR.Call(OpFailed)
		if err := o.agree(&row); err != nil {
			t.Fatal(err)
		}
		other := row
		change(&other)
		if err := o.agree(&other); err == nil || !strings.Contains(err.Error(), "another model has it") {
			t.Errorf("another %s: error %v", name, err)
		}
	}
}

// TestCapabilityBits: each capability that is a function has a bit of its own.
func TestCapabilityBits(t *testing.T) {
	seen := uint32(0)
	for _, c := range Capabilities() {
		bit := c.Bit()
		if isFunction := c.Name != "instances"; (bit != 0) != isFunction || bit&(bit-1) != 0 || seen&bit != 0 {
			t.Errorf("capability %s has bit %#x, after %#x", c.Name, bit, seen)
		}
		seen |= bit
	}
}
