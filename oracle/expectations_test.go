package oracle

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func TestWeightClass(t *testing.T) {
	for _, row := range []struct {
		weights string
		want    WeightClass
	}{
		{"", SmallWeights},
		{"soft 1 4294967295", SmallWeights}, {"soft 1 4294967295; soft 2 1", BigWeights},
		{"soft 1 4294967296; soft 1 7", SmallWeights},
		{"soft 1 4611686018427387903", BigWeights}, {"soft 1 4611686018427387904", HugeWeights},
		{"soft 1 18446744073709551615; soft 2 18446744073709551615", HugeWeights},
		{"soft 1 18446744073709551615; soft 2 18446744073709551615; soft 1 1; soft 2 2", SmallWeights},
	} {
		tr := parseLog(t, "ipamir", row.weights+"; hard 3 0; solve = 20; soft 4 99999999999")
		findings := New(Config{}).Judge(tr, &trace.Run{Answers: tr.Want})
		if len(findings) != 1 || findings[0].Weight != row.want {
			t.Errorf("%s: %+v, want %v", row.weights, findings, row.want)
		}
	}
}

func TestExpectations(t *testing.T) {
	for _, row := range []struct {
		name, want, got string
		config          Config
		recorded        bool // want is an earlier answer of some target
		findings        []string
		mismatches      []Mismatch
	}{
		{name: "as expected", config: large, want: "hard 1 2 0; solve = 30; obj = 0; model",
			got: "hard 1 2 0; solve = 30; obj = 0; model = 1 2"},
		{name: "no solution expected", config: large, want: "hard 1 2 0; solve = 20", got: "hard 1 2 0; solve = 30",
			findings: []string{"2.4 expectation 1 claims a solution"}, mismatches: []Mismatch{{1, "20", "30", false, false}}},
		{name: "no solution expected, wrongly", want: "hard 1 2 0; solve = 20", got: "hard 1 2 0; solve = 30",
			mismatches: []Mismatch{{1, "20", "30", true, false}}},
		{name: "no solution expected, proven by the model", config: large, want: "hard 1 2 0; solve = 20; model",
			got: "hard 1 2 0; solve = 30; model = 1 2", mismatches: []Mismatch{{1, "20", "30", true, false}}},
		{name: "no solution expected, rightly", want: "hard 1 0; hard -1 0; solve = 20",
			got:      "hard 1 0; hard -1 0; solve = 30",
			findings: []string{"2.4 exhaustive 2 claims a solution"}, mismatches: []Mismatch{{2, "20", "30", false, false}}},
		{name: "solution expected", config: large, want: "hard 1 2 0; solve = 30", got: "hard 1 2 0; solve = 20",
			findings: []string{"2.5 expectation 1 claims no solution"}, mismatches: []Mismatch{{1, "30", "20", false, false}}},
		{name: "solution expected, wrongly", want: "hard 1 0; hard -1 0; solve = 30", got: "hard 1 0; hard -1 0; solve = 20",
			mismatches: []Mismatch{{2, "30", "20", true, false}}},
		{name: "other objective", config: large, want: "hard 1 2 0; soft 1 5; solve = 30; obj = 3",
			got:        "hard 1 2 0; soft 1 5; solve = 30; obj = 5",
			findings:   []string{"2.3 expectation 3 objective is not the optimum"},
			mismatches: []Mismatch{{3, "3", "5", false, false}}},
		{name: "other objective and model", config: large, want: "hard 1 2 0; soft 1 5; solve = 30; obj = 0; model",
			got:      "hard 1 2 0; soft 1 5; solve = 30; obj = 5; model = 1 -2",
			findings: []string{"2.1 expectation 4 not optimal"}, mismatches: []Mismatch{{3, "0", "5", false, false}}},
		{name: "other objective, better", config: large, want: "hard 1 2 0; soft 1 5; soft 2 1; solve = 30; obj = 5; model",
			got:        "hard 1 2 0; soft 1 5; soft 2 1; solve = 30; obj = 1; model = -1 2",
			mismatches: []Mismatch{{4, "5", "1", true, false}}},
		{name: "other objective, wrongly", want: "hard 1 2 0; soft 1 5; solve = 30; obj = 3",
			got: "hard 1 2 0; soft 1 5; solve = 30; obj = 0", mismatches: []Mismatch{{3, "3", "0", true, false}}},
		{name: "other objective, interrupted", config: large, want: "terminate 1; hard 1 2 0; soft 1 5; solve = 10; obj = 0",
			got:        "terminate 1; hard 1 2 0; soft 1 5; solve = 10; obj = 5",
			mismatches: []Mismatch{{4, "0", "5", false, false}}},
		{name: "exactly", config: Config{Exact: true},
			want: `signature = "a"; hard 1 2 0; solve = 30; val 1 = 1; model = 1 2; terminate 5 = ?`,
			got:  `signature = "b"; hard 1 2 0; solve = 30; val 1 = -1; model = -1 2; terminate 5`,
			mismatches: []Mismatch{{0, "a", "b", false, false}, {3, "1", "-1", false, false},
				{4, "[1 2]", "[-1 2]", false, false}}},
		{name: "exactly the kind", config: Config{Exact: true}, want: `hard 1 2 0; solve = 30; val 1 = -`,
			got: `hard 1 2 0; solve = 30; val 1 = -1`, mismatches: []Mismatch{{2, "-", "-1", false, false}}},
		{name: "exactly as recorded", config: Config{Exact: true}, recorded: true,
			want: `hard 1 2 0; solve = 20; model = 1 2`, got: `hard 1 2 0; solve = 30; model = 1 2`,
			mismatches: []Mismatch{{1, "20", "30", false, true}}},
		{name: "exactly, another status", config: Config{MaxVars: -1, Exact: true}, want: "hard 1 2 0; solve = 20",
			got: "hard 1 2 0; solve = 30", findings: []string{"2.4 expectation 1 claims a solution"},
			mismatches: []Mismatch{{1, "20", "30", false, false}}},
		{name: "exactly as recorded, the same", config: Config{Exact: true}, recorded: true,
			want: "hard 1 2 0; soft 1 5; solve = 30; obj = 0", got: "hard 1 2 0; soft 1 5; solve = 30; obj = 0"},
		{name: "a record expects nothing", recorded: true, want: `hard 1 2 0; solve = 20`, got: `hard 1 2 0; solve = 30`},
		{name: "not exactly", want: `signature = "a"; hard 1 2 0; solve = 30; val 1 = 1; model = 1 2`,
			got: `signature = "b"; hard 1 2 0; solve = 30; val 1 = -1; model = -1 2`},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr := parseLog(t, "ipamir", row.want)
			if row.recorded {
				tr.Want, tr.Got = trace.Answers{}, tr.Want
			}
			j := New(row.config)
			var got []string
			for _, f := range j.Judge(tr, &trace.Run{Answers: parseLog(t, "ipamir", row.got).Want}) {
				got = append(got, line(f))
			}
			if !slices.Equal(got, row.findings) {
				t.Errorf("findings %q, want %q", got, row.findings)
			}
			if !slices.Equal(j.Mismatches(), row.mismatches) {
				t.Errorf("mismatches %+v, want %+v", j.Mismatches(), row.mismatches)
			}
		})
	}
}

func TestTally(t *testing.T) {
	judge := func(config Config, log string) Tally {
		tr := parseLog(t, "ipamir", log)
		j := New(config)
		run := &trace.Run{Answers: tr.Want.Clone()}
		tr.Want.Reset()
		j.Judge(tr, run)
		return j.Decided()
	}
	const log = "hard 1 2 0; soft 1 5; solve = 30; obj = 0; model = -1 2; hard -1 0; hard -2 0; solve = 20"
	small, big := judge(Config{}, log), judge(large, log)
	if small.Solves != 2 || small.Unchecked.Answers() != 0 || small.Of("exhaustive") != 2 || small.Of("model") != 1 ||
		small.Of("objective") != 1 {
		t.Errorf("%+v", small)
	}
	if big.Solves != 2 || big.Unchecked.Answers() != 1 || big.Of("exhaustive") != 0 || big.Of("objective") != 1 {
		t.Errorf("%+v", big)
	}
	small.Add(big)
	if small.Solves != 4 || small.Unchecked.Answers() != 1 || small.Runs != 2 || small.Of("model") != 2 {
		t.Errorf("sum %+v", small)
	}
}
