package trial

import (
	"context"
	"reflect"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestOwnAnswers: the built-in library gives the same answers in this process, where only small problems run.
func TestOwnAnswers(t *testing.T) {
	small := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 7\nsoft 2 3\nassume -3\nsolve\n"+
		"hard -2 0\nsolve\nval 1\n")
	plain, solveOf := problemsOf(small)
	if len(solveOf) != 2 || !isSmall(plain) {
		t.Fatalf("solves %v, small: %v", solveOf, isSmall(plain))
	}
	target, err := targets.Resolve("ref", "ipamir", nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err1 := replay.RunOnce(context.Background(), target, replay.DefaultLimits, plain)
	got, err2 := ownAnswers(context.Background(), target, plain)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for i := range plain.Calls {
		a, b := want.Answers.At(i), got.Answers.At(i)
		if a.Kind != b.Kind || a.Num != b.Num || !reflect.DeepEqual(want.Answers.ListOf(a), got.Answers.ListOf(b)) {
			t.Errorf("call %d: %+v, want %+v", i+1, b, a)
		}
	}
	for name, text := range map[string]string{
		"high variable":  "hard 1 2000000 0\nsolve\n",
		"many variables": "hard 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0\nsolve\n",
	} {
		if large, _ := problemsOf(testtrace.Parse(t, "ipafuzz 1 ipamir\n"+text)); isSmall(large) {
			t.Errorf("a trace with %ss is small", name)
		}
	}
}
