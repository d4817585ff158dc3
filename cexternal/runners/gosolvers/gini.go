package main

import (
	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

const giniHello = "model ipasir\nrepeatable\nsignature gini 1.0.4\nlacks options\nlacks terminate\nlacks learn\n" +
	"lacks havoc\n"

type giniSolver struct {
	g      *gini.Gini
	status int
}

func newGini() *giniSolver { return &giniSolver{g: gini.New()} }

func (s *giniSolver) add(clause []int) {
	for _, lit := range clause {
		s.g.Add(z.Dimacs2Lit(lit))
	}
	s.g.Add(z.LitNull)
}

func (s *giniSolver) solve(assumptions []int) int {
	for _, lit := range assumptions {
		s.g.Assume(z.Dimacs2Lit(lit))
	}
	switch s.g.Solve() {
	case 1:
		return 10
	case -1:
		return 20
	}
	return 0
}

func (s *giniSolver) value(variable int) int {
	lit := z.Dimacs2Lit(variable)
	switch {
	case lit.Var() > s.g.MaxVar():
		return 0
	case s.g.Value(lit):
		return 1
	}
	return -1
}

func (s *giniSolver) failed() (failed []int) {
	for _, lit := range s.g.Why(nil) {
		failed = append(failed, lit.Dimacs())
	}
	return failed
}

func (s *giniSolver) soft(int, uint64)  { panic("a soft literal in a SAT solver") }
func (s *giniSolver) objective() uint64 { panic("an objective in a SAT solver") }
