package file

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// An exitPolicy says what the exit code of a program must be. There are several, because
// the rules of the MaxSAT Evaluation changed in 2024, and solvers that follow the old rules,
// the new ones or those of other communities are all in use.
type exitPolicy struct {
	Name string
	Doc  string
	// ofStatus holds the codes that fit each status. The keys are the numbers that an API
	// would answer.
	ofStatus map[int32][]int
	// tells holds the status that a code stands for if the program prints no status line.
	tells map[int]int32
}

func codes(interrupted, satisfiable, unsatisfiable, optimum []int) map[int32][]int {
	return map[int32][]int{
		apimodel.Interrupted: interrupted, apimodel.Satisfiable: satisfiable,
		apimodel.Unsatisfiable: unsatisfiable, apimodel.Optimum: optimum,
	}
}

var anyStatus = []int{0, 10, 20, 30}

// exitPolicies are the known policies. The newest policy of the Evaluation comes first.
var exitPolicies = []exitPolicy{
	{"mse2024", "MaxSAT Evaluation from 2024 on: the code says what the status line says",
		codes([]int{0}, []int{10}, []int{20}, []int{30}), nil},
	{"mse2023", "MaxSAT Evaluation before 2024: codes are not defined; 0 and the numbers that solvers use are not faults",
		codes(anyStatus, anyStatus, anyStatus, anyStatus), nil},
	{"sat", "SAT Competition: 10 and 20; 0 when the answer is unknown",
		codes([]int{0}, []int{10}, []int{20}, []int{10}), nil},
	{"qdimacs", "QDIMACS 1.1 defines no codes, QBFEVAL 10 and 20, solvers 30 for unknown: these, or 0; " +
		"without a status line they are the answer",
		codes([]int{0, 30}, []int{0, 10}, []int{0, 20}, []int{0, 10}),
		map[int]int32{10: apimodel.Satisfiable, 20: apimodel.Unsatisfiable, 30: apimodel.Interrupted}},
	{"zero", "0 whatever the result is", codes([]int{0}, []int{0}, []int{0}, []int{0}), nil},
	{"lp_solve", "0 for an optimum, 1 for less, 2 for none", codes([]int{0, 1}, []int{1}, []int{2}, []int{0}), nil},
}

func exitPolicyNamed(name string) (*exitPolicy, error) {
	var names []string
	for i := range exitPolicies {
		if exitPolicies[i].Name == name {
			return &exitPolicies[i], nil
		}
		names = append(names, exitPolicies[i].Name)
	}
	return nil, fmt.Errorf("unknown exit codes %q; want one of %s", name, strings.Join(names, ", "))
}

// answers sets the status from the exit code, or else from the word of the program, if it printed no
// status line. Most solvers of quantified formulas print words.
func (p *exitPolicy) answers(r *result, code int) {
	if r.hasStatus || r.fault != "" {
		return
	}
	if status, tells := p.tells[code]; tells {
		r.setStatus(status)
	} else if len(r.words) == 1 {
		r.setStatus(r.words[0])
	}
}

// A codeVerdict tells whether an exit code fits the status line.
type codeVerdict uint8

const (
	codeFits        codeVerdict = iota
	codeContradicts             // fits another status
	codeOfSignal                // above 128, as a shell reports a signal
	codeOfDeath                 // fits no status
)

func (p *exitPolicy) judge(status int32, code int) codeVerdict {
	if slices.Contains(p.ofStatus[status], code) {
		return codeFits
	}
	for _, codes := range p.ofStatus {
		if slices.Contains(codes, code) {
			return codeContradicts
		}
	}
	const signals = 64
	if code > 128 && code <= 128+signals {
		return codeOfSignal
	}
	return codeOfDeath
}
