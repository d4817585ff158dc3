package trace

import (
	"errors"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// wrong are texts that Parse refuses, with its whole error except the file's name.
var wrong = []struct{ text, want string }{
	// The first line.
	{"", `1:1: want ipafuzz 2 MODEL as the first line, got an empty file`},
	{"\n", `1:1: want ipafuzz 2 MODEL as the first line, got the end of the line`},
	{"# hello\n", `1:1: want ipafuzz 2 MODEL as the first line, got "# hello"`},
	{"ipaf", `1:1: want ipafuzz 2 MODEL as the first line, got "ipaf" and the end of the file: the file is cut off`},
	{"ipaf\n", `1:1: want ipafuzz 2 MODEL as the first line, got "ipaf"`},
	{" solve\n", `1:2: want ipafuzz 2 MODEL as the first line, got "solve"`},
	{"ipafuzz", `1:8: want format version 1 or 2, got the end of the file`},
	{"ipafuzz\r\n", `1:8: want format version 1 or 2, got the end of the line`},
	{"ipafuzz 1", "1:10: want a model (" + apimodel.Names() + "), got the end of the file"},
	{"ipafuzz 1 # ipamir\n",
		`1:11: want a model (ipasir, ipamir, ipasir+cadical, ipasir+enumerate, ipasir2, qbf, wcnf, cnf), ` +
			`got the end of the line`},
	{"ipafuzz 1 smt\n",
		`1:11: want a model (ipasir, ipamir, ipasir+cadical, ipasir+enumerate, ipasir2, qbf, wcnf, cnf), got "smt"`},
	{"ipafuzz 1 IPAMIR\n", "1:11: want a model (" + apimodel.Names() + `), got "IPAMIR"`},
	{"ipafuzz 1 ipamir now\n", `1:18: want the end of the line, got "now"`},
	{"ipafuzz 3 ipamir\n", `1:9: want format version 1 or 2, got "3": the trace is of a newer ipafuzz`},
	{"ipafuzz 01 ipamir\n", `1:9: want format version 1 or 2, got "01"`},
	{"ipafuzz ipamir\n", `1:9: want format version 1 or 2, got "ipamir"`},
	{"p cnf 3 2\n1 2 0\n",
		`1:1: want ipafuzz 2 MODEL as the first line, got "p cnf 3 2": this looks like DIMACS CNF, not like a trace`},
	{"p wcnf 3 2 9\n",
		`1:1: want ipafuzz 2 MODEL as the first line, got "p wcnf 3 2 9": this looks like a WCNF file, not like a trace`},
	{"p inccnf\n", `1:1: want ipafuzz 2 MODEL as the first line, got "p inccnf": this looks like iCNF, not like a trace`},
	{"c hello\n",
		`1:1: want ipafuzz 2 MODEL as the first line, got "c hello": this looks like a DIMACS file, not like a trace`},
	{"c\np cnf 1 1\n",
		`1:1: want ipafuzz 2 MODEL as the first line, got "c": this looks like a DIMACS file, not like a trace`},
	{"h 1 2 0\n",
		`1:1: want ipafuzz 2 MODEL as the first line, got "h 1 2 0": this looks like a WCNF file, not like a trace`},
	{"\x28\xb5\x2f\xfd\x00",
		`1:1: want ipafuzz 2 MODEL as the first line, got "(\xb5/\xfd\x00": this looks like zstd, not like a trace`},
	{"\x1f\x8b\x08",
		`1:1: want ipafuzz 2 MODEL as the first line, got "\x1f\x8b\b": this looks like gzip, not like a trace`},
	{"\ufeffipafuzz 1 ipamir\n",
		`1:1: want ipafuzz 2 MODEL as the first line, got "\ufeffipafuzz 1 ipamir": this looks like a text with a byte ` +
			`order mark, not like a trace`},

	// Calls and instances.
	{ipamir + "frobnicate 3\n",
		`2:1: want a call of ipamir (init, release, signature, option, havoc, hard, soft, assume, solve, obj, val, model, ` +
			`terminate, proof), got "frobnicate"`},
	{ipamir + "\n  add 3 0\n",
		`3:3: want a call of ipamir (init, release, signature, option, havoc, hard, soft, assume, solve, obj, val, model, ` +
			`terminate, proof), got "add", which is a call of ipasir`},
	{ipasir + "@1 soft 3 1\n",
		`2:4: want a call of ipasir (init, release, signature, option, havoc, add, assume, solve, val, model, failed, ` +
			`core, terminate, learn, proof), got "soft", which is a call of ipamir and wcnf`},
	{ipamir + "\x00\xff\n",
		`2:1: want a call of ipamir (init, release, signature, option, havoc, hard, soft, assume, solve, obj, val, model, ` +
			`terminate, proof), got "\x00\xff"`},
	{ipamir + strings.Repeat("x", 100),
		`2:1: want a call of ipamir (init, release, signature, option, havoc, hard, soft, assume, solve, obj, val, model, ` +
			`terminate, proof), ` +
			`got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"... (100 bytes)`},
	{ipamir + "@1", `2:3: want a call, got the end of the file`},
	{ipamir + "@1 # solve\n", `2:4: want a call, got the end of the line`},
	{ipamir + "@ 1 solve\n", `2:1: want @ and an instance from 0 to 65535, got "@"`},
	{ipamir + "@65536 solve\n", `2:1: want @ and an instance from 0 to 65535, got "@65536"`},
	{ipamir + "@-1 solve\n", `2:1: want @ and an instance from 0 to 65535, got "@-1"`},
	{ipamir + "@01 solve\n", `2:1: want @ and an instance from 0 to 65535, got "@01"`},
	{ipamir + "@1 @2 solve\n",
		`2:4: want a call of ipamir (init, release, signature, option, havoc, hard, soft, assume, solve, obj, val, model, ` +
			`terminate, proof), got "@2"`},

	// Clauses.
	{ipamir + "hard\n", `2:5: want a literal, or 0 for the empty clause, got the end of the line`},
	{ipamir + "hard = -\n", `2:6: want a literal, or 0 for the empty clause, got "="`},
	{ipamir + "hard 1 x 0\n", `2:8: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "x"`},
	{"ipafuzz 2 qbf\nexists 1 0 2 0\n", `2:12: want = or want or the end of the line (0 ends the block; nothing may ` +
		`follow it), got "2"`},
	{ipamir + "hard 1 0 2 0\n", `2:10: want = or the end of the line (0 ends the clause; nothing may follow it), got "2"`},
	{ipamir + "hard 1 2147483648 0\n",
		`2:8: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "2147483648"`},
	{ipamir + "hard 1 -2147483648 0\n",
		`2:8: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "-2147483648"`},
	{ipamir + "hard 18446744073709551617 0\n",
		`2:6: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "18446744073709551617"`},
	{ipamir + "hard +1 0\n",
		`2:6: want a literal from -2147483647 to 2147483647, or 0 to end the clause (without + or leading zeros), got "+1"`},
	{ipamir + "hard 1 -0\n",
		`2:8: want a literal from -2147483647 to 2147483647, or 0 to end the clause (without + or leading zeros), got "-0"`},
	{ipamir + "hard 1 00\n",
		`2:8: want a literal from -2147483647 to 2147483647, or 0 to end the clause (without + or leading zeros), got "00"`},
	{ipamir + "hard 1 0#\n", `2:8: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "0#"`},
	{ipamir + "hard 1 - 0\n", `2:8: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "-"`},
	{ipamir + "hard 1\r 0\n", `2:6: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "1\r"`},
	{ipamir + "hard 1\v0\n", `2:6: want a literal from -2147483647 to 2147483647, or 0 to end the clause, got "1\v0"`},

	// Other arguments.
	{ipamir + "assume\n", `2:7: want a literal from -2147483647 to 2147483647, not 0, got the end of the line`},
	{ipamir + "assume 0\n", `2:8: want a literal from -2147483647 to 2147483647, not 0, got "0"`},
	{ipamir + "assume 1 2\n", `2:10: want = or the end of the line, got "2"`},
	{ipamir + "soft 1\n", `2:7: want a weight from 0 to 18446744073709551615, got the end of the line`},
	{ipamir + "soft 1 -1\n", `2:8: want a weight from 0 to 18446744073709551615, got "-1"`},
	{ipamir + "soft 1 18446744073709551616\n",
		`2:8: want a weight from 0 to 18446744073709551615, got "18446744073709551616"`},
	{ipamir + "soft 1 99999999999999999999\n",
		`2:8: want a weight from 0 to 18446744073709551615, got "99999999999999999999"`},
	{ipamir + "soft 1 184467440737095516150\n",
		`2:8: want a weight from 0 to 18446744073709551615, got "184467440737095516150"`},
	{ipamir + "soft 1 007\n", `2:8: want a weight from 0 to 18446744073709551615 (without + or leading zeros), got "007"`},
	{ipamir + "soft 1 2.5\n", `2:8: want a weight from 0 to 18446744073709551615, got "2.5"`},
	{ipamir + "havoc 0x12\n", `2:7: want a number from 0 to 18446744073709551615, got "0x12"`},
	{ipamir + "terminate\n", `2:10: want off or a count from 0 to 4294967295, got the end of the line`},
	{ipamir + "terminate on\n", `2:11: want off or a count from 0 to 4294967295, got "on"`},
	{ipamir + "terminate 4294967296\n", `2:11: want off or a count from 0 to 4294967295, got "4294967296"`},
	{ipasir + "learn 2147483648\n", `2:7: want off or a count from 0 to 2147483647, got "2147483648"`},
	{ipamir + "terminate off 3\n", `2:15: want = or the end of the line, got "3"`},
	{ipamir + "solve=30\n",
		`2:1: want a call of ipamir (init, release, signature, option, havoc, hard, soft, assume, solve, obj, val, model, ` +
			`terminate, proof), got "solve=30"`},
	{ipamir + "solve =30\n", `2:7: want = or the end of the line, got "=30"`},
	{ipamir + "option\n",
		`2:7: want an option name (1 to 256 bytes without blanks, control characters, '=' and '#'), got the end of the line`},
	{ipamir + "option a=b c\n",
		`2:8: want an option name (1 to 256 bytes without blanks, control characters, '=' and '#'), got "a=b"`},
	{ipamir + "option a\n",
		`2:9: want an option value (1 to 256 bytes without blanks, control characters and '#', not beginning with '='), ` +
			`got the end of the line`},
	{ipamir + "option a = 0\n",
		`2:10: want an option value (1 to 256 bytes without blanks, control characters and '#', not beginning with '='), ` +
			`got "="`},
	{ipamir + "option a b\x00c\n",
		`2:10: want an option value (1 to 256 bytes without blanks, control characters and '#', not beginning with '='), ` +
			`got "b\x00c"`},
	{ipamir + "option a b#c\n",
		`2:10: want an option value (1 to 256 bytes without blanks, control characters and '#', not beginning with '='), ` +
			`got "b#c"`},
	{ipamir + "option a " + strings.Repeat("b", 257) + "\n",
		`2:10: want an option value (1 to 256 bytes without blanks, control characters and '#', not beginning with '='), ` +
			`` +
			`got "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"... (257 bytes)`},

	// Expectations.
	{ipamir + "hard 1 0 = 3\n", `2:12: want - (withheld) or ? (not supported): hard has no answer, got "3"`},
	{ipamir + "hard 1 0 =\n", `2:11: want - (withheld) or ? (not supported): hard has no answer, got the end of the line`},
	{ipamir + "hard 1 0 = - 3\n", `2:14: want the end of the line, got "3"`},
	{ipamir + "solve =\n", `2:8: want an answer from -2147483648 to 2147483647, - or ?, got the end of the line`},
	{ipamir + "solve = 30 30\n", `2:12: want the end of the line, got "30"`},
	{ipamir + "solve = 2147483648\n", `2:9: want an answer from -2147483648 to 2147483647, - or ?, got "2147483648"`},
	{ipamir + "solve = -2147483649\n", `2:9: want an answer from -2147483648 to 2147483647, - or ?, got "-2147483649"`},
	{ipamir + "solve = 030\n",
		`2:9: want an answer from -2147483648 to 2147483647, - or ? (without + or leading zeros), got "030"`},
	{ipamir + "solve = sat\n", `2:9: want an answer from -2147483648 to 2147483647, - or ?, got "sat"`},
	{ipamir + "solve = 30\nobj = -1\n", `3:7: want an answer from 0 to 18446744073709551615, - or ?, got "-1"`},
	{ipamir + "solve = 30\nmodel = 1 0\n",
		`3:11: want a literal from -2147483647 to 2147483647, not 0, or ! at the end, got "0"`},
	{ipamir + "solve = 30\nmodel = 1 ! 2\n", `3:13: want the end of the line, got "2"`},
	{ipamir + "solve = 30\nmodel = ?\nmodel = - -\n", `4:11: want the end of the line, got "-"`},
	{ipamir + "signature = text\n", `2:13: want a text in quotes ("..."), - or ?, got "text"`},
	{ipamir + "signature =\n", `2:12: want a text in quotes ("..."), - or ?, got the end of the line`},
	{ipamir + "signature = \"text\n", `2:18: want " at the end of the text, got the end of the line`},
	{ipamir + `signature = "a\n"`, `2:15: want \", \\ or \x and two of 0-9a-f, got "\\n\""`},
	{ipamir + `signature = "a\xfG"`, `2:15: want \", \\ or \x and two of 0-9a-f, got "\\xfG"`},
	{ipamir + `signature = "a\`, `2:15: want \", \\ or \x and two of 0-9a-f, got "\\"`},
	{ipamir + "signature = \"a\x01\"\n", `2:15: want a printable character or \x and two of 0-9a-f, got "\x01"`},
	{ipamir + "signature = \"a\"b\n", `2:16: want a blank or the end of the line, got "b"`},
	{ipamir + "signature = \"a\" b\n", `2:17: want the end of the line, got "b"`},

	// Recorded and expected answers.
	{ipamir + "solve want 30\n", `2:7: want = or the end of the line in version 1 ("want" needs version 2: write ` +
		`"ipafuzz 2 ipamir" in the first line), got "want"`},
	{ipamir + "solve = 30, want 20\n", `2:9: want an answer from -2147483648 to 2147483647, - or ?, got "30,"`},
	{newer + "solve = 30 want 20\n", `2:12: want the end of the line, got "want"`},
	{newer + "solve = 30,\n", `2:12: want want after the comma, got the end of the line`},
	{newer + "solve = 30, 20\n", `2:13: want want after the comma, got "20"`},
	{newer + "solve = , want 20\n",
		`2:9: want an answer from -2147483648 to 2147483647, - or ?, got the end of the line`},
	{newer + "solve want 30,\n", `2:12: want an answer from -2147483648 to 2147483647, - or ?, got "30,"`},
	{newer + "solve want 30 = 20\n", `2:15: want the end of the line, got "="`},
	{newer + "solve want 77\n", `2:12: want an answer that solve gives (0, 10, 20, 30, 40), got "77"`},
	{newer + "hard 1 want - 0\n", `2:15: want the end of the line, got "0"`},
	{newer + "solve want 20\nmodel\n",
		`3:1: want a call that is legal in state UNSAT, got model: it needs SAT or OPTIMAL`},

	// Legality.
	{ipamir + "val 1\n", `2:1: want a call that is legal in state START, got val: it needs SAT or OPTIMAL`},
	{ipamir + "hard 1 0\nobj\n", `3:1: want a call that is legal in state INPUT, got obj: it needs SAT or OPTIMAL`},
	{ipamir + "solve = 20\n@0 val 3\n", `3:4: want a call that is legal in state UNSAT, got val: it needs SAT or OPTIMAL`},
	{ipamir + "solve = 40\nsolve\n",
		`3:1: want a call that is legal in state ERROR, got solve: it needs START or INPUT or SAT or UNSAT or OPTIMAL`},
	{ipasir + "solve = 10\ncore = 3\n", `3:1: want a call that is legal in state SAT, got core: it needs UNSAT`},
	{ipasir + "add 1\nsolve\n",
		`3:1: want a call that is legal in state CLAUSE, got solve: it needs START or INPUT or SAT or UNSAT`},
	{ipasir + "init\ninit\n", `3:1: want a call that is legal in state START, got init: it needs NONE`},
	{ipasir + "release\nadd 1 0\n",
		`3:1: want a call that is legal in state NONE, got add: it needs START or INPUT or CLAUSE or SAT or UNSAT`},
	{ipasir + "solve\n@1 val 3\n", `3:4: want a call that is legal in state START, got val: it needs SAT`},
	{ipasir + "solve = 77\n", `2:9: want an answer that solve gives (0, 10, 20), got "77"`},
	{ipasir + "solve = 30\n", `2:9: want an answer that solve gives (0, 10, 20), got "30"`},
	{ipamir + "@3   solve =   77\n", `2:16: want an answer that solve gives (0, 10, 20, 30, 40), got "77"`},
	{ipamir + "solve = 20\nsolve = ?\nval 1\n",
		`4:1: want a call that is legal in state UNSAT, got val: it needs SAT or OPTIMAL`},
	// A call must be legal even if the trace expects that it is withheld.
	{ipamir + "val 1 = -\n", `2:1: want a call that is legal in state START, got val: it needs SAT or OPTIMAL`},
}

const (
	ipamir = "ipafuzz 1 ipamir\n"
	ipasir = "ipafuzz 1 ipasir\n"
	newer  = "ipafuzz 2 ipamir\n"
)

func TestParseErrors(t *testing.T) {
	for _, c := range wrong {
		tr, err := Parse(strings.NewReader(c.text), "dir/x.trace")
		if err == nil {
			t.Errorf("%q is accepted", c.text)
			continue
		}
		if want := "dir/x.trace:" + c.want; err.Error() != want {
			t.Errorf("%q:\nwant %s\n got %s", c.text, want, err)
		}
		var parse *ParseError
		if !errors.As(err, &parse) || tr != nil {
			t.Errorf("%q: want a *ParseError and no trace, got %T and %v", c.text, err, tr)
		}
		if _, again := ParseString(c.text); again == nil || again.Error() != "trace:"+c.want {
			t.Errorf("%q: ParseString says %v", c.text, again)
		}
	}
}

func TestIllegalCallIsWrapped(t *testing.T) {
	_, err := ParseString(ipamir + "solve = 20\nval 3\n")
	var illegal *apimodel.IllegalCall
	if !errors.As(err, &illegal) || illegal.Met != apimodel.Set(apimodel.Unsat) || illegal.Call.Op != apimodel.OpVal {
		t.Errorf("want an IllegalCall of val in UNSAT, got %v", err)
	}
}

// TestParseSyntaxDoesNotLookAtLegality: ParseSyntax refuses errors of syntax and accepts illegal calls.
func TestParseSyntaxDoesNotLookAtLegality(t *testing.T) {
	for _, c := range wrong {
		_, err := ParseSyntax(strings.NewReader(c.text), "x")
		legality := strings.Contains(c.want, "legal in state") || strings.Contains(c.want, "that solve gives")
		if (err == nil) != legality {
			t.Errorf("ParseSyntax(%q): %v", c.text, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		max  uint64
		want uint64
		ok   bool
	}{
		{"0", 0, 0, true}, {"1", 0, 0, false}, {"10", 10, 10, true}, {"11", 10, 0, false},
		{"18446744073709551615", 1<<64 - 1, 1<<64 - 1, true},
		{"18446744073709551616", 1<<64 - 1, 0, false},
		{"18446744073709551620", 1<<64 - 1, 0, false},
		{"27670116110564327424", 1<<64 - 1, 0, false}, // 1.5 * 2^64
		{"100000000000000000000", 1<<64 - 1, 0, false},
		{"", 9, 0, false}, {"-", 9, 0, false}, {"-1", 9, 0, false}, {"00", 9, 0, false}, {"/", 99, 0, false}, {":", 99, 0,
			false},
	} {
		if got, ok := ParseUnsigned([]byte(c.text), c.max); ok != c.ok || ok && got != c.want {
			t.Errorf("ParseUnsigned(%q, %d) = %d, %v", c.text, c.max, got, ok)
		}
	}
	for text, want := range map[string]int32{"0": 0, "-1": -1, "2147483647": 1<<31 - 1, "-2147483648": -1 << 31} {
		if got, ok := parseInt32([]byte(text)); !ok || got != want {
			t.Errorf("parseInt32(%q) = %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "--1", "-0", "01", "-01", "+1", "2147483648", "-2147483649", "4294967297",
		"9999999999", "99999999999", "1-"} {
		if got, ok := parseInt32([]byte(text)); ok {
			t.Errorf("parseInt32(%q) = %d", text, got)
		}
	}
}

// TestHalfWrittenFiles: Parse refuses a file that ends within a line, because it may be cut off and legal all the same.
// ParseString accepts such a text.
func TestHalfWrittenFiles(t *testing.T) {
	for text, place := range map[string]string{
		"ipafuzz 1 ipamir":     "1:17",
		ipamir + "hard 1 2":    "2:9",
		ipamir + "soft 1 12":   "2:10",
		ipamir + "solve\n# so": "3:5",
	} {
		want := "f:" + place + ": want the end of the line, got the end of the file: it ends in the middle of a line (is " +
			"it half-written?)"
		if _, err := Parse(strings.NewReader(text), "f"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if _, err := Parse(strings.NewReader(text+"\n"), "f"); err != nil {
			t.Errorf("%q and an end of the line: %v", text, err)
		}
		if _, err := ParseString(text); err != nil {
			t.Errorf("%q in memory: %v", text, err)
		}
	}
}
