// Command gosolvers serves solvers that are written in Go to ipafuzz, through
// docs/protocol.md. It is a module of its own, so that ipafuzz builds without
// them, and a program of its own, so that their panics, exits and endless
// searches are the solver's and not ipafuzz's.
//
//	gosolvers gini | gophersat-maxsat | gophersat-pb | gophersat-wcnf
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// A solver gets the calls of IPASIR or IPAMIR. Its clauses and assumptions are those of the
// trace, with the solver's own variables.
type solver interface {
	add(clause []int)
	soft(literal int, weight uint64)
	solve(assumptions []int) (status int)
	value(variable int) int // 1, -1, or 0 for none
	objective() uint64
	failed() []int
}

// An engine is what the command line names.
type engine struct {
	hello string // its description without the first and the last line
	fresh func() solver
}

var engines = map[string]engine{
	"gini":             {giniHello, func() solver { return newGini() }},
	"gophersat-maxsat": {gophersatHello, func() solver { return &gophersat{optimise: byProblem} }},
	"gophersat-pb": {gophersatHello + "policy soft-unused=rejected\n", func() solver {
		return &gophersat{optimise: byCostFunction}
	}},
	"gophersat-wcnf": {gophersatHello + "max-sum 9223372036854775806\n", func() solver {
		return &gophersat{optimise: byFile}
	}},
}

func main() {
	if len(os.Args) == 2 {
		if e, known := engines[os.Args[1]]; known {
			if err := serve(e, os.Stdin, answersOnly()); err != nil {
				fmt.Fprintln(os.Stderr, "gosolvers:", err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: gosolvers gini | gophersat-maxsat | gophersat-pb | gophersat-wcnf")
	os.Exit(2)
}

// answersOnly returns stdout for answers and redirects descriptor 1, to which solvers
// print, to stderr.
func answersOnly() *os.File {
	fd, err := syscall.Dup(1)
	if err == nil {
		err = syscall.Dup3(2, 1, 0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosolvers: cannot keep stdout for the answers:", err)
		os.Exit(1)
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "answers")
}

func serve(e engine, in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintf(answers, "ipafuzz-runner 1\n%sready\n", e.hello)
	t := &traceRun{engine: e}
	for {
		if lines.Buffered() == 0 {
			if err := answers.Flush(); err != nil {
				return err
			}
		}
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		answers.WriteString(t.answer(strings.Fields(line)) + "\n")
	}
}

// A traceRun is the trace in progress.
type traceRun struct {
	engine  engine
	solvers map[string]*instance
	threw   bool
}

// An instance is a solver, and the calls that it has not received yet.
type instance struct {
	solver
	numbering
	open, pending []int
}

func (t *traceRun) answer(words []string) (answer string) {
	switch {
	case len(words) == 0:
		return "= ?"
	case words[0] == "ipafuzz":
		t.solvers, t.threw = make(map[string]*instance), false
		return "="
	case words[0] == "end":
		return "end"
	case t.threw:
		return "= ?"
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			_, stack, _ := strings.Cut(string(debug.Stack()), "\npanic(")
			_, stack, _ = strings.Cut(stack, "\n") // the place of the panic itself
			_, stack, _ = strings.Cut(stack, "\n")
			endIfOurs(thrown, stack)
			t.threw = true
			answer = "threw " + strconv.QuoteToASCII(fmt.Sprintf("panic: %v\n\n%.4000s", thrown, stack))
		}
	}()
	name := ""
	if words[0][0] == '@' && len(words) > 1 {
		name, words = words[0], words[1:]
	}
	return strings.TrimRight("= "+t.call(name, words[0], words[1:]), " ")
}

func (t *traceRun) call(name, call string, args []string) string {
	s := t.solvers[name]
	if s == nil && call != "init" {
		return "?"
	}
	switch call {
	case "init":
		t.solvers[name] = &instance{solver: t.engine.fresh()}
	case "release":
		delete(t.solvers, name)
	case "add", "hard":
		for _, lit := range s.literals(args) {
			if lit != 0 {
				s.open = append(s.open, lit)
				continue
			}
			s.add(s.open)
			s.open = nil
		}
	case "soft":
		s.soft(s.literals(args[:1])[0], must(strconv.ParseUint(args[1], 10, 64)))
	case "assume":
		s.pending = append(s.pending, s.literals(args)...)
	case "solve":
		assumptions := s.pending
		s.pending = nil
		return strconv.Itoa(s.solve(assumptions))
	case "val":
		lit := must(strconv.Atoi(args[0]))
		value := s.valueOf(max(lit, -lit))
		if value == 0 {
			return "0"
		}
		if (value > 0) != (lit > 0) {
			lit = -lit
		}
		return strconv.Itoa(lit)
	case "model":
		var b strings.Builder
		for _, v := range s.named {
			if value := s.valueOf(v); value != 0 {
				fmt.Fprintf(&b, "%d ", v*value)
			}
		}
		return b.String()
	case "obj":
		return strconv.FormatUint(s.objective(), 10)
	case "failed":
		lit := must(strconv.Atoi(args[0]))
		for _, failed := range s.failed() {
			if s.outer(failed) == lit {
				return "1"
			}
		}
		return "0"
	case "core":
		var b strings.Builder
		for _, failed := range s.failed() {
			fmt.Fprintf(&b, "%d ", s.outer(failed))
		}
		return b.String()
	default:
		return "?"
	}
	return ""
}

func (s *instance) valueOf(variable int) int {
	inner, known := s.known[variable]
	if !known {
		return 0
	}
	return s.value(inner)
}

// A numbering maps variables to the solver's. Those up to mostAsTheyAre keep their numbers; the
// others get the next free ones, because the solver's tables are as long as the highest.
type numbering struct {
	named []int // of the trace, in order of their first use
	known map[int]int
	back  map[int]int
	moved int
}

const mostAsTheyAre = 5000

func (n *numbering) literals(args []string) []int {
	if n.known == nil {
		n.known, n.back = make(map[int]int), make(map[int]int)
	}
	lits := make([]int, len(args))
	for i, arg := range args {
		lit := must(strconv.Atoi(arg))
		v := max(lit, -lit)
		if v == 0 {
			continue
		}
		inner, known := n.known[v]
		if !known {
			if inner = v; v > mostAsTheyAre {
				n.moved++
				inner = mostAsTheyAre + n.moved
			}
			n.known[v], n.back[inner] = inner, v
			n.named = append(n.named, v)
		}
		if lits[i] = inner; lit < 0 {
			lits[i] = -inner
		}
	}
	return lits
}

// outer is the literal as the trace knows it.
func (n *numbering) outer(lit int) int {
	if lit < 0 {
		return -n.back[-lit]
	}
	return n.back[lit]
}
