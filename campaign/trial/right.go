package trial

import (
	"context"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// RightAnswers returns the right answers of a trace's solves, by call number. The built-in library solves
// the same problems without options and callbacks, and a judge demands a proof of every answer. Solves
// without a proven answer are left out.
func RightAnswers(ctx context.Context, t *trace.Trace) (map[int]export.Right, error) {
	plain, solveOf := problemsOf(t)
	if len(solveOf) == 0 || trace.Check(plain) != nil {
		return nil, nil
	}
	target, err := targets.Resolve("ref", t.Model.Name, nil)
	if err != nil {
		return nil, err
	}
	run, err := ownAnswers(ctx, target, plain)
	if err != nil {
		return nil, err
	}
	judge := NewJudge(oracle.Config{CrossCheck: true, Compared: true}, Thorough)
	defer judge.Close()
	findings, err := judge.Judge(plain, run)
	if err != nil || len(findings) > 0 {
		return nil, err
	}
	right := make(map[int]export.Right)
	for _, s := range judge.Solves() {
		if s.Proven() {
			right[solveOf[s.Call]] = rightAnswer(plain, run, s.Call)
		}
	}
	return right, nil
}

// ownAnswers runs a trace that problemsOf has made on the built-in library. Its answers to small problems need no
// process of their own, which takes ten times as long to start.
func ownAnswers(ctx context.Context, builtIn *replay.Target, plain *trace.Trace) (*trace.Run, error) {
	if !isSmall(plain) {
		return replay.RunOnce(ctx, builtIn, replay.DefaultLimits, plain)
	}
	runner, err := replay.OpenUntil(ctx, builtIn, replay.InProcess, replay.DefaultLimits)
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	run := new(trace.Run)
	return run, runner.Run(ctx, plain, run)
}

// isSmall reports whether any solver is done with the problems of a trace in no time and hardly any memory.
func isSmall(t *trace.Trace) bool {
	const mostCalls, mostLiterals, mostVars, highest = 100, 300, 14, 1000
	literals, vars := 0, make(map[int32]bool)
	for i := range t.Calls {
		args := t.Args(&t.Calls[i])
		literals += len(args)
		for _, lit := range args {
			if trace.Var(lit) > highest {
				return false
			}
			vars[trace.Var(lit)] = true
		}
	}
	return len(t.Calls) <= mostCalls && literals <= mostLiterals && len(vars) <= mostVars
}

// problemsOf returns a trace that only states and solves the problems of t and asks for complete answers.
// The map leads from the calls of its solves to those of t.
func problemsOf(t *trace.Trace) (*trace.Trace, map[int]int) {
	plain, solveOf := &trace.Trace{Model: t.Model}, make(map[int]int)
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.Does(apimodel.ShapesProblem) {
			continue
		}
		plain.Append(t, c)
		if c.Op == apimodel.OpSolve {
			solveOf[len(plain.Calls)-1] = i
			plain.Plain(c.Instance, apimodel.OpModel)
			if t.Model.Call(apimodel.OpObj) != nil {
				plain.Plain(c.Instance, apimodel.OpObj)
			}
		}
	}
	return plain, solveOf
}

func rightAnswer(t *trace.Trace, run *trace.Run, call int) export.Right {
	right := export.Right{Status: int32(run.Answers.At(call).Num)}
	if right.Status == apimodel.Unsatisfiable {
		return right
	}
	if t.Model.Call(apimodel.OpObj) != nil {
		right.Objective = run.Answers.At(call + 2).Num
	}
	right.Model = append(right.Model, run.Answers.ListOf(run.Answers.At(call+1))...)
	return right
}
