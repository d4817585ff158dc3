package replay_test

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestThreads: a library whose instances are independent and that makes no random choices
// answers the same, whether the calls of its instances are made at the same time or not.
func TestThreads(t *testing.T) {
	t.Parallel()
	for _, model := range apimodel.Propositional() {
		g, err := gen.New(gen.Config{Model: model, Profile: "tiny", Threads: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range isolated {
			runner := openRunner(t, resolve(t, "ref", model.Name), way, tight)
			threaded := 0
			for number := range uint64(1500) {
				one := new(trace.Trace)
				g.Generate(gen.Seed(5, 0, number), one)
				ordered := inOrder(one)
				if len(ordered.Calls) == len(one.Calls) {
					continue
				}
				threaded++
				got, want := run(t, runner, one), run(t, runner, ordered)
				if got.End != trace.Finished || !slices.Equal(answersOf(one, got), answersOf(ordered, want)) {
					t.Fatalf("%s, %s, trace %d: %v\n%v\n%v\n%s", model.Name, way, number, got.End, answersOf(one, got),
						answersOf(ordered, want), one)
				}
			}
			if threaded < 50 {
				t.Errorf("%s: only %d traces with threads", model.Name, threaded)
			}
		}
	}
}

// inOrder returns the trace without the option that starts threads.
func inOrder(t *trace.Trace) *trace.Trace {
	ordered := &trace.Trace{Model: t.Model}
	for i := range t.Calls {
		if !startsThreads(t, i) {
			ordered.Append(t, &t.Calls[i])
		}
	}
	return ordered
}

func startsThreads(t *trace.Trace, call int) bool {
	if t.Calls[call].Op != apimodel.OpOption {
		return false
	}
	name, _ := t.Option(&t.Calls[call])
	return name == apimodel.Threads
}

// answersOf returns the statuses, values and texts of a run, without the answer of the
// option itself.
func answersOf(t *trace.Trace, run *trace.Run) (answers []string) {
	for i := range t.Calls {
		if startsThreads(t, i) {
			continue
		}
		a := *run.Answers.At(i)
		text := string(rune('0' + a.Kind))
		switch t.Model.Call(t.Calls[i].Op).Reply {
		case apimodel.ReplyModel, apimodel.ReplyCore:
			for _, lit := range run.Answers.ListOf(&a) {
				text += string(rune(lit + 0x1000))
			}
		case apimodel.ReplyText:
			text += run.Answers.TextOf(&a)
		default:
			text += string(rune(a.Num&0xffff)) + string(rune(a.Num>>32&0xffff))
		}
		answers = append(answers, text)
	}
	return answers
}

// TestThreadDies: a death is blamed on the call of the thread that died.
func TestThreadDies(t *testing.T) {
	const text = "ipafuzz 2 ipasir\noption ipafuzz.threads 1\nadd 1 0\n@1 add 1 0\n@1 solve\n"
	for _, way := range isolated {
		runner := openRunner(t, resolve(t, hostile(t, "segfault"), "ipasir"), way, tight)
		if got := run(t, runner, parse(t, text)); got.End != trace.Killed || got.Call != 3 || got.Death.OtherThread {
			t.Errorf("%s: %v in call %d, %+v", way, got.End, got.Call, got.Death)
		}
	}
}
