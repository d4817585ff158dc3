package export

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/trace"
)

var (
	//go:embed text/checks.c
	checksText string
	//go:embed text/mains.c
	mainsText string
)

// A piece is a part of the embedded texts. A program contains the piece if it uses the name.
type piece struct{ name, text string }

func pieces() []piece {
	var list []piece
	for _, text := range []string{checksText, mainsText} {
		for _, part := range strings.Split(text, "\n// ")[1:] {
			name, text, _ := strings.Cut(part, "\n")
			list = append(list, piece{name, strings.TrimRight(text, "\n") + "\n"})
		}
	}
	return list
}

// triggers holds the texts that need a piece, for pieces that are not just a function.
var triggers = map[string][]string{
	"faults":     {"faults"},
	"answer":     {"struct answer "},
	"outcome":    {"struct outcome "},
	"problem":    {"struct problem "},
	"game":       {"struct game "},
	"assignment": {"assign (", "assignment"},
	"stopper":    {"struct stopper "},
	"says_stop":  {"says_stop)"},
	"listener":   {"struct listener "},
}

// piecesFor returns the pieces that the text needs, and those that these pieces need.
func piecesFor(text string) string {
	list := pieces()
	taken := make([]bool, len(list))
	for more := true; more; {
		more = false
		for i, piece := range list {
			needs := triggers[piece.name]
			if needs == nil {
				needs = []string{piece.name + " ("}
			}
			for _, need := range needs {
				if !taken[i] && strings.Contains(text, need) {
					taken[i], more = true, true
					text += piece.text
				}
			}
		}
	}
	var all strings.Builder
	for i, piece := range list {
		if taken[i] {
			all.WriteString(piece.text + "\n")
		}
	}
	return all.String()
}

func pieceNamed(name string) string {
	for _, piece := range pieces() {
		if piece.name == name {
			return piece.text
		}
	}
	panic("export: there is no piece " + name)
}

// problem writes the tables of the problem of a solve, and returns the name of the problem.
func (p *cProgram) problem(v *solve) string {
	name := fmt.Sprintf("p%d", v.call+1)
	if p.written[name] {
		return name
	}
	p.written[name] = true
	p.written[v.solver.name] = true
	softs, assumed := "0", "0"
	if len(v.softs) > 0 {
		softs = fmt.Sprintf("softs_%d", v.call+1)
		fmt.Fprintf(&p.data, "static const struct soft %s[] = {", softs)
		for i, s := range v.softs {
			separate(&p.data, i)
			fmt.Fprintf(&p.data, "{%d, %s}", s.lit, unsigned(s.weight))
		}
		p.data.WriteString("};\n")
	}
	if len(v.assumed) > 0 {
		assumed = p.assumedTable(v)
	}
	fmt.Fprintf(&p.data, "static const struct problem %s = {%s, %d, %s, %d, %s, %d};\n",
		name, v.solver.name, v.words, softs, len(v.softs), assumed, len(v.assumed))
	return name
}

// assumedTable writes the list of a solve's assumptions, and returns its name.
func (p *cProgram) assumedTable(v *solve) string {
	name := fmt.Sprintf("assumed_%d", v.call+1)
	p.table(name, v.assumed)
	return name
}

// namedTable writes the list of the variables that an instance has named, and returns its name.
func (p *cProgram) namedTable(s *solver) string {
	vars := p.named[s.instance]
	name := fmt.Sprintf("named_%d_%d_%d", s.instance, len(p.lives), len(vars))
	p.table(name, vars)
	return name
}

func (p *cProgram) table(name string, numbers []int32) {
	if p.written[name] {
		return
	}
	p.written[name] = true
	writeTable(&p.data, name, numbers)
}

func writeTable(b *bytes.Buffer, name string, numbers []int32) {
	fmt.Fprintf(b, "static const int32_t %s[] = {", name)
	for i, n := range numbers {
		separate(b, i)
		fmt.Fprintf(b, "%d", n)
	}
	if len(numbers) == 0 {
		b.WriteString("0") // C has no empty arrays; the program never reads this
	}
	b.WriteString("};\n")
}

func separate(b *bytes.Buffer, i int) {
	switch {
	case i == 0:
	case i%16 == 0:
		b.WriteString(",\n  ")
	default:
		b.WriteString(", ")
	}
}

func (p *cProgram) assemble() []byte {
	var data, calls bytes.Buffer
	for _, s := range p.lives {
		if p.written[s.name] {
			writeTable(&data, s.name, s.clauses)
		}
	}
	data.Write(p.data.Bytes())
	body := p.body.String()
	for _, instance := range p.started {
		for _, callback := range []string{"stopper", "listener"} {
			if name := fmt.Sprintf("%s_%d", callback, instance); strings.Contains(body, name) {
				fmt.Fprintf(&data, "static struct %s %s;\n", callback, name)
			}
		}
	}
	kind := "outcome"
	if strings.Contains(body, "value (&") || strings.Contains(body, "objective (&") ||
		strings.Contains(body, "failed (&") {
		kind = "answer"
	}
	for _, s := range p.lives {
		for _, v := range s.solves {
			fmt.Fprintf(&data, "static struct %s %s;\n", kind, answerOf(v))
		}
	}
	calls.WriteString(p.functions(body))
	entry := pieceNamed(p.entry())
	checks := p.withoutUnwanted(piecesFor(data.String() + calls.String() + entry))
	if p.threads != nil {
		checks = inThreads(checks)
	}
	var variables bytes.Buffer
	if strings.Contains(checks, "VARIABLES") {
		fmt.Fprintf(&variables, "enum { VARIABLES = %d };\n", max(1, len(p.variables)))
		if strings.Contains(checks, "variables[") {
			writeTable(&variables, "variables", p.variables)
		}
		variables.WriteByte('\n')
	}
	var file bytes.Buffer
	p.head(&file)
	p.includes(&file, checks+entry)
	file.Write(variables.Bytes())
	file.WriteString(checks)
	if data.Len() > 0 {
		fmt.Fprintf(&file, "%s\n", &data)
	}
	fmt.Fprintf(&file, "%s\n%s", &calls, p.limited(entry))
	return file.Bytes()
}

// withoutUnwanted removes from the pieces the checks that the program does not make.
func (p *cProgram) withoutUnwanted(checks string) string {
	for mark, wanted := range map[string]bool{
		"CHECK_VALUES": p.want.values, "CHECK_ZEROS": p.want.values && p.policy("val-zero", "completion", true),
		"CHECK_FAILED": p.want.failed, "CHECK_OTHERS": p.want.failed && p.policy("failed-non-assumption", "zero", false),
	} {
		mark = "if (" + mark + ") "
		if wanted {
			checks = strings.ReplaceAll(checks, mark, "")
			continue
		}
		var kept strings.Builder
		for line := range strings.Lines(checks) {
			if !strings.Contains(line, mark) {
				kept.WriteString(line)
			}
		}
		checks = kept.String()
	}
	return checks
}

func (p *cProgram) policy(name, value string, usual bool) bool {
	if set, known := p.o.Policies[name]; known {
		return set == value
	}
	return usual
}

func (p *cProgram) entry() string {
	switch {
	case p.threads != nil:
		return "threads_main"
	case p.want.leak:
		return "leak_main"
	case p.want.guarded:
		return "guarded_main"
	case p.want.crash:
		return "crash_main"
	case p.want.message:
		return "message_main"
	}
	return "plain_main"
}

// limited fills in the limits of a guarded program and the words of a message.
func (p *cProgram) limited(entry string) string {
	var limits string
	if p.want.guarded {
		limits = "const struct rlimit cpu = {LIMIT_SECONDS, LIMIT_SECONDS + 1}, memory = {2 * LIMIT_BYTES, 2 * " +
			"LIMIT_BYTES}, output = {LIMIT_OUTPUT, LIMIT_OUTPUT};\n" +
			"    setrlimit (RLIMIT_CPU, &cpu);\n    setrlimit (RLIMIT_DATA, &memory);\n    setrlimit (RLIMIT_FSIZE, &output);"
		if p.o.Failure.Class == tooMuchOutput {
			limits += "\n    FILE *out = tmpfile ();\n    if (out) dup2 (fileno (out), 1), dup2 (fileno (out), 2);"
		}
	}
	words := wordsOf(p.o.Failure.Detail)
	for i := range words {
		words[i] = quoted(words[i])
	}
	entry = strings.ReplaceAll(entry, "WORDS", strings.Join(words, ", "))
	return strings.ReplaceAll(entry, "LIMITS", limits)
}

// head writes the comment at the top of the file.
func (p *cProgram) head(b *bytes.Buffer) {
	fmt.Fprintf(b, "/* %s, as a program of its own.\n", harmless(p.o.Name))
	if p.o.Failure.Class != "" {
		fmt.Fprintf(b, " *\n * Fault: %s %s\n", p.o.Failure.Class, harmless(p.o.Failure.Detail))
	}
	if p.o.Target != "" {
		fmt.Fprintf(b, " * Seen with: %s\n", harmless(p.o.Target))
	}
	if p.o.Build != "" {
		fmt.Fprintf(b, " *\n * Build: %s\n", harmless(p.o.Build))
	}
	b.WriteString(" *\n * Exit code: 0 when the fault is not there, 125 when that cannot be told, else it is there.\n" +
		" *\n * The trace:\n")
	for _, line := range strings.SplitAfter(strings.TrimRight(p.traceText(), "\n"), "\n") {
		fmt.Fprintf(b, " *   %s", harmless(strings.TrimRight(line, "\n")))
		b.WriteByte('\n')
	}
	b.WriteString(" */\n")
}

// traceText returns the text of the trace or, if that is too long for a comment, its length.
func (p *cProgram) traceText() string {
	const most = 60
	if len(p.t.Calls) > most {
		return fmt.Sprintf("%d calls", len(p.t.Calls))
	}
	bare := &trace.Trace{Model: p.t.Model, Calls: p.t.Calls, Lits: p.t.Lits, Bytes: p.t.Bytes, Want: p.t.Want,
		Got: p.t.Got}
	return bare.String()
}

// system writes the #include lines of the system headers that the text needs, and the limits.
func (p *cProgram) system(b *bytes.Buffer, text string) {
	b.WriteString("#ifndef _GNU_SOURCE\n#define _GNU_SOURCE 1\n#endif\n")
	for _, header := range []struct{ file, uses string }{
		{"errno.h", "ENOMEM"}, {"link.h", "dl_phdr_info"}, {"malloc.h", "MALLINFO"}, {"pthread.h", "pthread_create"},
		{"sched.h", "sched_yield"}, {"signal.h", "kill ("},
		{"stdint.h", ""}, {"stdio.h", ""}, {"stdlib.h", ""},
		{"string.h", ""},
		{"sys/mman.h", "mmap ("}, {"sys/resource.h", "LIMITS"}, {"sys/wait.h", "waitpid"}, {"time.h", "timespec"},
		{"unistd.h", "fork ("}, {"unistd.h", "dup ("},
	} {
		if strings.Contains(text, header.uses) {
			fmt.Fprintf(b, "#include <%s>\n", header.file)
		}
	}
	b.WriteByte('\n')
	if strings.Contains(text, "MALLINFO") {
		b.WriteString("#if __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33)\n#define MALLINFO mallinfo2\n#else\n" +
			"#define MALLINFO mallinfo\n#endif\n\n")
	}
	if p.want.guarded {
		limits := p.o.Limits
		limits.Seconds = cmp.Or(limits.Seconds, 10)
		limits.Bytes = cmp.Or(limits.Bytes, 1<<30)
		fmt.Fprintf(b, "#ifndef LIMIT_SECONDS\n#define LIMIT_SECONDS %d\n#endif\n#ifndef LIMIT_BYTES\n"+
			"#define LIMIT_BYTES UINT64_C (%d)\n#endif\n#ifndef LIMIT_OUTPUT\n#define LIMIT_OUTPUT (64 << 20)\n#endif\n\n",
			limits.Seconds, limits.Bytes)
	}
}

// includes writes the #include lines of system headers, and the text of the interface.
func (p *cProgram) includes(b *bytes.Buffer, text string) {
	p.system(b, text)
	if p.t.Model == apimodel.IPASIR2 {
		p.layer(b)
	} else {
		p.header(b, p.t.Model.Interface().Name+".h")
	}
	if strings.Contains(p.body.String(), "ccadical_") {
		b.WriteString(declarations(p.t.Model))
	}
	b.WriteString(p.setterDeclaration())
	if p.t.Model != apimodel.IPASIR2 && strings.Contains(p.body.String(), "ipafuzz_") {
		p.header(b, "ipafuzz.h")
	}
}

// header writes the text of a header file of the executor.
func (p *cProgram) header(b *bytes.Buffer, name string) {
	text, err := exec.Sources.ReadFile(name)
	if err != nil {
		panic("export: " + err.Error()) // cannot happen: the file is embedded
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#include \"") { // the program already contains that header
			b.WriteString(line)
		}
	}
	b.WriteByte('\n')
}
