package lrat

import (
	"math"
	"strings"
	"testing"
)

// All four clauses over x1 and x2: ids 1 to 4.
var square = []int32{1, 2, 0, 1, -2, 0, -1, 2, 0, -1, -2, 0}

func TestAccepts(t *testing.T) {
	for name, test := range map[string]struct {
		formula []int32
		proof   string
	}{
		"two steps":         {square, "5 1 0 1 2 0\n6 0 5 3 4 0\n"},
		"no last newline":   {square, "5 1 0 1 2 0\n6 0 5 3 4 0"},
		"space at the end":  {square, "5 1 0 1 2 0\n6 0 5 3 4 0\n\n \n"},
		"tabs and returns":  {square, "5\t1 0 1 2 0\r\n6 0 5  3 4 0 \r\n"},
		"gaps between ids":  {square, "70 1 0 1 2 0\n9000000000000000000 0 70 3 4 0\n"},
		"deletions":         {square, "5 1 0 1 2 0\n5 d 1 2 0\n6 2 0 5 3 0\n6 d 3 0\n7 0 5 6 4 0\n"},
		"nothing deleted":   {square, "5 1 0 1 2 0\n5 d 0\n6 0 5 3 4 0\n"},
		"empty clause":      {[]int32{1, 0, 0}, "3 0 2 0\n"},
		"units":             {[]int32{-5, 0, 5, 0}, "3 0 1 2 0\n"},
		"units, other way":  {[]int32{-5, 0, 5, 0}, "3 0 2 1 0\n"},
		"repeated literals": {[]int32{3, 3, 0, -3, -3, -3, 0}, "3 0 1 2 0\n"},
		"great variables":   {[]int32{2147483647, 0, -2147483647, 0}, "3 0 1 2 0\n"},
		"a new variable":    {square, "5 1 99 0 1 2 0\n6 1 0 1 2 0\n7 0 6 3 4 0\n"},
	} {
		if err := new(Checker).Check(test.formula, []byte(test.proof)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		formula []int32
		proof   string
		message string
	}{
		"nothing":         {square, "", "ends after line 0 without the empty clause"},
		"no empty clause": {square, "5 1 0 1 2 0\n", "ends after line 1 without the empty clause"},
		"wrong hint": {square, "5 1 0 1 3 0\n",
			"line 1: clause 5: hint 3 gives nothing: its literal -1 is true already"},
		"hint of two literals": {square, "5 0 1 2 0\n", "hint 1 gives nothing: both 1 and 2 are open"},
		"missing hint":         {square, "5 1 0 1 0\n", "the hints lead to no conflict"},
		"no hints":             {square, "5 0 0\n", "the hints lead to no conflict"},
		"repeated hint":        {square, "5 1 0 1 1 2 0\n", "hint 1 gives nothing: its literal 2 is true already"},
		"hint behind conflict": {square, "5 1 0 1 2 3 0\n", "hint 3 comes after the conflict"},
		"hints in another order": {square, "5 1 0 1 2 0\n6 0 3 5 4 0\n",
			"line 2: clause 6: hint 3 gives nothing: both -1 and 2 are open"},
		"unknown hint":          {square, "5 1 0 1 7 0\n", "there is no clause 7"},
		"itself as a hint":      {square, "5 0 5 0\n", "there is no clause 5"},
		"a later one as a hint": {square, "5 0 6 0\n6 1 0 1 2 0\n", "there is no clause 6"},
		"in a gap":              {square, "9 1 0 1 2 0\n12 0 8 3 4 0\n", "there is no clause 8"},
		"deleted hint":          {square, "5 1 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n", "clause 3 was deleted"},
		"deleted lemma":         {square, "5 1 0 1 2 0\n5 d 5 0\n6 0 5 3 4 0\n", "clause 5 was deleted"},
		"deleted twice":         {square, "5 d 3 3 0\n", "line 1: delete: clause 3 was deleted"},
		"unknown deletion":      {square, "5 d 5 0\n", "delete: there is no clause 5"},
		"negative deletion":     {square, "5 d -3 0\n", "delete: there is no clause -3"},
		"RAT":                   {square, "5 1 0 -1 2 0\n", "hint -1 is negative: RAT is not supported"},
		"id of the formula":     {square, "4 1 0 1 2 0\n", "clause 4: id is not above 4"},
		"id used before":        {square, "5 1 0 1 2 0\n5 0 5 3 4 0\n", "id is not above 5"},
		"id 0":                  {square, "0 1 0 1 2 0\n", "id is not above 4"},
		"both signs":            {square, "5 1 -1 0 1 2 0\n", "it has 1 and -1"},
		"literal twice":         {square, "5 1 1 0 1 2 0\n", "literal 1 occurs twice"},
		"great literal":         {square, "5 2147483648 0 1 2 0\n", "2147483648 is not a literal"},
		"great hint":            {square, "5 1 0 9223372036854775808 0\n", "a hint is too large"},
		"garbage":               {square, "hello\n", `the id expected, not "hello"`},
		"garbage in a number":   {square, "5 1x 0 1 2 0\n", `a literal expected, not "1x"`},
		"plus sign":             {square, "5 +1 0 1 2 0\n", `a literal expected, not "+1"`},
		"sign alone":            {square, "5 - 0 1 2 0\n", `a literal expected, not "-"`},
		"bytes":                 {square, "\x00\xff\n", "the id expected"},
		"cut in the literals":   {square, "5 1", "a literal expected, not the end of the proof"},
		"cut in the hints":      {square, "5 1 0 1 2\n", "a hint expected, not the end of the line"},
		"cut in a deletion":     {square, "5 d 1\n", "an id to delete expected, not the end of the line"},
		"two in a line":         {square, "5 1 0 1 2 0 6 0 5 3 4 0\n", "line 1: clause 5: text after the last 0"},
		"empty line":            {square, "5 1 0 1 2 0\n\n6 0 5 3 4 0\n", "the id expected, not the end of the line"},
		"behind the end":        {square, "5 1 0 1 2 0\n6 0 5 3 4 0\n7 1 0 5 0\n", "line 3: text after the empty clause"},
		"DRAT":                  {square, "1 0\n0\n", "id is not above 4"},
		"satisfiable formula":   {square[:9], "4 2 0 1 3 0\n5 1 0 1 2 0\n6 0 5 4 2 0\n", "gives nothing"},
		"empty formula":         {nil, "1 0 0\n", "the hints lead to no conflict"},
		"tautology as a hint":   {[]int32{1, -1, 0}, "2 0 1 0\n", "both 1 and -1 are open"},
		"open clause":           {square[:5], "3 0 1 0\n", "formula: the last clause does not end with a 0"},
		"no literal":            {[]int32{-2147483648, 0}, "2 0 1 0\n", "formula: -2147483648 is not a literal"},
	} {
		err := new(Checker).Check(test.formula, []byte(test.proof))
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: says %q, not %q", name, err, test.message)
		}
	}
}

// A checker keeps nothing of one proof for the next.
func TestCheckerIsReusable(t *testing.T) {
	var c Checker
	for range 3 {
		if err := c.Check(square, []byte("5 1 0 1 2 0\n5 d 1 0\n6 0 5 3 4 0\n")); err != nil {
			t.Error(err)
		}
		if c.Check(square, []byte("6 0 5 3 4 0\n")) == nil {
			t.Error("knows a clause of another proof")
		}
		if c.Check([]int32{-5, 0}, []byte("2 0 1 0\n")) == nil {
			t.Error("accepted nonsense")
		}
	}
	c.set.values.current = math.MaxUint32 // the count of clauses starts again
	for i := range c.set.values.dense {
		c.set.values.dense[i] = 1
	}
	if err := c.Check(square, []byte("5 1 0 1 2 0\n5 d 1 0\n6 0 5 3 4 0\n")); err != nil {
		t.Error(err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	formula := []int32{2147483647, -2147483646, 0}
	var c Checker
	if c.Check(formula, []byte("2147483648 -2147483645 0 1 0\n")) == nil {
		t.Error("accepted")
	}
	if len(c.set.values.dense) > 1000 {
		t.Errorf("%d places for a formula of three numbers", len(c.set.values.dense))
	}
}

// satisfiable tries all assignments of x1 to x4.
func satisfiable(formula []int32) bool {
	for assignment := range 16 {
		all, some := true, false
		for _, literal := range formula {
			switch {
			case literal == 0:
				all, some = all && some, false
			case literal > 0:
				some = some || assignment>>(literal-1)&1 == 1
			default:
				some = some || assignment>>(-literal-1)&1 == 0
			}
		}
		if all {
			return true
		}
	}
	return false
}

// FuzzCheck: Check accepts no proof of a satisfiable formula.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("\x01\x02\x00\x01\x06\x00\x05\x02\x00\x05\x06\x00"), []byte("5 1 0 1 2 0\n6 0 5 3 4 0\n"))
	f.Add([]byte("\x01\x00\x05\x00"), []byte("3 0 1 2 0\n"))
	f.Add([]byte("\x01\x02\x00\x05\x02\x00"), []byte("3 2 0 1 2 0\n3 d 1 0\n4 0 3 0\n"))
	f.Fuzz(func(t *testing.T, bytes, proof []byte) {
		var formula []int32
		for _, b := range bytes {
			switch literal := int32(b & 3); {
			case b&7 == 0 || b > 8:
				formula = append(formula, 0)
			case b&4 != 0:
				formula = append(formula, -literal-1)
			default:
				formula = append(formula, literal)
			}
		}
		formula = append(formula, 0)
		if new(Checker).Check(formula, proof) == nil && satisfiable(formula) {
			t.Errorf("accepted %q for %v", proof, formula)
		}
	})
}
