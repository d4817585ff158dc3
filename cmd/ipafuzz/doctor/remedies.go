package doctor

import (
	"regexp"
	"strings"
)

// programRemedy is the remedy for programs that print no answer in their dialect. That is the most common
// fault in a new targets file.
const programRemedy = "The program ended, but its output is not an answer in its dialect, " +
	"or its exit code does not match that answer: set the keys dialect and exit-codes of its entry. " +
	"docs/targets.md lists the dialects; some programs write into a file {out}. " +
	"If none fits, the command can be a script that runs the program and rewrites its output."

// protocolRemedy is the remedy for runners that answer what is no answer, mostly because the solver in them prints.
const protocolRemedy = "Does the solver print? Stdout is for answers alone: before the runner loads the solver, " +
	"let it duplicate stdout and make stdout a copy of stderr. " +
	"docs/protocol.md lists every line and how a runner answers it."

// overLimit matches what a runner did wrong that used too much of something.
var overLimit = regexp.MustCompile(`it exceeded the .*limit`)

// runnerRemedy returns what to do about a runner that fails a check.
func runnerRemedy(wrong string) string {
	if overLimit.MatchString(wrong) {
		return "Is there work in the runner or in its solver that grows with the square of a trace? " +
			"Answers to val and model are often computed from all variables. " +
			"If the solver needs more, --cpu, --wall, --memory and --output raise the limits, " +
			"and max-vars and max-calls in its entry or description keep traces small."
	}
	if strings.Contains(wrong, "forbidden to targets") {
		return "docs/targets.md says what a target may do. If the solver needs this call, pass --no-containment."
	}
	return "docs/protocol.md lists every line and how a runner answers it."
}

// remedies maps reasons why a target cannot be used to what to do.
var remedies = []struct {
	reason *regexp.Regexp
	fix    string
}{
	{regexp.MustCompile(`which set-option names`),
		"Correct set-option in the targets file: a function that the library exports, with C linkage (extern \"C\"); " +
			"'nm -D --defined-only FILE' shows what is exported."},
	{regexp.MustCompile(`exports none of|the library lacks`),
		"Export the functions with C linkage (extern \"C\") and default visibility; " +
			"'nm -D --defined-only FILE' shows what is exported."},
	{regexp.MustCompile(`undefined symbol`),
		"Link it with the library that defines the symbol when it is built; 'ldd -r FILE' shows what is missing."},
	{regexp.MustCompile(`cannot open shared object file`),
		"A library that it needs was not found: 'ldd FILE' names it; install it, or set LD_LIBRARY_PATH or an rpath."},
	{regexp.MustCompile(`is a program, not a library`),
		"In a targets file: [targets.NAME], command = [\"./program\", \"{file}\"], format = \"wcnf\" or \"cnf\". " +
			"To test it as a library, link its code with -shared and export the functions of the interface."},
	{regexp.MustCompile(`not a shared library|not an ELF file`),
		"Build a shared library: cc -shared -fPIC -o libsolver.so ... " +
			"A static library (.a) is a target, too."},
	{regexp.MustCompile(`is for another machine`),
		"Build it for this machine."},
	{regexp.MustCompile(`damaged or cut short`),
		"Build it or copy it again."},
	{regexp.MustCompile(`holds none of`),
		"Give the directory and the archive the same name: solver/libipamirsolver.a or solver/libipasirsolver.a. " +
			"Or name the archive as the target: ipafuzz fuzz --target solver/libother.a."},
	{regexp.MustCompile(`dialect is missing|unknown dialect`),
		"docs/targets.md lists the dialects."},
	{regexp.MustCompile(`serves \w+, not`),
		"Choose the interface that it has with --model, or omit --model."},
	{regexp.MustCompile(`refuses option|does not take an option|takes no options`),
		"Correct the option where the target is named: after the colon or in the targets file."},
	{regexp.MustCompile(`its description .*cannot be read`),
		"Correct the text that ipafuzz_describe returns, or that the runner prints before \"ready\"; " +
			"docs/targets.md describes the format."},
	{regexp.MustCompile(`ended the process while loading|did not load within`),
		"Its constructors, its signature function or its description end the process, or do not return: " +
			"load it in a small program of your own under a debugger."},
	{regexp.MustCompile(`^it ended .* before it said "ready"`),
		"The runner itself ends: start it in a shell, in the directory of the targets file."},
	{regexp.MustCompile(`^it did not say "ready"`),
		"Does it flush stdout after its description, or wait for input before? " +
			"Start it in a shell, in the directory of the targets file: it must print up to \"ready\" at once."},
	{regexp.MustCompile(`executable file not found|no such file or directory|there is no file`),
		"The file is not there: build it, install it, or correct the path; a relative path starts at the targets file."},
	{regexp.MustCompile(`permission denied`),
		"Make the file readable, and a program executable."},
	{regexp.MustCompile(`protocol`),
		protocolRemedy},
}

// knownRemedy matches the remedy in the reason why a directory cannot be linked.
var knownRemedy = regexp.MustCompile(`\nremedy: (.)(.*)`)

// withRemedy divides a reason into the rest and what to do about it.
func withRemedy(reason string) (rest, fix string) {
	at := knownRemedy.FindStringSubmatchIndex(reason)
	if at == nil {
		return reason, remedy(reason)
	}
	return reason[:at[0]] + reason[at[1]:], strings.ToUpper(reason[at[2]:at[3]]) + reason[at[4]:at[5]] + "."
}

func remedy(reason string) string {
	for _, r := range remedies {
		if r.reason.MatchString(reason) {
			return r.fix
		}
	}
	return "See docs/targets.md."
}
