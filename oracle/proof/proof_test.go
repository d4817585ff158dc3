package proof_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/idrup"
	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// square has all four clauses over two variables.
var square = []int32{1, 2, 0, 1, -2, 0, -1, 2, 0, -1, -2, 0}

func TestRejections(t *testing.T) {
	for _, test := range []struct {
		name, format, text string
		kind               read.Kind
		message            string
	}{
		{"accepted", "drat", "1 0\n0\n", 0, ""},
		{"comments and empty lines", "drat", "c hello\n\n1 0\nc\n0\n", 0, ""},
		{"over several lines", "drat", "1\n 0 0", 0, ""},
		{"behind the conflict", "drat", "1 0\nhello\n", 0, ""},
		{"no lemma", "drat", "", read.Truncated, "line 1: the proof ends without a conflict"},
		{"cut", "drat", "d 1 2", read.Truncated, "a literal expected, not the end of the proof"},
		{"letters", "drat", "hello\n", read.Malformed, `line 1: a literal expected, not "hello"`},
		{"another letter", "drat", "x 1 0\n", read.Malformed, "a literal or d expected, not 'x'"},
		{"unjustified", "drat", "d 1 2 0\n1 0\n0\n", proof.Unjustified, "line 2: the lemma [1] does not follow"},
		{"not there", "drat", "d 1 2 3 0\n1 0\n", 0, ""},

		{"hint", "lrat", "5 1 0 1 3 0\n6 0 5 3 4 0\n", proof.Unjustified, "line 1: clause 5: the hints lead to no conflict"},
		{"useless hints", "lrat", "5 1 0 1 1 2 0\n6 0 5 3 4 1 0\n7 1 0 5 0\n", 0, ""},
		{"definition", "lrat", "5 3 1 2 0 0\n6 -3 -1 0 -5 0\n7 1 0 1 2 0\n8 0 7 3 4 0\n", 0, ""},
		{"no RAT", "lrat", "5 3 1 0 0\n6 -3 -2 0 -5 0\n7 1 0 1 2 0\n8 0 7 3 4 0\n", proof.Unjustified,
			"line 2: clause 6: resolved with clause 5: the hints lead to no conflict"},
		{"RAT without all", "lrat", "5 3 1 0 0\n6 3 2 0 0\n7 -3 -1 0 -5 0\n", proof.Unjustified,
			"clause 7: clause 6 has 3, and no hint names it"},
		{"tautology that no hint names", "lrat", "5 3 1 2 0 0\n6 -3 -1 0 0\n7 1 0 1 2 0\n8 0 7 3 4 0\n",
			proof.Unjustified, "clause 6: the hints lead to no conflict"},

		{"accepted", "frat", "o 1 1 2 0\no 2 1 -2 0\no 3 -1 2 0\no 4 -1 -2 0\na 5 1 0\na 6 0 l 5 3 4 0\nf 5 1 0\n", 0, ""},
		{"clause after RAT", "frat", "a 1 -1 0\no 2 1 2 0\n", proof.Unjustified,
			"line 2: clause 2: this clause of the formula has 1 and comes after a lemma that is RAT on -1"},
		{"clause after hinted RAT", "frat", "a 1 -1 0 l 0\no 2 1 2 0\n", proof.Unjustified, "RAT on -1"},
		{"clauses after a definition", "frat",
			"a 9 3 0\no 1 1 2 0\no 2 1 -2 0\no 3 -1 2 0\no 4 -1 -2 0\na 5 1 0\na 6 0\n", 0, ""},
		{"other clause", "frat", "o 1 1 2 0\no 2 1 0\n", proof.Different, "line 2: clause 2: the formula has no clause [1]"},
		{"other deletion", "frat", "o 1 1 2 0\nd 1 1 0\n", proof.Unjustified, "clause 1: it is [1 2], not [1]"},
		{"renamed", "frat", "o 1 1 2 0\no 2 1 -2 0\nr 1 2 2 1 0\na 5 1 0 l 1 2 0\n", read.Truncated,
			"without the empty clause"},
		{"odd renaming", "frat", "o 1 1 2 0\nr 1 0\n", read.Malformed, "an id without a new one"},

		{"accepted", "idrup", "p idrup\ni 1 2 0\nq 0\ns SATISFIABLE\nm 1 0\nq -1 -2 0\ns UNSATISFIABLE\nu -2 -1 0\n", 0, ""},
		{"model", "idrup", "i 1 2 0\nq 0\ns SATISFIABLE\nm -1 0\n", proof.Unjustified,
			"line 4: the model does not satisfy the clause [1 2]"},
		{"model of a deleted clause", "idrup", "i 1 2 0\nd 1 2 0\nq 0\ns SATISFIABLE\nm -1 0\n", proof.Unjustified,
			"does not satisfy"},
		{"assumption", "idrup", "q 1 0\ns SATISFIABLE\nm 2 0\n", proof.Unjustified, "does not satisfy the assumption 1"},
		{"core", "idrup", "i 1 2 0\nq -1 0\ns UNSATISFIABLE\nu -1 0\n", proof.Unjustified,
			"the core [-1] does not lead to a conflict"},
		{"core of something else", "idrup", "i 1 0\nq 0\ns UNSATISFIABLE\nu -1 0\n", proof.Different,
			"has -1, which was not assumed"},
		{"restored", "idrup", "i 1 2 0\nr 1 2 0\n", proof.Unjustified, "no clause [1 2] is set aside"},
		{"no conclusion", "idrup", "q 0\ns UNSATISFIABLE\n", read.Truncated, "the proof ends where the core should be"},
		{"no query", "idrup", "s UNSATISFIABLE\n", read.Malformed, "a line s outside of a query"},

		{"accepted", "lidrup", "i 1 1 2 0\ni 2 1 -2 0\nq -1 0\nl 3 1 0 1 2 0\ns UNSATISFIABLE\nu -1 0 3 0\n", 0, ""},
		{"set aside", "lidrup", "i 1 1 2 0\ni 2 1 -2 0\nw 1 0\nl 3 1 0 1 2 0\n", proof.Unjustified,
			"hint: clause 1 was deleted"},
	} {
		t.Run(test.format+" "+test.name, func(t *testing.T) {
			f := proof.Format{Name: test.format}
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				check(t, r, f, test.kind, test.message)
			}
		})
	}
}

func check(t *testing.T, r io.Reader, f proof.Format, kind read.Kind, message string) {
	t.Helper()
	var err error
	if f.IsIncremental() {
		_, err = proof.CheckScript(nil, r, proof.Options{Format: f})
	} else {
		_, err = proof.Check(square, r, proof.Options{Format: f})
	}
	var rejection *proof.Rejection
	switch {
	case kind == 0 && err != nil:
		t.Errorf("refused: %v", err)
	case kind == 0:
	case !errors.As(err, &rejection) || rejection.Kind != kind || !strings.Contains(err.Error(), message):
		t.Errorf("%v, not %v: %s", err, kind, message)
	}
}

func TestScript(t *testing.T) {
	const text = "i 1 2 0\nq -1 0\ns SATISFIABLE\nm -1 2 0\nq -2 -1 0\ns UNSATISFIABLE\nu -1 -2 0\n"
	right := []proof.Event{{Kind: idrup.Input, Lits: []int32{2, 1, 1}}, {Kind: idrup.Query, Lits: []int32{-1}},
		{Kind: idrup.Status, Lits: []int32{10}}, {Kind: idrup.Values, Lits: []int32{2}},
		{Kind: idrup.Query, Lits: []int32{-1, -2}}, {Kind: idrup.Status, Lits: []int32{20}},
		{Kind: idrup.Failed, Lits: []int32{-1}}}
	for _, test := range []struct {
		name    string
		at      int
		event   proof.Event
		kind    read.Kind
		message string
	}{
		{"right", 0, right[0], 0, ""},
		{"clause", 0, proof.Event{Kind: idrup.Input, Lits: []int32{1}}, proof.Different,
			"line 1: clause [1 2], where the trace has [1]"},
		{"assumptions", 1, proof.Event{Kind: idrup.Query, Lits: []int32{1}}, proof.Different,
			"line 2: query [-1], where the trace has [1]"},
		{"status", 2, proof.Event{Kind: idrup.Status, Lits: []int32{20}}, proof.Contradicting,
			"the status is 10, but the solver answered 20"},
		{"value", 3, proof.Event{Kind: idrup.Values, Lits: []int32{-2}}, proof.Contradicting,
			"the model has 2, but the solver gave -2"},
		{"core", 6, proof.Event{Kind: idrup.NotFailed, Lits: []int32{-2}}, proof.Contradicting,
			"answered otherwise for -2"},
	} {
		events := append([]proof.Event(nil), right...)
		events[test.at] = test.event
		_, err := proof.CheckScript(events, strings.NewReader(text), proof.Options{Format: proof.Format{Name: "idrup"}})
		var rejection *proof.Rejection
		if test.kind == 0 {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		} else if !errors.As(err, &rejection) || rejection.Kind != test.kind || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	more := append(right, proof.Event{Kind: idrup.Query}, proof.Event{Kind: idrup.Status, Lits: []int32{20}})
	_, err := proof.CheckScript(more, strings.NewReader(text), proof.Options{Format: proof.Format{Name: "idrup"}})
	if err == nil || !strings.Contains(err.Error(), "ends before the answer 20") {
		t.Error(err)
	}
}

func TestDetect(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, name := range proof.Names() {
		for i := range 40 {
			f := proof.Format{Name: name, Binary: i%2 == 0}
			formula, steps := refutation(rng, false)
			switch {
			case f.IsIncremental():
				for steps = nil; !slices.ContainsFunc(steps, func(s step) bool { return s.op == 'u' }); steps = conversation(rng) {
				}
			case name == "frat":
				steps = fratOf(rng, formula, steps)
			}
			file := write(steps, f)
			if got, err := proof.Detect(file); err != nil || got != f {
				t.Errorf("%v (%v) for %v: %q", got, err, f, file)
			}
			if name != "lidrup" && len(file) > 20 { // without hints at its end, a part of it may look like idrup
				if got, err := proof.Detect(file[:len(file)-5]); err != nil || got != f {
					t.Errorf("cut: %v (%v) for %v: %q", got, err, f, file)
				}
			}
		}
	}
	// CaDiCaL deletes a clause of the formula before its first lemma.
	if f, err := proof.Detect([]byte("0 d 2 0\n4 0 1 3 0\n")); err != nil || f.String() != "lrat" {
		t.Errorf("LRAT that begins with a deletion: %v, %v", f, err)
	}
	if f, err := proof.Detect([]byte("pseudo-Boolean proof version 2.0\n")); err != nil || f.String() != "veripb" {
		t.Errorf("%v for a proof for VeriPB: %v", f, err)
	}
	if f, err := proof.ParseFormat("veripb-binary"); err == nil {
		t.Errorf("%v is not a format", f)
	}
}

// TestOtherReading: a proof needs a clause whose deletion most checkers ignore.
func TestOtherReading(t *testing.T) {
	formula := []int32{1, 0, -1, 2, 0, -2, 3, 4, 0, -2, 3, -4, 0, -3, 4, 0, -3, -4, 0}
	text := "d -1 2 0\n3 0\n0\n"
	r, err := proof.Check(formula, strings.NewReader(text), proof.Options{Format: proof.Format{Name: "drat"}})
	if err != nil || r.OtherReading == nil || r.OtherReading.Err == nil || r.DRAT.Units != 1 || r.DRAT.FirstUnit != 1 {
		t.Errorf("%+v %+v: %v", r, r.DRAT, err)
	}
	// The proof need not be at the start of what is read.
	rest := strings.NewReader("d 1 0\n1 2 0\n" + text)
	rest.Seek(int64(rest.Len()-len(text)), io.SeekStart)
	again, err := proof.Check(formula, rest, proof.Options{Format: proof.Format{Name: "drat"}})
	if err != nil || again.OtherReading == nil || again.OtherReading.Err.Error() != r.OtherReading.Err.Error() {
		t.Errorf("%+v: %v", again.OtherReading, err)
	}
}

// TestEmptyClause: if the formula has the empty clause, solvers write a proof without steps.
func TestEmptyClause(t *testing.T) {
	for _, name := range []string{"drat", "lrat", "frat"} {
		for _, text := range []string{"", "c nothing\n"} {
			o := proof.Options{Format: proof.Format{Name: name}}
			if _, err := proof.Check([]int32{1, 0, 0}, strings.NewReader(text), o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

// TestReadErrors: a proof that cannot be read is an error and not a wrong proof.
func TestReadErrors(t *testing.T) {
	for _, name := range proof.Names() {
		f := proof.Format{Name: name}
		var err error
		r := io.MultiReader(bytes.NewReader([]byte(" ")), failing{})
		if f.IsIncremental() {
			_, err = proof.CheckScript(nil, r, proof.Options{Format: f})
		} else {
			_, err = proof.Check(square, r, proof.Options{Format: f})
		}
		var rejection *proof.Rejection
		if err == nil || errors.As(err, &rejection) || !strings.Contains(err.Error(), "disk on fire") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
