package oracle

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// An ExitPolicy says what the exit code of a solver program has to be. It is
// data, because the rules of the MaxSAT Evaluation changed with 2024 and solvers
// of both times are around.
type ExitPolicy struct {
	Name string
	Doc  string
	// OfStatus are the codes that go with each status line, by the number that
	// an API would answer.
	OfStatus map[int32][]int
}

var anyStatus = []int{0, 10, 20, 30}

// ExitPolicies are the known policies, the newest first.
var ExitPolicies = []ExitPolicy{
	{"mse2024", "MaxSAT Evaluation from 2024 on: the code says what the status line says", map[int32][]int{
		apimodel.Interrupted: {0}, apimodel.Satisfiable: {10}, apimodel.Unsatisfied: {20}, apimodel.Optimum: {30}}},
	{"mse2023", "MaxSAT Evaluation before 2024: codes are not defined; 0 and the numbers that solvers use are no fault", map[int32][]int{
		apimodel.Interrupted: anyStatus, apimodel.Satisfiable: anyStatus, apimodel.Unsatisfied: anyStatus, apimodel.Optimum: anyStatus}},
	{"zero", "0 whatever the result is", map[int32][]int{
		apimodel.Interrupted: {0}, apimodel.Satisfiable: {0}, apimodel.Unsatisfied: {0}, apimodel.Optimum: {0}}},
}

// ExitPolicyNamed returns the policy, nil when there is none of that name.
func ExitPolicyNamed(name string) *ExitPolicy {
	for i := range ExitPolicies {
		if ExitPolicies[i].Name == name {
			return &ExitPolicies[i]
		}
	}
	return nil
}

// Judge returns the class of an exit with the code after the status line, which
// is 0 when there was none. A code that is right for another status contradicts
// the line (4.1); one that is right for none is a crash (1.1 to 1.6), where
// 128 and more is how a shell reports a signal.
func (p *ExitPolicy) Judge(status int32, code int) (fault Class, wrong bool) {
	if slices.Contains(p.OfStatus[status], code) {
		return "", false
	}
	for _, codes := range p.OfStatus {
		if slices.Contains(codes, code) {
			return WrongStatus, true
		}
	}
	if code > 128 && code <= 128+64 {
		return classOfSignal(code - 128), true
	}
	return OtherExit, true
}
