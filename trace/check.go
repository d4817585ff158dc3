package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A CheckError reports a wrong call of a trace. Err is an *apimodel.IllegalCall if the model
// does not allow the call in its state, and a *Misuse if earlier calls forbid it.
type CheckError struct {
	Call int    // index of the call; -1 if the trace as a whole is wrong
	Text string // the line of the call
	Err  error
}

// Error returns the message.
func (e *CheckError) Error() string {
	if e.Call < 0 {
		return e.Err.Error()
	}
	return "call " + strconv.Itoa(e.Call+1) + " (" + e.Text + "): " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CheckError) Unwrap() error { return e.Err }

// Check returns an error unless t is well formed and legal: every call has the arguments that
// its model says, and is legal in a state to which the earlier calls can lead. Right answers
// narrow these states: after "solve want 20", val is not legal. A call that should not be made
// ("want -", "want ?") changes no state, but must be legal for a client that does not know
// the answers. If a call also has a recorded answer, its right answer narrows nothing, because
// the client may have got the recorded one. Traces that pass Check can be printed, parsed and
// encoded.
func Check(t *Trace) error {
	if t.Model == nil {
		return &CheckError{Call: -1, Err: errors.New("the trace has no model")}
	}
	for _, answers := range []*Answers{&t.Want, &t.Got} {
		if n := len(answers.Of); n != 0 && n != len(t.Calls) {
			return &CheckError{Call: -1, Err: fmt.Errorf("the trace has %d calls and %d answers", len(t.Calls), n)}
		}
	}
	checker := newChecker(t.Model)
	var instances instanceSet
	for i := range t.Calls {
		err := checkCall(t, i)
		if err == nil && instances.add(t.Calls[i].Instance) > MaxInstances {
			err = ErrTooManyInstances
		}
		if err == nil {
			err = checker.step(t, i)
		}
		if err != nil {
			return &CheckError{Call: i, Text: shortLine(t, i), Err: err}
		}
	}
	return nil
}

// longestLine is how many bytes of a line a message shows.
const longestLine = 120

func shortLine(t *Trace, i int) string {
	line := t.AppendCall(nil, i)
	if len(line) > longestLine {
		return string(line[:longestLine]) + "..."
	}
	return string(line)
}

// A checker follows a trace call by call.
type checker struct {
	model      *apimodel.Model
	free       *apimodel.Walker // ignores the answers, like a client that does not know them
	told       *apimodel.Walker // follows the right answers; nil while the trace has none
	toldCalls  int              // number of calls that told has made
	frozen     map[frozen]int
	quantified map[uint16]*quantified // by instance; nil: the model has no quantifiers
}

// A frozen is a variable of an instance, as a key.
type frozen struct {
	instance uint16
	variable int32
}

// errMelt reports a melt without a freeze.
var errMelt = &Misuse{"melt is not legal here: the variable is not frozen", "a frozen variable", 1}

// countFreezes updates the numbers of freezes after a legal call.
func (ch *checker) countFreezes(t *Trace, c *Call) {
	switch c.Op {
	case apimodel.OpFreeze, apimodel.OpMelt:
		if ch.frozen == nil {
			ch.frozen = make(map[frozen]int)
		}
		if key := (frozen{c.Instance, Var(t.Lit(c))}); c.Op == apimodel.OpFreeze {
			ch.frozen[key]++
		} else {
			ch.frozen[key]--
		}
	case apimodel.OpRelease:
		for key := range ch.frozen {
			if key.instance == c.Instance {
				delete(ch.frozen, key)
			}
		}
	}
}

func newChecker(m *apimodel.Model) *checker {
	ch := &checker{model: m, free: apimodel.NewWalker(m)}
	if m.Quantified() {
		ch.quantified = make(map[uint16]*quantified, 1)
	}
	return ch
}

// step makes call i, which follows the calls made so far. If it returns an error, nothing has
// changed, and another call may take the place of call i.
func (ch *checker) step(t *Trace, i int) error {
	c := &t.Calls[i]
	if c.Op == apimodel.OpMelt && ch.frozen[frozen{c.Instance, Var(t.Lit(c))}] == 0 {
		return errMelt
	}
	if ch.quantified != nil {
		return ch.stepQuantified(t, i)
	}
	err := ch.walk(t, i)
	if err == nil {
		ch.countFreezes(t, c)
	}
	return err
}

func (ch *checker) stepQuantified(t *Trace, i int) error {
	c := &t.Calls[i]
	q := ch.quantified[c.Instance]
	if q == nil {
		q = new(quantified)
		ch.quantified[c.Instance] = q
	}
	if misuse := q.refuse(t, c); misuse != nil {
		if err := ch.free.Refuse(c.Instance, ch.model.Call(c.Op)); err != nil {
			return err
		}
		return misuse
	}
	err := ch.walk(t, i)
	if err == nil {
		q.take(t, c)
	}
	return err
}

func (ch *checker) walk(t *Trace, i int) error {
	c := &t.Calls[i]
	outcome := apimodel.Outcome{Open: c.Flags&Open != 0}
	if len(t.Want.Of) == 0 {
		return ch.free.Step(c.Instance, c.Op, outcome)
	}
	if ch.told == nil {
		ch.told = apimodel.NewWalker(ch.model)
	}
	for ; ch.toldCalls < i; ch.toldCalls++ {
		if err := tell(ch.told, t, ch.toldCalls); err != nil {
			return err
		}
	}
	if err := ch.free.Refuse(c.Instance, ch.model.Call(c.Op)); err != nil {
		return err
	}
	if err := tell(ch.told, t, i); err != nil {
		return err
	}
	ch.toldCalls++
	return ch.free.Step(c.Instance, c.Op, outcome)
}

// tell makes a call with its right answer.
func tell(w *apimodel.Walker, t *Trace, i int) error {
	c, answer := &t.Calls[i], t.Want.At(i)
	outcome := apimodel.Outcome{Open: c.Flags&Open != 0}
	switch {
	case !unsaid(t.replyOf(i), t.Got.At(i)): // the client may have got the recorded answer
	case answer.Kind == Withheld || answer.Kind == Unsupported:
		return nil
	case answer.Kind == Answered:
		outcome.HasStatus = c.Op == apimodel.OpSolve
		outcome.Status = int(answer.Int())
	}
	return w.Step(c.Instance, c.Op, outcome)
}

// checkCall returns an error unless the record of call i is well formed.
func checkCall(t *Trace, i int) error {
	c := &t.Calls[i]
	call := t.Model.Call(c.Op)
	if call == nil {
		return fmt.Errorf("model %s has no such call (%v)", t.Model.Name, c.Op)
	}
	if t.Model.File && c.Instance != 0 {
		return errors.New("a formula file has one solve, and no other instance than 0")
	}
	if unknown := c.Flags &^ allowedFlags(call); unknown != 0 {
		return fmt.Errorf("%s cannot have the flags %#x", call.Name, unknown)
	}
	var err error
	switch {
	case c.Op.Form() == apimodel.FormText:
		err = checkOption(t, c)
	case c.Op.HasLits():
		err = checkLits(t.Lits, c.Pos, c.Len)
		isList := c.Op.Form().HasList()
		if err == nil && !isList && c.Len != 1 {
			err = fmt.Errorf("%s takes one literal, not %d", call.Name, c.Len)
		}
		if err == nil && c.Flags&Open != 0 && c.Len == 0 {
			err = errors.New("an open clause has at least one literal")
		}
		if err == nil && isList && call.Args[len(call.Args)-1] == apimodel.ArgVars {
			err = checkVars(t.Args(c))
		}
		if err == nil && c.Op.Form() == apimodel.FormExtend && c.Num > c.Op.Most() {
			err = fmt.Errorf("%d is above %d, the most that %s takes", c.Num, c.Op.Most(), call.Name)
		}
	case c.Len != 0:
		err = fmt.Errorf("%s takes no literals", call.Name)
	case c.Num > c.Op.Most():
		err = fmt.Errorf("%d is above %d, the most that %s takes", c.Num, c.Op.Most(), call.Name)
	}
	if err == nil && c.Op.Form() == apimodel.FormWeighted && c.Num == 0 {
		err = errors.New("the weight of a soft clause is at least 1")
	}
	if err != nil {
		return err
	}
	if err := checkAnswer(call, t.Want.At(i), &t.Want); err != nil {
		return err
	}
	return checkAnswer(call, t.Got.At(i), &t.Got)
}

func allowedFlags(call *apimodel.Call) Flags {
	for _, arg := range call.Args {
		switch {
		case arg == apimodel.ArgClause && call.Legal.Has(apimodel.Clause):
			return Open
		case arg.MayBeOff():
			return Off
		}
	}
	return 0
}

func checkLits(arena []int32, pos, length uint32) error {
	if uint64(pos)+uint64(length) > uint64(len(arena)) {
		return fmt.Errorf("its literals %d+%d lie outside the %d of the trace", pos, length, len(arena))
	}
	for _, lit := range arena[pos : pos+length] {
		if !validLit(lit) {
			return fmt.Errorf("%d is not a literal", lit)
		}
	}
	return nil
}

func checkVars(vars []int32) error {
	for _, v := range vars {
		if v < 0 {
			return fmt.Errorf("%d is not a variable", v)
		}
	}
	return nil
}

func checkOption(t *Trace, c *Call) error {
	if uint64(c.Pos)+uint64(c.Len) > uint64(len(t.Bytes)) {
		return fmt.Errorf("its bytes %d+%d lie outside the %d of the trace", c.Pos, c.Len, len(t.Bytes))
	}
	name, value, found := bytes.Cut(t.Bytes[c.Pos:c.Pos+c.Len], nul)
	if !found {
		return errors.New("the option has no value")
	}
	if want := badOptionName(name); want != "" {
		return fmt.Errorf("the option's name is %s, want %s", printable.Excerpt(name), want)
	}
	if want := badOptionValue(value); want != "" {
		return fmt.Errorf("the option's value is %s, want %s", printable.Excerpt(value), want)
	}
	return nil
}

// badOptionName returns "" if name is allowed as the name of an option, and otherwise says
// which names are.
func badOptionName(name []byte) string {
	const want = "an option name (1 to 256 bytes without blanks, control characters, '=' and '#')"
	if !isOptionWord(name) || bytes.IndexByte(name, '=') >= 0 {
		return want
	}
	return ""
}

// badOptionValue returns "" if value is allowed as the value of an option, and otherwise says
// which values are. A value must not begin with '=', which begins an answer.
func badOptionValue(value []byte) string {
	if !isOptionWord(value) || value[0] == '=' {
		return "an option value (1 to 256 bytes without blanks, control characters and '#', not beginning with '=')"
	}
	return ""
}

func isOptionWord(word []byte) bool {
	if len(word) == 0 || len(word) > maxOptionWord {
		return false
	}
	for _, b := range word {
		if b <= ' ' || b == 0x7f || b == '#' {
			return false
		}
	}
	return true
}

func checkAnswer(call *apimodel.Call, a *Answer, all *Answers) error {
	if a.Kind > Unsupported {
		return fmt.Errorf("its answer is of unknown kind %d", a.Kind)
	}
	isList := call.Reply == apimodel.ReplyModel || call.Reply == apimodel.ReplyCore
	if a.Strange && (!isList && (call.Reply != apimodel.ReplyText || a.Len > 0) || a.Kind != Answered) {
		return fmt.Errorf("%s cannot have a strange answer", call.Name)
	}
	if a.Kind != Answered {
		return nil
	}
	switch call.Reply {
	case apimodel.ReplyModel, apimodel.ReplyCore:
		if err := checkLits(all.Lits, a.Pos, a.Len); err != nil {
			return fmt.Errorf("its answer: %w", err)
		}
	case apimodel.ReplyText:
		if uint64(a.Pos)+uint64(a.Len) > uint64(len(all.Text)) {
			return errors.New("the text of its answer lies outside that of the trace")
		}
	case apimodel.ReplyStatus, apimodel.ReplyLit, apimodel.ReplyFlag, apimodel.ReplyCode:
		if n := a.Int(); n < math.MinInt32 || n > math.MaxInt32 {
			return fmt.Errorf("it cannot answer %d, which has more than 32 bits", n)
		}
	}
	return nil
}

// An instanceSet counts distinct instances.
type instanceSet struct {
	seen  [1 << 16 / 64]uint64
	count int
}

func (s *instanceSet) add(instance uint16) int {
	word, bit := &s.seen[instance/64], uint64(1)<<(instance%64)
	if *word&bit == 0 {
		*word |= bit
		s.count++
	}
	return s.count
}
