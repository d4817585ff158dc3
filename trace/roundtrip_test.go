package trace

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// newRandom returns a source of random numbers. Its seed is IPAFUZZ_SEED or a new one, and a failing test prints it.
func newRandom(t *testing.T) *rand.Rand {
	t.Helper()
	seed := testseed.Of(t, rand.Uint64())
	return rand.New(rand.NewPCG(seed, 1))
}

// A builder makes well-formed traces with every kind of argument and expectation, and with gaps in the arenas. With a
// checker, it makes legal traces only.
type builder struct {
	*rand.Rand
	t       *Trace
	checker *checker
}

func randomTrace(r *rand.Rand, legal bool) *Trace {
	b := &builder{Rand: r, t: &Trace{}}
	models := apimodel.Models()
	b.t.Reset(models[r.IntN(len(models))])
	if legal {
		b.checker = newChecker(b.t.Model)
	}
	for range r.IntN(4) {
		b.t.Notes = append(b.t.Notes, []string{"", "gen=x", " blank before", "# sign", "blank after ", "\u00e9\ufffd",
			"ipafuzz 1 ipamir"}[r.IntN(7)])
	}
	for range r.IntN(3) {
		p := b.t.Plant(uint16(r.IntN(1 << 16)))
		p.Optimal, p.Cost = r.IntN(2) == 0, r.Uint64()>>r.IntN(64)
		for range r.IntN(5) {
			p.Lits = append(p.Lits, (1+r.Int32N(math.MaxInt32))*int32(1-2*r.IntN(2)))
		}
	}
	answers, recorded := r.IntN(4), r.IntN(4) // 0: none
	for range r.IntN(60) {
		b.addCall(answers, recorded)
	}
	return b.t
}

func (b *builder) addCall(answers, recorded int) {
	t := b.t
	call := &t.Model.Calls[b.IntN(len(t.Model.Calls))]
	instance := []uint16{0, 0, 0, 0, 1, 2, math.MaxUint16}[b.IntN(7)]
	if b.IntN(8) == 0 { // a gap, as a reducer leaves it
		t.Lits = append(t.Lits, 0)
		t.Bytes = append(t.Bytes, 'x')
		t.Want.Lits = append(t.Want.Lits, math.MinInt32)
		t.Want.Text = append(t.Want.Text, 'x')
		t.Got.Lits = append(t.Got.Lits, math.MinInt32)
	}
	switch {
	case call.Op == apimodel.OpClause:
		lits := make([]int32, b.IntN(6))
		for i := range lits {
			lits[i] = b.lit()
		}
		t.Clause(instance, len(lits) == 0 || b.IntN(8) > 0, lits...)
	case call.Op == apimodel.OpSoft:
		t.Soft(instance, b.lit(), b.number())
	case call.Op.HasLits():
		t.Literal(instance, call.Op, b.lit())
	case call.Op == apimodel.OpTerminate || call.Op == apimodel.OpLearn:
		if b.IntN(3) == 0 {
			t.TakeAway(instance, call.Op)
		} else {
			t.Count(instance, call.Op, uint32(min(b.number(), call.Op.Most())))
		}
	case call.Op == apimodel.OpHavoc:
		t.Havoc(instance, b.number())
	case call.Op == apimodel.OpOption:
		t.SetOption(instance, b.word(), b.word()+"=")
	default:
		t.Plain(instance, call.Op)
	}
	last := len(t.Calls) - 1
	if answers > 0 {
		t.Want.Of = append(t.Want.Of, b.answer(call, answers, &t.Want))
	}
	if recorded > 0 {
		t.Got.Of = append(t.Got.Of, b.answer(call, recorded, &t.Got))
	}
	if b.checker != nil && b.checker.step(t, last) != nil {
		t.Calls = t.Calls[:last]
		t.Want.Of = t.Want.Of[:min(last, len(t.Want.Of))]
		t.Got.Of = t.Got.Of[:min(last, len(t.Got.Of))]
	}
}

func (b *builder) answer(call *apimodel.Call, often int, all *Answers) (a Answer) {
	switch b.IntN(4 * often) {
	case 0:
		return Answer{Kind: Withheld}
	case 1:
		return Answer{Kind: Unsupported}
	case 2, 3, 4:
		return Answer{}
	}
	a.Kind = Answered
	switch call.Reply {
	case apimodel.ReplyStatus:
		all.SetEffort(&a, Effort{Nanos: 17}) // is not printed
		a.Num = uint64([]int{0, 10, 20, 30, 40}[b.IntN(5)])
		if b.IntN(5) == 0 {
			a.Num = uint64(int64(int32(b.Uint32())))
		}
	case apimodel.ReplyWeight:
		a.Num = b.number()
	case apimodel.ReplyLit, apimodel.ReplyFlag, apimodel.ReplyCode:
		a.Num = uint64(int64(int32(b.Uint32()) >> b.IntN(32)))
	case apimodel.ReplyModel, apimodel.ReplyCore:
		a.Pos = uint32(len(all.Lits))
		for range b.IntN(5) {
			all.Lits = append(all.Lits, b.lit())
		}
		a.Len = uint32(len(all.Lits)) - a.Pos
		a.Strange = b.IntN(4) == 0
	case apimodel.ReplyText:
		a.Pos = uint32(len(all.Text))
		for range b.IntN(20) {
			all.Text = append(all.Text, byte(b.Uint32()))
		}
		a.Len = uint32(len(all.Text)) - a.Pos
	}
	return a
}

func (b *builder) lit() int32 {
	for {
		if lit := int32(b.Uint32()) >> b.IntN(32); validLit(lit) {
			return lit
		}
	}
}

func (b *builder) number() uint64 { return b.Uint64() >> b.IntN(65) }

func (b *builder) word() string {
	return []string{"a", "-", "?", "!", "0", "off", "@1", "\"x\"", "ü", "\x80\xff", strings.Repeat("x",
		maxOptionWord-1)}[b.IntN(11)]
}

func TestPrintingAndParsingIsTheIdentity(t *testing.T) {
	r := newRandom(t)
	calls, refused := 0, 0
	for round := range 5000 {
		legal := round%2 == 0
		tr := randomTrace(r, legal)
		text := tr.String()
		parse := ParseSyntax
		if legal {
			parse = Parse
		}
		again, err := parse(strings.NewReader(text), "printed")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !Equal(tr, again) {
			t.Fatalf("the trace changes:\n%s", firstDifference(text, again.String()))
		}
		if printed := again.String(); printed != text {
			t.Fatalf("the text changes:\n%s", firstDifference(text, printed))
		}
		checked := Check(tr)
		if legal && checked != nil {
			t.Fatalf("%v\n%s", checked, text)
		}
		if _, strict := ParseString(text); (strict == nil) != (checked == nil) {
			t.Fatalf("Check says %v and Parse %v\n%s", checked, strict, text)
		}
		if checked != nil {
			refused++
		}
		if binary, err := tr.AppendBinary(nil); legal && err == nil && len(tr.Planted) == 0 {
			if again, err := parseBinary(binary); err != nil || !Equal(tr, again) {
				t.Fatalf("the binary form changes the trace: %v\n%s", err, text)
			}
		}
		calls += len(tr.Calls)
	}
	if calls < 50000 || refused < 1000 || refused > 2500 {
		t.Errorf("the builder makes %d calls and %d illegal traces, want 50000 and 1000 to 2500", calls, refused)
	}
}

// TestLegalTracesAreLegalWithoutExpectations: a legal trace stays legal without its expectations, because they only
// restrict the calls that may follow.
func TestLegalTracesAreLegalWithoutExpectations(t *testing.T) {
	r := newRandom(t)
	for range 2000 {
		tr := randomTrace(r, true)
		tr.Want.Reset()
		if err := Check(tr); err != nil {
			t.Fatalf("%v\n%s", err, tr)
		}
	}
}

func TestEqualSeesEveryDifference(t *testing.T) {
	text, err := os.ReadFile("testdata/ipamir_every_call.trace")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := ParseString(string(text))
	if err != nil {
		t.Fatal(err)
	}
	// Edit one field of one line at a time. An edited text that parses prints differently, so Equal must see a difference.
	changed := 0
	lines := bytes.Split(text, lineEnd)
	for i := range lines {
		fields := bytes.Split(lines[i], blank)
		for f := range fields {
			for _, other := range []string{"1", "2", "0", "-9", "off", "-", "?", "!", "zzz", "\"q\"", "", "@3"} {
				before := fields[f]
				fields[f] = []byte(other)
				edited := bytes.Join(append(append(append([][]byte{}, lines[:i]...), bytes.Join(fields, blank)), lines[i+1:]...),
					lineEnd)
				fields[f] = before
				again, err := ParseSyntax(bytes.NewReader(edited), "edited")
				if err != nil {
					continue
				}
				same := again.String() == string(text)
				if Equal(tr, again) != same || Equal(again, tr) != same {
					t.Errorf("line %d with %q for %q: Equal says %v", i+1, other, before, !same)
				}
				changed++
			}
		}
	}
	if changed < 100 {
		t.Errorf("only %d changed texts parsed", changed)
	}
}
