package trace

import (
	"errors"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// small returns a legal trace for a test to damage:
//
//	0 hard 1 -2 0    1 soft 3 5    2 option a b    3 terminate 4    4 solve = 30
//	5 model = 1 -2   6 signature = "s"
func small() *Trace {
	t := &Trace{}
	t.Reset(apimodel.IPAMIR)
	t.Clause(0, true, 1, -2)
	t.Soft(0, 3, 5)
	t.SetOption(0, "a", "b")
	t.Count(0, apimodel.OpTerminate, 4)
	t.Plain(0, apimodel.OpSolve)
	t.Plain(0, apimodel.OpModel)
	t.Plain(0, apimodel.OpSignature)
	t.Want = Answers{Of: make([]Answer, 7), Lits: []int32{1, -2}, Text: []byte("s")}
	t.Want.Of[4] = Answer{Kind: Answered, Num: 30}
	t.Want.Of[5] = Answer{Kind: Answered, Len: 2}
	t.Want.Of[6] = Answer{Kind: Answered, Len: 1}
	return t
}

func TestCheckErrors(t *testing.T) {
	if err := Check(small()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		damage func(t *Trace)
		call   int
		want   string
	}{
		{"no model", func(t *Trace) { t.Model = nil }, -1, "the trace has no model"},
		{"too few expectations", func(t *Trace) { t.Want.Of = t.Want.Of[:3] }, -1,
			"the trace has 7 calls and 3 answers"},
		{"unknown call", func(t *Trace) { t.Calls[3].Op = 200 }, 3,
			"call 4 (operation 200): model ipamir has no such call (operation 200)"},
		{"call of another model", func(t *Trace) { t.Calls[5].Op = apimodel.OpCore }, 5,
			"call 6 (core): model ipamir has no such call (core)"},
		{"flag of another call", func(t *Trace) { t.Calls[1].Flags = Open }, 1,
			"call 2 (soft 3 5): soft cannot have the flags 0x1"},
		{"literal 0", func(t *Trace) { t.Lits[1] = 0 }, 0, "call 1 (hard 1 0 0): 0 is not a literal"},
		{"smallest number", func(t *Trace) { t.Lits[2] = -1 << 31 }, 1,
			"call 2 (soft -2147483648 5): -2147483648 is not a literal"},
		{"literals outside", func(t *Trace) { t.Calls[0].Len = 4 }, 0,
			"call 1 (hard ?): its literals 0+4 lie outside the 3 of the trace"},
		{"literals far outside", func(t *Trace) { t.Calls[0].Pos = 1<<32 - 1 }, 0,
			"call 1 (hard ?): its literals 4294967295+2 lie outside the 3 of the trace"},
		{"two literals", func(t *Trace) { t.Calls[1].Pos, t.Calls[1].Len = 0, 2 }, 1,
			"call 2 (soft 1 -2 5): soft takes one literal, not 2"},
		{"literals of solve", func(t *Trace) { t.Calls[4].Len = 1 }, 4, "call 5 (solve want 30): solve takes no literals"},
		{"open and empty", func(t *Trace) { t.Calls[0].Flags, t.Calls[0].Len = Open, 0 }, 0,
			"call 1 (hard): an open clause has at least one literal"},
		{"count", func(t *Trace) { t.Calls[3].Num = 1 << 32 }, 3,
			"call 4 (terminate 4294967296): 4294967296 is above 4294967295, the most that terminate takes"},
		{"option outside", func(t *Trace) { t.Calls[2].Len = 4 }, 2,
			"call 3 (option ? ?): its bytes 0+4 lie outside the 3 of the trace"},
		{"option without value", func(t *Trace) { t.Bytes[1] = 'x' }, 2, "call 3 (option axb ): the option has no value"},
		{"option with empty name", func(t *Trace) { t.Calls[2].Pos, t.Calls[2].Len = 1, 2 }, 2,
			`call 3 (option  b): the option's name is "", want an option name`},
		{"option with empty value", func(t *Trace) { t.Calls[2].Len = 2 }, 2,
			`call 3 (option a ): the option's value is "", want an option value`},
		{"option with a blank", func(t *Trace) { t.Bytes[0] = ' ' }, 2,
			`call 3 (option   b): the option's name is " ", want an option name`},
		{"option with a line end", func(t *Trace) { t.Bytes[2] = '\n' }, 2,
			"call 3 (option a \n): the option's value is \"\\n\", want an option value"},
		{"option with = as value", func(t *Trace) { t.Bytes[2] = '=' }, 2,
			`call 3 (option a =): the option's value is "=", want an option value`},
		{"unknown answer", func(t *Trace) { t.Want.Of[4].Kind = 9 }, 4,
			"call 5 (solve want 30): its answer is of unknown kind 9"},
		{"garbage status", func(t *Trace) { t.Want.Of[4].Num = 77 }, 4, "call 5 (solve want 77): solve cannot answer 77"},
		{"64-bit status", func(t *Trace) { t.Want.Of[4].Num = 1 << 32 }, 4,
			"call 5 (solve want 4294967296): it cannot answer 4294967296, which has more than 32 bits"},
		{"strange status", func(t *Trace) { t.Want.Of[4].Strange = true }, 4,
			"call 5 (solve want 30): solve cannot have a strange answer"},
		{"answer outside", func(t *Trace) { t.Want.Of[5].Len = 3 }, 5,
			"call 6 (model want): its answer: its literals 0+3 lie outside the 2 of the trace"},
		{"answer 0", func(t *Trace) { t.Want.Lits[0] = 0 }, 5, "call 6 (model want 0 -2): its answer: 0 is not a literal"},
		{"text outside", func(t *Trace) { t.Want.Of[6].Pos = 1 }, 6,
			`call 7 (signature want ""): the text of its answer lies outside that of the trace`},
		{"unsatisfiable", func(t *Trace) { t.Want.Of[4].Num = 20 }, 5,
			"call 6 (model want 1 -2): model is not legal here: the solver is in state UNSAT, the call needs SAT or OPTIMAL"},
		{"solve not made", func(t *Trace) { t.Want.Of[4].Kind = Withheld }, 5,
			"call 6 (model want 1 -2): model is not legal here: the solver is in state INPUT, the call needs SAT or OPTIMAL"},
		{"other instance", func(t *Trace) { t.Calls[4].Instance = 1 }, 5,
			"call 6 (model want 1 -2): model is not legal here: the solver is in state INPUT, the call needs SAT or OPTIMAL"},
	} {
		damaged := small()
		c.damage(damaged)
		err := Check(damaged)
		var found *CheckError
		if !errors.As(err, &found) || found.Call != c.call || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\nwant %s\n got %v", c.name, c.want, err)
		}
	}
}

func TestCheckErrorWrapsTheIllegalCall(t *testing.T) {
	tr := small()
	tr.Want.Of[4].Num = 20
	var illegal *apimodel.IllegalCall
	if err := Check(tr); !errors.As(err, &illegal) || illegal.Needs != apimodel.Set(apimodel.Sat, apimodel.Optimal) {
		t.Errorf("want an IllegalCall, got %v", err)
	}
}

func TestCheckShortensLongCalls(t *testing.T) {
	tr := &Trace{Model: apimodel.IPAMIR}
	tr.Clause(0, false, make([]int32, 1000)...)
	if err := Check(tr); err == nil || len(err.Error()) > 300 {
		t.Errorf("got %v", err)
	}
}

func TestCheckCountsInstances(t *testing.T) {
	tr := &Trace{Model: apimodel.IPAMIR}
	for i := range MaxInstances {
		tr.Plain(uint16(i), apimodel.OpSignature)
	}
	if err := Check(tr); err != nil {
		t.Fatal(err)
	}
	tr.Plain(MaxInstances, apimodel.OpSignature)
	if err := Check(tr); !errors.Is(err, ErrTooManyInstances) {
		t.Errorf("got %v", err)
	}
}
