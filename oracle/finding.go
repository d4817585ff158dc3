package oracle

import (
	"cmp"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// A WeightClass says how large the weights were. Overflows need large weights. A fault that shows with small
// ones is worse.
type WeightClass byte

const (
	NoWeights    WeightClass = '-' // the interface has no weights
	SmallWeights WeightClass = 'S' // the sum of all weights is below 2^32
	BigWeights   WeightClass = 'B' // below 2^62
	HugeWeights  WeightClass = 'H'

	weightClasses = "-SBH"
)

// String returns the letter of the class.
func (w WeightClass) String() string { return string(rune(w)) }

// LighterThan reports whether w has smaller weights than the other class. It is false for NoWeights.
func (w WeightClass) LighterThan(other WeightClass) bool {
	weight := strings.IndexByte(weightClasses, byte(w))
	return weight > 0 && strings.IndexByte(weightClasses, byte(other)) > weight
}

// A Finding is one failure of one run.
type Finding struct {
	Class    Class
	Check    string // the check that proved it
	Call     int    // the last call needed to see it; len(Calls): the final release
	Solve    int    // the solve with the wrong answer, or whose query has it; -1: none
	Instance uint16
	Weight   WeightClass

	// Detail is the part of the key that tells failures of one class apart. It says what is wrong, not which
	// check found it: a trace that is reduced from 40 to 10 variables must keep its key, although another
	// check proves the failure then.
	Detail string

	// Texts for people.
	Observed, Expected, Known string

	// Certified says that a checked proof or solution shows what the solve should have answered. Certificate
	// is the proof, if a solution alone proves too little.
	Certified   bool
	Certificate *reference.Certificate

	// Voted says that only a majority of targets supports the finding. Nothing proves it.
	Voted bool

	// For an error message: the target printed it during one of Suspects consecutive traces, of which
	// this is number Suspect, counted from 0.
	Suspects, Suspect int
}

// certify copies the certificate, whose memory the reference reuses, and adds the right solution to
// the text about a wrong optimum.
func (f *Finding) certify(c *reference.Certificate, best string) {
	f.Certified = true
	if best != "" && f.Class[0] == '2' {
		f.Expected += "; a solution of that cost: " + best
	}
	if c != nil {
		clone := c.Clone()
		f.Certificate = &clone
	}
}

// Key returns the key of the finding for a target.
func (f *Finding) Key(target string) Key { return newKey(target, f.Class, f.Detail) }

// Title says what is wrong: the class and, if it adds something, the detail.
func (f *Finding) Title() string {
	title := string(f.Class) + " " + f.Class.Info().Name
	if f.Detail != "" && f.Detail != f.Class.Info().Name {
		title += ": " + printable.Text(f.Detail) // it may quote a target
	}
	return title
}

// A Mismatch is an answer that differs from the one in the trace.
type Mismatch struct {
	Call      int
	Want, Got string
	Proven    bool // a check has proven that Want is wrong
	Recorded  bool `json:",omitempty"` // Want is what a target once answered, not what is right
}

// Compared reports whether the finding shows only in comparison with other targets.
func (f *Finding) Compared() bool { return f.Check == TargetsCheck || f.Check == ResourcesCheck }

// ReplayTargets returns the targets that a replay of the finding needs: the faulty one and, if the finding
// shows only in comparison, the others.
func (f *Finding) ReplayTargets(faulty string, all []string) []string {
	targets := []string{faulty}
	for _, other := range all {
		if f.Compared() && other != faulty {
			targets = append(targets, other)
		}
	}
	return targets
}

// IsTimeLimit reports whether the finding says only that a run exceeded a time limit.
func (f *Finding) IsTimeLimit() bool { return f.Class == TooSlow && f.Check == "end" }

// IsMemoryLimit reports whether the finding says only that a run exceeded the memory limit.
func (f *Finding) IsMemoryLimit() bool { return f.Class == TooMuchMemory && f.Check == "end" }

// IsSlowBesideOthers reports whether the finding says only that other targets needed less time.
func (f *Finding) IsSlowBesideOthers() bool { return f.Class == TooSlow && f.Check == ResourcesCheck }

// The checks of findings that come from a comparison with other targets.
const (
	TargetsCheck   = "targets"
	ResourcesCheck = "resources"
)

// WorstFirst compares findings by severity, then by call.
func WorstFirst(a, b Finding) int {
	return cmp.Or(cmp.Compare(b.Class.Severity(), a.Class.Severity()), cmp.Compare(a.Call, b.Call))
}

// A Class is the number of a fault class, such as "2.1". Classes 1.1 to 4.6, except 1.7, are those of the
// published classification of failures of MaxSAT solvers. ipafuzz adds 1.7, 4.7, and those of 5 and 6.
type Class string

const (
	NotOptimal        Class = "2.1"
	AllValuesDiffer   Class = "2.2"
	OneValueDiffers   Class = "2.3"
	ClaimsSolution    Class = "2.4"
	ClaimsNoSolution  Class = "2.5"
	ModelFalsifies    Class = "2.6"
	Abort             Class = "1.1"
	BusError          Class = "1.2"
	ArithmeticError   Class = "1.3"
	OtherSignal       Class = "1.4"
	Segfault          Class = "1.5"
	OtherExit         Class = "1.6"
	Deadlock          Class = "1.7"
	WrongState        Class = "5.1"
	ValuesDisagree    Class = "5.2"
	WrongCore         Class = "5.3"
	AnswersDiffer     Class = "5.4"
	InstancesMix      Class = "5.5"
	WrongTermination  Class = "5.6"
	Leak              Class = "5.7"
	FailedAllocation  Class = "5.8"
	Trespass          Class = "5.9"
	LearnedNotImplied Class = "6.1"
	LearnedTooLong    Class = "6.2"
	ProofUnusable     Class = "6.3"
	ProofWrong        Class = "6.4"
	ProofOfOther      Class = "6.5"
	TooSlow           Class = "3.1"
	TooMuchMemory     Class = "3.2"
	WrongStatus       Class = "4.1"
	ModelTooBig       Class = "4.2"
	ErrorMessage      Class = "4.3"
	GaveUp            Class = "4.4"
	OddVerifier       Class = "4.5"
	ParserIssue       Class = "4.6"
	TooMuchOutput     Class = "4.7"
)

// A ClassInfo is one row of the table of fault classes.
type ClassInfo struct {
	Class Class
	Name  string
	Doc   string
}

// Classes lists all fault classes in the order of their severity, the worst first. docs/classes.md gives the
// reasons. A test compares it with this table.
var Classes = []ClassInfo{
	{NotOptimal, "not optimal",
		"Claims an optimum; objective and model agree with each other, but a cheaper solution exists."},
	{AllValuesDiffer, "all values differ",
		"Claims an optimum; objective, cost of the model and true optimum are three different numbers."},
	{OneValueDiffers, "one value differs",
		"The objective and the cost of the model disagree, or the only one asked for is not the claimed optimum."},
	{ClaimsSolution, "claims a solution", "Answers that there is a solution, but there is none."},
	{ClaimsNoSolution, "claims no solution", "Answers that there is no solution, but there is one."},
	{ModelFalsifies, "model falsifies",
		"The values falsify a hard clause or an assumption, or do not win a quantified formula, and no proof says that " +
			"there is no solution."},

	{Abort, "abort", "Ended by SIGABRT: a failed assertion, an uncaught exception, a corrupted heap."},
	{BusError, "bus error", "Ended by SIGBUS."},
	{ArithmeticError, "arithmetic error", "Ended by SIGFPE: a division by zero or an overflow."},
	{OtherSignal, "other signal", "Ended by SIGKILL or by a signal without a class of its own."},
	{Segfault, "segmentation fault", "Ended by SIGSEGV, or by SIGILL (a compiler's trap, a jump into data)."},
	{OtherExit, "exit", "A library call ended the process by itself."},
	{Deadlock, "deadlock", "Every thread of the process waits for another one, without a time limit."},

	{WrongState, "wrong state", "A legal call was refused, or an illegal one accepted."},
	{ValuesDisagree, "values disagree",
		"Two answers about one solution contradict each other, val returned something other than its literal, the " +
			"negation or 0, or signature returned no text."},
	{WrongCore, "wrong core",
		"The failed assumptions are satisfiable together with the clauses, contradict each other, or are neither 0 nor 1; " +
			"or a quantified formula has another answer under them alone."},
	{AnswersDiffer, "answers differ", "The same problem, solved again, got another status or another optimum."},
	{InstancesMix, "instances mix", "Calls of one instance changed the answers of another."},
	{WrongTermination, "wrong termination",
		"Goes on long after the callback said stop, stays stopped in a later solve, or calls a callback that was removed, " +
			"never set, or set for another instance."},
	{Leak, "leak", "Memory was not given back."},
	{FailedAllocation, "failed allocation", "Crashed or was wrong after an allocation was made to fail, instead of " +
		"reporting an error or going on."},
	{Trespass, "trespass", "Reached for files, processes or a network that are not its own."},

	{LearnedNotImplied, "learned clause not implied",
		"A learned clause does not follow from the clauses that were added, or names a variable that the client never used."},
	{LearnedTooLong, "learned clause too long", "A learned clause is longer than the client asked for."},
	{ProofUnusable, "no proof", "The proof of an answer is missing, cut off or malformed."},
	{ProofWrong, "wrong proof", "The proof of an answer has a lemma or a conclusion that does not follow."},
	{ProofOfOther, "proof of something else", "The proof of an answer is about another problem."},

	{TooSlow, "too slow",
		"Gave no answer within ten times the limit, while the reference library needs a thousandth of it; or took far " +
			"longer than other targets."},
	{TooMuchMemory, "too much memory", "Reached the memory limit, or took far more than other targets."},

	{WrongStatus, "wrong status", "The interface does not know the status, or a program's output is not an answer."},
	{ModelTooBig, "model too big", "The model has more than ten times as many variables as the trace."},
	{ErrorMessage, "error message", "Printed an error message and went on; all else is right, or a sanitizer printed it."},
	{GaveUp, "gave up", "An exact solver gave up without being told to, or refused the problem."},
	{OddVerifier, "odd verifier", "A verifier did something unexpected."},
	{ParserIssue, "parser issue", "Read its input wrongly."},
	{TooMuchOutput, "too much output", "Wrote more than the output limit."},
}

// Info returns the row of the class. For a class that is not in the table, only its number is set.
func (c Class) Info() ClassInfo {
	if i := c.rank(); i < len(Classes) {
		return Classes[i]
	}
	return ClassInfo{Class: c}
}

// Severity returns how bad the class is: the higher the worse. It is 0 for a class that is not in the table.
func (c Class) Severity() int { return len(Classes) - c.rank() }

// IsAboutAnswers reports whether findings of the class are about answers of solve that a right answer refutes.
func (c Class) IsAboutAnswers() bool {
	switch c {
	case WrongStatus, GaveUp, AnswersDiffer, InstancesMix:
		return true
	}
	return strings.HasPrefix(string(c), "2.")
}

func (c Class) rank() int {
	for i := range Classes {
		if Classes[i].Class == c {
			return i
		}
	}
	return len(Classes)
}
