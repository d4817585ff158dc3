package oracle

import (
	"fmt"
	"slices"
	"testing"
)

// TestFormulaFiles: the soft clauses of a formula file have any length, and equal ones add up.
func TestFormulaFiles(t *testing.T) {
	const start = "hard 1 2 0; soft 5 -1 0; soft 3 -2 0; "
	runTable(t, "wcnf", []judged{
		{name: "right", log: start + "solve = 30; obj = 3; model = -1 2; val 1 = -1"},
		{name: "not optimal", log: start + "solve = 30; obj = 5; model = 1 -2", want: []string{
			"2.1 objective 5 not optimal"}},
		{name: "not optimal, the effort ends just then", config: Config{Words: 12},
			log:  "hard 1 2 0; soft 5 -1 2 0; solve = 30; obj = 5; model = 1 -2",
			want: []string{"2.1 objective 4 not optimal"}},
		{name: "not optimal, the effort ended", config: Config{Words: 11},
			log: "hard 1 2 0; soft 5 -1 2 0; solve = 30; obj = 5; model = 1 -2"},
		{name: "no formula", log: "solve = 30; obj = 0; model ="},
		{name: "claims a solution", log: "hard 1 0; hard -1 0; soft 1 1 2 0; solve = 30; obj = 0; model = 1 2",
			want: []string{"2.4 exhaustive 3 claims a solution"}},
		{name: "claims no solution", log: "hard 1 0; soft 1 -1 0; soft 1 0; solve = 20",
			want: []string{"2.5 exhaustive 3 claims no solution"}},
		{name: "unsatisfiable", log: "hard 1 0; hard -1 0; soft 1 1 2 0; solve = 20"},
		{name: "falsifies a hard clause, not a soft one", log: "soft 1 1 2 0; hard 3 4 0; solve = 30; model = -1 -2 -3 -4",
			want: []string{"2.6 model 3 hard clause"}},
		{name: "may be falsified", log: "hard -1 0; soft 2 1 -2 0; soft 4 1 2 0; solve = 30; obj = 2; model = -1 2"},
		{name: "may be falsified, but the other one is dearer",
			log:  "hard -1 0; soft 2 1 -2 0; soft 4 1 2 0; solve = 30; obj = 4; model = -1 -2",
			want: []string{"2.1 objective 5 not optimal"}},

		{name: "unit softs add up", log: "hard 1 0; soft 2 -1 0; soft 3 -1 0; solve = 30; obj = 5; model = 1"},
		{name: "and do not replace each other", log: "hard 1 0; soft 2 -1 0; soft 3 -1 0; solve = 30; obj = 3; model = 1",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "both literals", log: "soft 2 1 0; soft 3 -1 0; soft 1 1 0; soft 1 -1 0; solve = 30; obj = 3; model = -1"},
		{name: "a unit with a repeated literal", log: "hard 1 0; soft 2 -1 -1 0; solve = 30; obj = 2; model = 1"},
		{name: "repeated", log: "hard -1 0; hard -2 0; soft 2 1 2 0; soft 3 1 2 0; soft 1 2 1 2 0; solve = 30; obj = 6; " +
			"model = -1 -2"},
		{name: "repeated, counted once",
			log:  "hard -1 0; hard -2 0; soft 2 1 2 0; soft 3 1 2 0; solve = 30; obj = 3; model = -1 -2",
			want: []string{"2.3 objective 6 objective is not the cost of the model"}},
		{name: "empty", log: "soft 7 0; soft 1 1 2 0; soft 2 0; solve = 30; obj = 9; model = 1 -2"},
		{name: "empty, not paid", log: "soft 7 0; soft 1 1 2 0; solve = 30; obj = 0; model = 1 -2",
			want: []string{"2.3 objective 4 objective is not the cost of the model"}},
		{name: "empty, not paid, no values", log: "soft 7 0; soft 1 1 2 0; solve = 30; obj = 0",
			want: []string{"2.3 objective 3 objective is not the optimum"}},
		{name: "empty, without a search", config: large, log: "soft 7 0; soft 1 1 2 0; solve = 30; obj = 0; model = 1 -2",
			want: []string{"2.3 objective 4 objective is not the cost of the model"}},
		{name: "empty, paid, without a search", config: large,
			log: "soft 7 0; soft 1 1 2 0; solve = 30; obj = 7; model = 1 -2"},
		{name: "empty hard clause", log: "hard 0; soft 1 1 2 0; solve = 20"},
		{name: "tautology", log: "hard 1 0; soft 7 1 -1 0; soft 4 2 3 -2 0; solve = 30; obj = 0; model = 1 2 3"},
		{name: "tautology, paid", log: "hard 1 0; soft 7 1 -1 0; solve = 30; obj = 7; model = 1",
			want: []string{"2.3 objective 4 objective is not the cost of the model"}},
		{name: "tautology, paid, without a search", config: large,
			log:  "hard 1 0; soft 7 2 1 -2 0; solve = 30; obj = 7; model = 1 2",
			want: []string{"2.3 objective 4 objective is not the cost of the model"}},
		{name: "tautology, open", config: large,
			log:  "hard 1 0; soft 7 2 1 3 -2 0; soft 3 -1 0; solve = 30; obj = 5; model = 1",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "tautology of the first and the last literal, open", config: large,
			log:  "hard 1 0; soft 7 2 -3 -2 0; soft 3 -1 0; solve = 30; obj = 5; model = 1",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "tautology names its variables", log: "hard 1 0; soft 7 2 -2 0; solve = 30; model = 1 2; val 2 = -2",
			want: []string{"5.2 values 4 true and false"}},

		{name: "any solution", config: mayGiveUp(Config{}),
			log: "hard -1 0; soft 2 1 2 0; soft 9 1 -2 0; solve = 10; obj = 9; model = -1 2"},
		{name: "any solution, another cost", config: mayGiveUp(Config{}),
			log:  "hard -1 0; soft 2 1 2 0; soft 9 1 -2 0; solve = 10; obj = 2; model = -1 2",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "any solution, a cost of none", config: mayGiveUp(Config{}),
			log:  "hard -1 0; soft 2 1 2 0; soft 9 1 -2 0; solve = 10; obj = 3",
			want: []string{"2.3 objective 4 no solution has this objective"}},
		{name: "no answer", config: mayGiveUp(Config{}), log: "soft 2 1 2 0; solve = 0"},
		{name: "no answer without reason", log: "soft 2 1 2 0; solve = 0",
			want: []string{"4.4 terminate 1 gives up without reason"}},
		{name: "two costs", log: "soft 2 1 2 0; solve = 30; obj = 0; obj = 2", want: []string{"5.2 values 3 two objectives"}},
		{name: "a value of another", log: "soft 2 1 2 0; solve = 30; obj = 0; model = 1 2 3 4 5; val 2 = 2"},

		{name: "open values", log: "hard 1 2 0; soft 2 -1 -2 0; soft 1 3 4 0; solve = 30; obj = 0; model = 1 3"},
		{name: "open values, no completion costs that",
			log:  "hard 1 2 0; soft 2 1 -2 0; soft 1 3 4 0; solve = 30; obj = 2; model = 1",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "open values, no completion costs that, nor the optimum",
			log:  "hard 1 2 0; soft 2 1 -2 0; soft 3 -1 0; soft 1 3 4 0; solve = 30; obj = 5; model = 1",
			want: []string{"2.2 objective 6 objective is not the cost of the model"}},
		{name: "open values, some completion costs that",
			log:  "hard 1 2 0; soft 2 1 -2 0; soft 1 3 4 0; solve = 30; obj = 1; model = 1",
			want: []string{"2.1 objective 5 not optimal"}},
		{name: "open values, few", config: twoVars,
			log:  "hard 1 2 0; soft 2 1 -2 0; soft 1 3 4 0; solve = 30; obj = 1; model = 1 -3",
			want: []string{"2.1 objective 5 not optimal"}},
		{name: "open values, few, a completion costs that", config: mayGiveUp(twoVars),
			log: "hard 1 2 0; soft 2 1 -2 0; soft 1 3 4 0; soft 6 -1 0; solve = 10; obj = 7; model = 1 -3"},
		{name: "open values, few, no completion costs that", config: twoVars,
			log:  "hard 1 2 0; soft 2 1 -2 0; soft 1 3 4 0; solve = 30; obj = 2; model = 1 -3",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "open values, too many", config: twoVars,
			log: "hard 1 2 0; soft 2 1 -2 0; soft 1 3 4 5 0; solve = 30; obj = 1; model = 1"},
		{name: "open values, too many, no completion can cost that", config: twoVars,
			log:  "hard 1 2 0; soft 2 1 -2 0; soft 1 3 4 5 0; soft 4 -1 0; solve = 30; obj = 6; model = 1",
			want: []string{"2.3 objective 6 objective is not the cost of the model"}},
	})
}

func mayGiveUp(c Config) Config {
	c.Policies = map[string]string{"give-up": "allowed"}
	return c
}

// TestFormulaFilesWithGreatWeights: costs below 2^64 are exact. If the weights add up to more, the judge does not
// guess.
func TestFormulaFilesWithGreatWeights(t *testing.T) {
	const (
		word = "4294967296 "          // 2^32
		half = "9223372036854775807 " // 2^63 - 1
		most = "18446744073709551615"
	)
	runTable(t, "wcnf", []judged{
		{name: "2^32", log: "hard -1 0; soft " + word + "1 1 0; soft 1 1 2 0; soft " + word + "0; solve = 30; " +
			"obj = 8589934592; model = -1 2"},
		{name: "2^32, cut off", log: "hard -1 0; soft " + word + "1 1 0; soft 1 1 2 0; solve = 30; obj = 0; model = -1 2",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "sum 2^64 - 1", log: "hard -1 0; hard -2 0; soft " + half + "1 2 0; soft " + half + "2 1 0; soft 1 0; " +
			"solve = 30; obj = " + most + "; model = -1 -2"},
		{name: "sum 2^64 - 1, not optimal", log: "hard -1 0; soft " + half + "1 2 0; soft " + half + "2 1 0; soft 1 0; " +
			"solve = 30; obj = " + most + "; model = -1 -2", want: []string{"2.1 objective 6 not optimal"}},
		{name: "sum 2^64 - 1, without a search", config: large, log: "hard -1 0; hard -2 0; soft " + half +
			"1 2 0; soft " + half + "2 1 0; soft 1 0; solve = 30; obj = 5; model = -1 -2",
			want: []string{"2.3 objective 7 objective is not the cost of the model"}},
		{name: "sum 2^64", log: "hard -1 0; hard -2 0; soft " + half + "1 2 0; soft " + half + "2 1 0; soft 2 0; " +
			"solve = 30; obj = 0; model = -1 -2"},
		{name: "sum 2^64, without values", log: "soft " + half + "1 2 0; soft " + half + "2 1 0; soft 2 0; " +
			"solve = 30; obj = 5"},
		{name: "sum 2^64, a cost below", log: "soft " + half + "1 2 0; soft " + half + "-1 2 0; soft 2 3 4 0; " +
			"solve = 30; obj = 0; model = 1 -2 3 4", want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "sum 2^64 with a tautology", log: "soft " + half + "1 -1 0; soft " + half + "2 -2 0; soft 2 3 4 0; " +
			"solve = 30; obj = 2; model = 1 2 -3 -4"},
		{name: "units of one literal", log: "hard -1 0; soft " + half + "1 0; soft " + half + "1 0; soft " + half +
			"1 0; solve = 30; obj = 7; model = -1"},
		{name: "units of one literal, without a search", config: large, log: "hard -1 0; soft " + half + "1 0; soft " +
			half + "1 0; soft " + half + "1 0; solve = 30; obj = 7; model = -1"},
		{name: "units of one literal, not paid", config: large, log: "soft " + half + "1 0; soft " + half + "1 0; soft " +
			half + "1 0; solve = 30; obj = 1; model = 1",
			want: []string{"2.3 objective 5 objective is not the cost of the model"}},
		{name: "refused", log: "soft " + half + "1 2 0; soft " + half + "2 3 0; soft 2 0; solve = 40"},
		{name: "refused without reason", log: "soft " + half + "1 2 0; soft " + half + "2 3 0; soft 1 0; solve = 40",
			want: []string{"4.4 status 3 answers ERROR"}},
	})
}

// TestManyOpenSoftClauses: if a model leaves few variables open, but many soft clauses, a search would take too long.
func TestManyOpenSoftClauses(t *testing.T) {
	for _, row := range []struct {
		signs []int // of the literals of the soft clauses
		want  []string
	}{
		{[]int{1}, []string{"2.3 objective 123 objective is not the cost of the model"}},
		{[]int{1, -1}, nil},
	} {
		log, soft := "hard 1 18 0; ", 0
		for i := 2; i <= 17; i++ {
			for k := 2; k < i; k++ {
				for _, sign := range row.signs {
					log += fmt.Sprintf("soft 2 %d %d 0; ", i*sign, k*sign)
					soft++
				}
			}
		}
		j := New(Config{MaxVars: 16, Policies: mayGiveUp(Config{}).Policies})
		var got []string
		for _, f := range answered(t, j, log+"solve = 10; model = 1 18; obj = 3") {
			got = append(got, line(f))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%d soft clauses: got %q, want %q", soft, got, row.want)
		}
	}
}
