// Package idrup checks proofs of incremental solving, IDRUP and LIDRUP. The lines of IDRUP are
//
//	i LITERALS 0   a clause of the client
//	q LITERALS 0   a query under assumptions
//	l LITERALS 0   a lemma: it follows by unit propagation
//	d LITERALS 0   deletes a clause
//	w LITERALS 0   weakens: sets a clause aside
//	r LITERALS 0   restores a clause that was set aside
//	s STATUS       SATISFIABLE, UNSATISFIABLE or UNKNOWN: answers the query
//	m LITERALS 0   the model, after SATISFIABLE
//	u LITERALS 0   the failed assumptions, after UNSATISFIABLE
//	e LITERALS 0   what is known, after UNKNOWN
//
// A model must satisfy all clauses of the client, including those that are deleted or set aside. A core must lead
// to a conflict. In LIDRUP, lines i and l begin with the id of their clause, lines l and u end with hints, and
// lines d, w and r have ids. A line without a letter is an i line or, after a query, an l line.
package idrup

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// Options say how to check.
type Options struct {
	Linear bool // LIDRUP
	Binary bool
	// Events are what client and solver said. If HasEvents is set, the proof must agree with them.
	Events    []Event
	HasEvents bool
}

// A Result says what Check has checked.
type Result struct {
	Steps     int64
	Inputs    int64
	Lemmas    int64
	Deletions int64
	Models    int64
	Cores     int64
}

// logic does what differs between IDRUP and LIDRUP: it keeps the clauses and checks what follows from them.
type logic interface {
	input(c *checker) error
	lemma(c *checker) error
	remove(c *checker, letter byte) error // d, w or r
	core(c *checker) error                // reads its line, too
	close()
}

type state string

const (
	idle    state = "outside of a query"
	asked   state = "in a query"
	isSat   state = "where the model should be"
	isUnsat state = "where the core should be"
)

type checker struct {
	Result
	reader *read.Reader
	logic
	script
	state    state
	lits     []int32
	query    []int32
	inputs   []int32 // all clauses of the client, each with a 0
	trueLits map[int32]bool
	// isInconsistent says that there is an empty clause, from which everything follows.
	isInconsistent bool
}

// Check returns nil if the proof is valid, and a *read.Rejection if it is not. Other errors say nothing about the
// proof.
func Check(proof io.Reader, options Options) (Result, error) {
	c := &checker{reader: read.New(proof, options.Binary), state: idle, logic: newClausal(),
		script: script{events: options.Events, isSet: options.HasEvents}}
	if options.Linear {
		c.logic = newLinear()
	}
	defer c.logic.close()
	for c.reader.Next() {
		c.Steps++
		err := c.step()
		if errors.Is(err, read.ErrUnsupported) {
			return c.Result, fmt.Errorf("proof line %d: %w", c.reader.Line(), err)
		}
		if err != nil {
			return c.Result, c.reader.At(err)
		}
	}
	if err := c.reader.Err(); err != nil {
		return c.Result, err
	}
	if c.state != idle {
		return c.Result, c.reader.At(read.Errorf(read.Truncated, "the proof ends %s", c.state))
	}
	if err := c.script.end(); err != nil {
		return c.Result, c.reader.At(err)
	}
	return c.Result, nil
}

func (c *checker) step() error {
	letter := c.reader.Letter()
	switch {
	case letter != 0 || c.reader.Binary():
	case c.state == idle:
		letter = 'i'
	default:
		letter = 'l'
	}
	isIn := c.state == idle || c.state == asked
	switch letter {
	case 'p':
		return c.head()
	case 'i', 'l', 'd', 'w', 'r':
		if !isIn {
			return notExpected(letter, string(c.state))
		}
	case 'q':
		if c.state != idle {
			return notExpected(letter, string(c.state))
		}
	case 's':
		if c.state != asked {
			return notExpected(letter, string(c.state))
		}
		return c.status()
	case 'm':
		if c.state != isSat {
			return notExpected(letter, string(c.state))
		}
	case 'u':
		if c.state != isUnsat {
			return notExpected(letter, string(c.state))
		}
		c.Cores++
		c.state = idle
		if err := c.logic.core(c); err != nil {
			return err
		}
		return c.reader.EndLine()
	case 'e':
		if c.state != idle {
			return notExpected(letter, string(c.state))
		}
	case 'U':
		return fmt.Errorf("%w: it has a conclusion for a constraint", read.ErrUnsupported)
	default:
		return c.reader.Unexpected("one of i, l, d, w, r, q, s, m, u and e", letter)
	}
	if err := c.clauseStep(letter); err != nil {
		return err
	}
	return c.reader.EndLine()
}

func (c *checker) clauseStep(letter byte) (err error) {
	switch letter {
	case 'i':
		c.Inputs++
		if err := c.logic.input(c); err != nil {
			return err
		}
		c.inputs = append(append(c.inputs, c.lits...), 0)
		c.isInconsistent = c.isInconsistent || len(c.lits) == 0
		return c.expect(Input, c.lits)
	case 'l':
		c.Lemmas++
		err := c.logic.lemma(c)
		c.isInconsistent = c.isInconsistent || len(c.lits) == 0
		return err
	case 'd', 'w', 'r':
		c.Deletions++
		return c.logic.remove(c, letter)
	}
	if c.lits, err = c.reader.Literals(c.lits[:0]); err != nil {
		return err
	}
	switch letter {
	case 'q':
		c.state = asked
		c.query = append(c.query[:0], c.lits...)
		return c.expect(Query, c.lits)
	case 'm':
		c.state = idle
		c.Models++
		return c.model()
	}
	return nil
}

func (c *checker) head() error {
	if slices.ContainsFunc([]string{"icnf", "idrup", "lidrup"}, c.reader.Word) {
		return c.reader.EndLine()
	}
	return errors.New("the line p names neither idrup nor lidrup")
}

func (c *checker) status() error {
	for _, s := range []struct {
		word   string
		status int32
		state  state
	}{{"UNSATISFIABLE", 20, isUnsat}, {"SATISFIABLE", 10, isSat}, {"UNKNOWN", 0, idle}} {
		if c.reader.Word(s.word) {
			c.state = s.state
			if err := c.expect(Status, []int32{s.status}); err != nil {
				return err
			}
			return c.reader.EndLine()
		}
	}
	return errors.New("the line s has none of SATISFIABLE, UNSATISFIABLE and UNKNOWN")
}
