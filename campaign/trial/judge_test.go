package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// pigeons returns clauses that put n pigeons into n-1 holes, each into its own.
func pigeons(n int) string {
	text := strings.Builder{}
	text.WriteString("ipafuzz 1 ipamir\n")
	in := func(pigeon, hole int) int { return pigeon*(n-1) + hole + 1 }
	for pigeon := range n {
		text.WriteString("hard")
		for hole := range n - 1 {
			fmt.Fprintf(&text, " %d", in(pigeon, hole))
		}
		text.WriteString(" 0\n")
		for other := range pigeon {
			for hole := range n - 1 {
				fmt.Fprintf(&text, "hard -%d -%d 0\n", in(pigeon, hole), in(other, hole))
			}
		}
	}
	return text.String() + "solve\nobj\n"
}

// TestJudgeUntil checks that judging ends with the context, without a verdict. Otherwise one hard trace
// could keep a campaign from ending for minutes.
func TestJudgeUntil(t *testing.T) {
	t.Parallel()
	hard := testtrace.Parse(t, pigeons(8))
	judge := NewJudge(oracle.Config{}, Thorough)
	session := NewSession(targetOf(t, "ref"), replay.Limits{}, judge)
	defer session.Close()
	var run trace.Run
	if err := session.Answers(t.Context(), hard, &run); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, row := range []struct {
		ctx       context.Context
		err       error
		undecided uint64
	}{{ended, context.Canceled, 1}, {t.Context(), nil, 0}} {
		before := judge.Unchecked()
		if _, err := judge.judgeUntil(row.ctx, hard, &run); !errors.Is(err, row.err) {
			t.Errorf("error %v, want %v", err, row.err)
		}
		if got := judge.Unchecked().Minus(before).Answers(); got != row.undecided {
			t.Errorf("%d solves undecided, want %d", got, row.undecided)
		}
	}
}
