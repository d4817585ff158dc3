package dd

import (
	"context"
	"math/bits"
	"strconv"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestSumThatOverflows: Minimize finds weights whose sum just reaches a power of two with few tests.
func TestSumThatOverflows(t *testing.T) {
	given, err := trace.ParseString("ipafuzz 1 ipamir\nsoft 1 9000000000000000000\nsoft 2 5555555555555555555\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		tests++
		softs, hi, lo := 0, uint64(0), uint64(0)
		for i := range c.Calls {
			if c.Calls[i].Op == apimodel.OpSoft {
				var carry uint64
				lo, carry = bits.Add64(lo, c.Calls[i].Num, 0)
				hi += carry
				softs++
			}
		}
		return Verdict{Same: softs == 2 && c.Solves() == 1 && (hi > 0 || lo >= 1<<62), Call: -1}, nil
	})
	result, err := Minimize(context.Background(), given, test, Config{})
	if err != nil {
		t.Fatal(err)
	}
	sum := result.Trace.Calls[0].Num + result.Trace.Calls[1].Num
	if sum != 1<<62 || tests > 60 {
		t.Errorf("reduced after %d tests to\n%s", tests, result.Trace)
	}
}

// TestWeightsOfAsManyDigits: Minimize spends no tests on a smaller weight that is no shorter.
func TestWeightsOfAsManyDigits(t *testing.T) {
	const least, most = 1_234_567_890_123, 40
	given, err := trace.ParseString("ipafuzz 1 ipamir\nsoft 1 9000000000000000000\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		tests++
		same := c.Solves() == 1 && c.Calls[0].Op == apimodel.OpSoft && c.Calls[0].Num >= least
		return Verdict{Same: same, Call: -1}, nil
	})
	result, err := Minimize(context.Background(), given, test, Config{})
	if err != nil {
		t.Fatal(err)
	}
	weight := strconv.FormatUint(result.Trace.Calls[0].Num, 10)
	if len(weight) != len(strconv.Itoa(least)) || tests > most {
		t.Errorf("%d tests leave the weight %s, at most %d should leave as many digits as %d", tests, weight, most, least)
	}
}

// TestHalvedWeights: Minimize finds how small several large weights can get together without a test for
// each bit.
func TestHalvedWeights(t *testing.T) {
	const least, most = 1 << 20, 80
	given, err := trace.ParseString("ipafuzz 1 ipamir\nsoft 1 9000000000000000000\nsoft 2 5555555555555555555\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		tests++
		heavy, softs := true, 0
		for i := range c.Calls {
			if c.Calls[i].Op == apimodel.OpSoft {
				heavy = heavy && c.Calls[i].Num >= least
				softs++
			}
		}
		return Verdict{Same: heavy && softs == 2 && c.Solves() == 1, Call: -1}, nil
	})
	result, err := Minimize(context.Background(), given, test, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1} {
		if weight := result.Trace.Calls[i].Num; weight > 2*least || tests > most {
			t.Errorf("%d tests, at most %d, leave\n%s", tests, most, result.Trace)
		}
	}
}
