package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A mutant is a version of CaDiCaL in which one place of one line is changed.
type mutant struct {
	File, Operator string
	Line           int // from 1
	Was, Is        string
}

func (m *mutant) id() string { return fmt.Sprintf("%s:%d %s", m.File, m.Line, m.Operator) }

// An operator changes a line in one way, the first place where its pattern matches.
type operator struct {
	name    string
	pattern *regexp.Regexp
	change  func(match []string) string
}

func swap(pairs ...string) func([]string) string {
	return func(match []string) string {
		for i := 0; i < len(pairs); i += 2 {
			if match[1] == pairs[i] {
				return strings.Replace(match[0], match[1], pairs[i+1], 1)
			}
		}
		panic("the pattern matches " + match[0])
	}
}

// CaDiCaL is formatted by a program: a space stands before every parenthesis and around every binary operator, and
// none in template arguments.
var operators = []operator{
	{"relation", regexp.MustCompile(` (<|<=|>|>=|==|!=) `), swap("<", "<=", "<=", "<", ">", ">=", ">=", ">", "==", "!=",
		"!=", "==")},
	{"connective", regexp.MustCompile(` (&&|\|\|) `), swap("&&", "||", "||", "&&")},
	{"condition", regexp.MustCompile(`^( *(?:else )?if )(\(.*\))( \{)?$`), func(match []string) string {
		return match[1] + "(!" + match[2] + ")" + match[3]
	}},
	{"sign", regexp.MustCompile(`\((-?)([a-z_]*lit|other|lhs|rhs|first|second)\)`), func(match []string) string {
		if match[1] == "" {
			return "(-" + match[2] + ")"
		}
		return "(" + match[2] + ")"
	}},
	{"truth", regexp.MustCompile(`\b(true|false);`), swap("true", "false", "false", "true")},
	{"off by one", regexp.MustCompile(` ([+-]) 1\b`), swap("+", "-", "-", "+")},
	{"deletion", regexp.MustCompile(`^( +)[a-z_][A-Za-z0-9_.\[\]>-]*(?: \(.*\)| [-+|&]?= .*|\+\+|--);$`),
		func(match []string) string { return match[1] + ";" }},
	{"jump", regexp.MustCompile(`^( +)(?:continue|break);$`), func(match []string) string { return match[1] + ";" }},
}

// Files in which a change breaks no answer, or breaks mobical itself, and lines that only check, count or report.
var (
	spared = []string{"cadical", "checker", "config", "contract", "drattracer", "file", "format", "frattracer",
		"idruptracer", "ipasir", "lidruptracer", "logging", "lratchecker", "lrattracer", "message", "mobical", "options",
		"parse", "profile", "report", "resources", "signal", "stats", "terminal", "testing", "util", "veripbtracer",
		"version"}
	inert = regexp.MustCompile(`^ *(//|/\*|\*|#|assert|LOG|VERBOSE|MSG|PHASE|START|STOP|TRACE|REQUIRE|require|report|` +
		`stats\.|print|message|error|warning|DEBUG|delete |using |namespace |template|return;|"|const char|ticks|case )`)
	wordy = regexp.MustCompile(`LOG|stats\.|printf|assert|ticks`)
)

// mutants lists all mutants of the sources in a directory, in an order that depends only on the sources.
func mutants(dir string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.cpp"))
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, path := range files {
		name := filepath.Base(path)
		if slices.Contains(spared, strings.TrimSuffix(name, ".cpp")) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, mutantsOf(name, strings.Split(string(text), "\n"))...)
	}
	draw := rand.New(rand.NewPCG(1, 0))
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

func mutantsOf(name string, lines []string) (all []mutant) {
	before := ""
	for i, line := range lines {
		for _, o := range operators {
			at := o.pattern.FindStringSubmatchIndex(line)
			if at == nil || inert.MatchString(line) || wordy.MatchString(line) ||
				strings.Contains(line[:at[0]], "//") || !whole(&o, before) {
				continue
			}
			match := o.pattern.FindStringSubmatch(line)
			all = append(all, mutant{File: name, Line: i + 1, Operator: o.name, Was: line,
				Is: line[:at[0]] + o.change(match) + line[at[1]:]})
		}
		if strings.TrimSpace(line) != "" {
			before = line
		}
	}
	return all
}

// whole reports whether a statement begins after the line before, for operators that drop statements.
func whole(o *operator, before string) bool {
	if o.name != "deletion" && o.name != "jump" {
		return true
	}
	before = strings.TrimRight(before, " ")
	return strings.HasSuffix(before, ";") || strings.HasSuffix(before, "{") || strings.HasSuffix(before, "}") ||
		strings.HasSuffix(before, ")") || strings.HasSuffix(before, "else") || strings.HasSuffix(before, ":")
}

// write writes the mutated source file.
func (m *mutant) write(from, path string) error {
	text, err := os.ReadFile(filepath.Join(from, m.File))
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	if m.Line > len(lines) || lines[m.Line-1] != m.Was {
		return fmt.Errorf("%s: line %d is not %q", m.File, m.Line, m.Was)
	}
	lines[m.Line-1] = m.Is
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644)
}
