package format_test

import (
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

func readQuantified(text string) (*qbf.Formula, []string, error) {
	return format.ReadQDIMACS(strings.NewReader(text), "file", trace.Limits{})
}

func TestReadQDIMACS(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       qbf.Formula
		notes      []string
	}{
		{"prefix", "c note\np cnf 4 2\ne 1 2 0\na 3 0\ne 4 0\n1 -3 0\n-4 2 0\n", qbf.Formula{
			Prefix:  []qbf.Block{{Vars: []int32{1, 2}}, {Universal: true, Vars: []int32{3}}, {Vars: []int32{4}}},
			Clauses: [][]int32{{1, -3}, {-4, 2}},
		}, []string{"note"}},
		{"free", "p cnf 2 1\n1 -2 0\n", qbf.Formula{Clauses: [][]int32{{1, -2}}}, nil},
		{"nothing", "p cnf 0 0\n", qbf.Formula{}, nil},
		{"what only the standard forbids", "p cnf 2 2\r\na 0\r\ne 1 0\nc inside\ne 0\n\na 2 0\n0 1\n2 0\n", qbf.Formula{
			Prefix:  []qbf.Block{{Universal: true}, {Vars: []int32{1}}, {}, {Universal: true, Vars: []int32{2}}},
			Clauses: [][]int32{nil, {1, 2}},
		}, []string{"inside"}},
	}
	for _, test := range tests {
		got, notes, err := readQuantified(test.text)
		if err != nil || !reflect.DeepEqual(*got, test.want) || !reflect.DeepEqual(notes, test.notes) {
			t.Errorf("%s: read %+v, notes %q, %v; want %+v, notes %q", test.name, got, notes, err, test.want, test.notes)
		}
	}
}

func TestReadQDIMACSErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            `file:1:1: want the line "p cnf", got the end of the file`,
		"p cnf 2 1\n1 0\ne 2 0\n":     `file:3:1: want the whole prefix before all clauses, got "e"`,
		"p cnf 2 1\n1\na 2 0\n":       `file:3:1: want the whole prefix before all clauses, got "a"`,
		"p cnf 2 0\ne 1 2 0\na 2 0\n": `file:3:3: want a variable that the prefix does not have yet, as in line 2, got "2"`,
		"p cnf 2 0\ne 1 1 0\n":        `file:2:5: want a variable that the prefix does not have yet, as in line 2, got "1"`,
		"p cnf 2 0\ne 1 3 0\n":        `file:2:5: want one of at most 2 variables, as the header says, got "3"`,
		"p cnf 2 1\n1 3 0\n":          `file:2:3: want one of at most 2 variables, as the header says, got "3"`,
		"p cnf 2 0\ne 1\n":            `file:2:4: want a variable, or 0 to end the block, got the end of the line`,
		"p cnf 2 0\ne 1 0 2 0\n":      `file:2:7: want the end of the line, got "2"`,
		"p cnf 2 0\ne -1 0\n": `file:2:3: want a variable, or 0 to end the block, a number from 0 to 2147483647 ` +
			`(without + or leading zeros), got "-1"`,
		"p cnf 2 1\n":           `file:2:1: want 1 clause, as the header says, not 0, got the end of the file`,
		"p cnf 2 1\n1 0\n2 0\n": `file:3:1: want the end of the file after 1 clause, as the header says, got "2"`,
		"p cnf 2 1\n1 2\n":      `file:2:1: want a 0 at the end of this clause, got the end of the file`,
		"p cnf 2 1\nd 1 0\n": `file:2:1: want a literal from -2147483647 to 2147483647, or 0 to end the clause ` +
			`(without + or leading zeros), got "d"`,
		"e 1 0\np cnf 1 0\n": `file:1:1: want the line "p cnf" before all clauses, got "e"`,
		"p cnf 2147483648 0\ne 1 0\n": `file:1:7: want the number of variables, from 0 to 2147483647 ` +
			`(without + or leading zeros), got "2147483648"`,
	} {
		_, _, err := readQuantified(text)
		var parse *trace.ParseError
		if !errors.As(err, &parse) || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestDetectQDIMACS: Detect tells QDIMACS from CNF by its prefix or by the file's name.
func TestDetectQDIMACS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, text string
		want       format.Format
	}{
		{"file", "c n\np cnf 1 1\nc m\na 1 0\n1 0\n", format.QDIMACS},
		{"file.cnf", "p cnf 1 1\ne 1 0\n1 0\n", format.QDIMACS},
		{"file.qdimacs", "p cnf 1 1\n1 0\na 1 0\n", format.QDIMACS},
		{"file", "p cnf 1 1\n1 0\n", format.CNF},
	} {
		if got, err := format.Detect(test.file, []byte(test.text)); got != test.want || err != nil {
			t.Errorf("%s %q is %s, want %s, %v", test.file, test.text, got, test.want, err)
		}
	}
}

// FuzzReadQDIMACS: the reader returns a formula or an error with a place for any bytes. Writing the formula, reading it
// and writing it again gives the same file.
func FuzzReadQDIMACS(f *testing.F) {
	f.Add("c n\np cnf 4 3\ne 1 0\na 2 3 0\ne 4 0\n1 -2 0\n4 3 0 0\n")
	f.Add("p cnf 2 1\na 0\ne 1 0\ne 2 0\n1\n2 0\n")
	f.Fuzz(func(t *testing.T, input string) {
		limits := trace.DefaultLimits
		limits.Calls, limits.Literals, limits.Bytes = 1<<12, 1<<14, 1<<16
		read, notes, err := format.ReadQDIMACS(strings.NewReader(input), "file", limits)
		var parse *trace.ParseError
		if err != nil {
			if !errors.As(err, &parse) || parse.Line < 1 || parse.Column < 1 {
				t.Fatalf("the error has no place: %v", err)
			}
			return
		}
		first := written(t, format.WriteQDIMACS, read, notes)
		back, notes, err := readQuantified(first)
		if err != nil {
			t.Fatalf("the written file cannot be read: %v\n%s", err, first)
		}
		if second := written(t, format.WriteQDIMACS, back, notes); second != first {
			t.Fatalf("written\n%s\nread and written again\n%s", first, second)
		}
		written(t, format.WriteSMTLIB, read, nil)
	})
}

type quantifiedWriter func(w io.Writer, f *qbf.Formula, notes []string) error

func written(t *testing.T, write quantifiedWriter, f *qbf.Formula, notes []string) string {
	t.Helper()
	var text strings.Builder
	if err := write(&text, f, notes); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestWriteInnermost: the writer makes the innermost block existential, as QDIMACS requires, with a new variable if
// necessary.
func TestWriteInnermost(t *testing.T) {
	t.Parallel()
	universal := func(vars ...int32) qbf.Block { return qbf.Block{Universal: true, Vars: vars} }
	for _, test := range []struct {
		f    qbf.Formula
		want string
	}{
		{qbf.Formula{Prefix: []qbf.Block{universal(1)}, Clauses: [][]int32{{1}}}, "p cnf 2 2\na 1 0\ne 2 0\n1 0\n2 0\n"},
		{qbf.Formula{Prefix: []qbf.Block{{Vars: []int32{1}}, universal(2), {}, universal(3), {}}},
			"p cnf 4 1\ne 1 0\na 2 3 0\ne 4 0\n4 0\n"},
		{qbf.Formula{Prefix: []qbf.Block{universal(2, math.MaxInt32)}, Clauses: [][]int32{{-1, 2}}},
			"p cnf 2147483647 2\na 2 2147483647 0\ne 3 0\n-1 2 0\n3 0\n"},
		{qbf.Formula{Prefix: []qbf.Block{universal(1), {Vars: []int32{2}}}, Clauses: [][]int32{{1, 2}}},
			"p cnf 2 1\na 1 0\ne 2 0\n1 2 0\n"},
		{qbf.Formula{}, "p cnf 1 1\ne 1 0\n1 0\n"},
		{qbf.Formula{Prefix: []qbf.Block{{Vars: []int32{2}}}}, "p cnf 3 1\ne 2 3 0\n3 0\n"},
		{qbf.Formula{Prefix: []qbf.Block{universal(1)}, Clauses: [][]int32{{}}}, "p cnf 2 2\na 1 0\ne 2 0\n2 0\n-2 0\n"},
	} {
		if got := written(t, format.WriteQDIMACS, &test.f, nil); got != test.want {
			t.Errorf("%v: written\n%s\nwant\n%s", test.f, got, test.want)
		}
	}
}

func TestWriteQuantified(t *testing.T) {
	t.Parallel()
	f := &qbf.Formula{
		Prefix: []qbf.Block{
			{Universal: true}, {Vars: []int32{1}}, {Vars: []int32{2}},
			{Universal: true, Vars: []int32{3, 4}}, {Vars: []int32{6}},
		},
		Clauses: [][]int32{{1, -3}, nil, {6, 5}},
	}
	const (
		qdimacs = "c note\np cnf 7 4\ne 1 2 0\na 3 4 0\ne 6 7 0\n1 -3 0\n6 5 0\n7 0\n-7 0\n"
		smtlib  = "; note\n(set-logic UF)\n(declare-const x5 Bool)\n(declare-const x1 Bool)\n(declare-const x2 Bool)\n" +
			"(assert\n(forall ((x3 Bool) (x4 Bool))\n(exists ((x6 Bool))\n(and true\n(or false x1 (not x3))\n(or false)\n" +
			"(or false x6 x5)\n))))\n(check-sat)\n"
	)
	if got := written(t, format.WriteQDIMACS, f, []string{"note"}); got != qdimacs {
		t.Errorf("written\n%s\nwant\n%s", got, qdimacs)
	}
	if got := written(t, format.WriteSMTLIB, f, []string{"note"}); got != smtlib {
		t.Errorf("written\n%s\nwant\n%s", got, smtlib)
	}
}
