package proof

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// A Format is a language of proofs, in text or in binary.
type Format struct {
	Name   string // drat, lrat, frat, idrup, lidrup or veripb
	Binary bool
}

// Names returns the names of the formats for proofs about clauses. They do not include veripb, whose
// proofs are about constraints.
func Names() []string { return []string{"drat", "lrat", "frat", "idrup", "lidrup"} }

// String returns the name, with -binary for a binary format.
func (f Format) String() string {
	if f.Binary {
		return f.Name + "-binary"
	}
	return f.Name
}

// IsAboutCosts reports whether the format is one for CheckCost.
func (f Format) IsAboutCosts() bool { return f.Name == "veripb" }

// IsIncremental reports whether the format is one for CheckScript.
func (f Format) IsIncremental() bool { return f.Name == "idrup" || f.Name == "lidrup" }

// ParseFormat is the inverse of String. It reads drup as drat, which includes it.
func ParseFormat(name string) (Format, error) {
	f := Format{}
	f.Name, f.Binary = strings.CutSuffix(name, "-binary")
	if f.Name == "drup" {
		f.Name = "drat"
	}
	if slices.Contains(Names(), f.Name) || name == "veripb" {
		return f, nil
	}
	return f, fmt.Errorf("%q is not a format of proofs: there are %s, each also with -binary, and veripb",
		name, strings.Join(Names(), ", "))
}

var errUnknown = errors.New("the proof is in no known format: name one with --format")

// Detect returns the format of a proof that begins with start. Some 64 kB are enough. If start fits several formats,
// Detect returns the first of drat, lrat, frat, idrup and lidrup: LIDRUP without lemmas looks like IDRUP.
func Detect(start []byte) (Format, error) {
	if bytes.HasPrefix(start, []byte("pseudo-Boolean proof")) {
		return Format{Name: "veripb"}, nil
	}
	isBinary := IsBinary(start)
	if !isBinary {
		for _, name := range []string{"lidrup", "idrup"} {
			if bytes.Contains(start, []byte("p "+name+"\n")) {
				return Format{Name: name}, nil
			}
		}
	}
	best, longest := Format{}, int64(-1)
	for _, name := range Names() {
		if length := fits(start, name, isBinary); length > longest {
			best, longest = Format{name, isBinary}, length
		}
	}
	if longest <= 0 && len(start) > 0 {
		return Format{}, errUnknown
	}
	return best, nil
}

// IsBinary reports whether a proof with this start is binary.
func IsBinary(start []byte) bool {
	return bytes.ContainsFunc(start, func(r rune) bool {
		return (r < ' ' && r != '\n' && r != '\r' && r != '\t') || r > '~'
	})
}

// fits returns the first line (in binary, the first byte) of the start that is not in a format.
func fits(start []byte, name string, isBinary bool) int64 {
	r := read.New(bytes.NewReader(start), isBinary)
	for steps := 0; r.Next(); steps++ {
		err := skip(r, name)
		if err == nil {
			err = r.EndLine()
		}
		if err != nil {
			if steps == 0 {
				return 0
			}
			return r.Line()
		}
	}
	return math.MaxInt64
}

// shapes says what follows the letter of a step: n is a list of numbers that ends with 0, 1 is an id, s is a
// status. The letter - stands for a step without a letter.
var shapes = map[string]map[byte]string{
	"drat":   {'-': "n", 'd': "n"},
	"frat":   {'o': "1n", 'a': "1n", 'd': "1n", 'f': "1n", 'r': "n", 'l': "n"},
	"idrup":  {'i': "n", 'l': "n", 'd': "n", 'w': "n", 'r': "n", 'q': "n", 'm': "n", 'u': "n", 'e': "n", 's': "s"},
	"lidrup": {'i': "1n", 'l': "1nn", 'd': "n", 'w': "n", 'r': "n", 'q': "n", 'm': "n", 'u': "nn", 'e': "n", 's': "s"},
}

func skip(r *read.Reader, name string) error {
	shape := ""
	if name == "lrat" {
		if shape = "nn"; !r.Binary() {
			id, err := r.Number("an id")
			if err != nil || id < 0 {
				return errUnknown
			}
			if r.Has('d') { // a deletion has the id of the last lemma, 0 before the first
				shape = "n"
			} else if id == 0 {
				return errUnknown
			}
		} else if letter := r.Letter(); letter == 'a' {
			shape = "1nn"
		} else if shape = "n"; letter != 'd' {
			return errUnknown
		}
	} else {
		letter := r.Letter()
		if letter == 0 || name == "drat" && r.Binary() && letter == 'a' {
			letter = '-'
		} else if letter == '-' {
			return errUnknown
		}
		if shape = shapes[name][letter]; shape == "" {
			return errUnknown
		}
	}
	for _, part := range shape {
		if part == 's' {
			if !r.Word("SATISFIABLE") && !r.Word("UNSATISFIABLE") && !r.Word("UNKNOWN") {
				return errUnknown
			}
			continue
		}
		for isFirst := true; ; isFirst = false {
			n, err := number(r)
			if err != nil {
				return err
			}
			if n == 0 && !(part == '1' && isFirst) || part == '1' {
				break
			}
		}
	}
	if name == "frat" && r.Has('l') {
		return skipList(r)
	}
	return nil
}

func skipList(r *read.Reader) error {
	for {
		if n, err := number(r); err != nil || n == 0 {
			return err
		}
	}
}

// number reads a literal or an id. In binary, the two have the same form but different values.
func number(r *read.Reader) (int64, error) {
	if r.Binary() {
		n, err := r.Unsigned("a number")
		return int64(n), err
	}
	return r.Number("a number")
}
