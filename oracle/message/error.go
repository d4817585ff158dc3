package message

import (
	"path"
	"regexp"
	"strings"
)

// marks are words of which every error message has one. Lines without any need no further search, so that a
// talkative library costs little time.
var marks = []string{
	"error", "fatal", "exception", "panic", "assert", "abort", "corrupt", "free", "malloc", "smash", "overflow",
	"sanitizer", "happen", "reached", "occur", "traceback", "throwing", "segmentation", "dumped", "bug:",
}

// Error returns the first line of a text that is an error message, and its part that stays the same from run
// to run, or "" if there is none. In doubt, a line is no error message. Comments, warnings, statistics and
// settings never are.
func Error(text string) (line, stable string) {
	var lines []string
	for whole := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if len(whole) > longestLine {
			whole = whole[:longestLine]
		}
		if !marked(whole) {
			continue
		}
		if shown := strings.TrimSpace(plain(whole)); !isRemark(shown) {
			lines = append(lines, shown)
		}
	}
	if len(lines) == 0 {
		return "", ""
	}
	if r := raceIn(text); r != nil && r.ofExecutor() {
		return "", ""
	}
	if report := Report(text); report != "" { // a report may continue in lines without marks
		for _, l := range lines {
			if opensReport(l) {
				return l, report
			}
		}
	}
	for _, l := range lines {
		if isErrorMessage(l) {
			return l, stableLine(l)
		}
	}
	return "", ""
}

const longestLine = 1000

func marked(line string) bool {
	lower := strings.ToLower(line)
	for _, mark := range marks {
		if strings.Contains(lower, mark) {
			return true
		}
	}
	return false
}

var (
	escapes  = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	warnings = regexp.MustCompile(`(?i)\b(?:warn(?:ing)?s?|deprecated|info|note|hint|debug)\b`)
)

// plain returns a line without colours and invalid bytes.
func plain(line string) string {
	line = escapes.ReplaceAllString(line, "")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "?"))
}

// isRemark reports whether a line is a comment as solvers print them, or calls itself something milder than an
// error. Such lines are never error messages.
func isRemark(line string) bool {
	return line == "c" || strings.HasPrefix(line, "c ") || strings.HasPrefix(line, "c\t") ||
		warnings.MatchString(line) && !IsSanitizers(line)
}

// opensReport reports whether a report that Report recognizes can begin in the line.
func opensReport(line string) bool {
	return Report(line) != "" || strings.Contains(line, "ASSERTION VIOLATION") || strings.HasPrefix(line, "Traceback")
}

// followed matches what may follow the word error: not "error rate", not "error_limit".
const followed = `(?:\s*[:!\])>*]|\s+-|\s+#?\d|\.?$|\s+(?:in|at|while|during|when|on|from|reading|adding|allocating|` +
	`occurred|detected)\b)`

var errorShapes = []*regexp.Regexp{
	// prog: file.c:12: error: ..., [ERROR] ..., *** Fatal error ***
	regexp.MustCompile(`(?i)^\W*(?:[\w./+-]+(?:[\[(]\d+[\])])?:\s*(?:\d+:\s*)*)*\W*(?:an?\s+)?(?:(?:internal|fatal|` +
		`runtime|logic|memory|system|i/o|unexpected|unknown|parse|parser|syntax|critical|severe|serious)\s+)?(?:error|` +
		`fatal|exception|panic)` + followed),
	regexp.MustCompile(`(?i)\b(?:internal|fatal|logic|unexpected|critical|severe|serious) error` + followed),
	regexp.MustCompile(`\bERROR\s*[:!\]]`),
	regexp.MustCompile(`(?i)\bassert(?:ion)?\b.*\b(?:fail(?:ed|ure|s)?|violat(?:ed|ion))\b`),
	regexp.MustCompile(`(?i)\b(?:double free|use[- ]after[- ]free|invalid free|stack smashing|segmentation fault|` +
		`core dumped)\b`),
	regexp.MustCompile(`(?i)\bcorrupt(?:ed|ion)?\b|\babort\(\)`),
	regexp.MustCompile(`(?i)\b(?:uncaught|unhandled) exception\b`),
	regexp.MustCompile(`(?i)\b(?:should|must|can) ?(?:never|not) (?:happen|occur|be reached)\b`),
	regexp.MustCompile(`\bBUG:`),
}

var harmless = []*regexp.Regexp{
	// no errors, relative error, on error
	regexp.MustCompile(`(?i)\b(?:no|zero|without|0|if|on|when|any|not|never|relative|absolute|mean|average|rounding|` +
		`numeric|numerical|squared|approximation|estimated|max|maximum|min|minimum|standard|std|rel|abs)\s+(?:internal\s+|` +
		`fatal\s+|runtime\s+)?(?:errors?|exceptions?|assertions?|corrupt(?:ed|ion)?)\b`),
	// error: 0.01, assertions failed = 0, corrupted: no
	regexp.MustCompile(`(?i)[:=]\s*(?:none|no|ok|off|on|false|true|[-+]?\d[\d.]*(?:e[-+]?\d+)?\s*%?)\s*$`),
	regexp.MustCompile(`%\s*$`),
	// 0 assertions failed
	regexp.MustCompile(`^\W*\d+\s`),
	// told to stop
	regexp.MustCompile(`(?i)\b(?:interrupt|terminat|cancel|time.?out|time limit)`),
}

func isErrorMessage(line string) bool {
	for _, shape := range harmless {
		if shape.MatchString(line) {
			return false
		}
	}
	for _, shape := range errorShapes {
		if shape.MatchString(line) {
			return true
		}
	}
	return false
}

var (
	paths      = regexp.MustCompile(`(?:/[^\s/:'"]+)+`)
	anyNumber  = regexp.MustCompile(`[-+]?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?)|\b[0-9a-f]{8,16}\b`)
	numberList = regexp.MustCompile(`\bN(?:[\s,;]+N\b)+`)
)

const longestStable = 100

// stableLine returns the part of a message that is the same in every run: without directories, addresses and
// numbers, and without the length of a list of numbers.
func stableLine(line string) string {
	line = paths.ReplaceAllStringFunc(line, path.Base)
	line = anyNumber.ReplaceAllString(line, "N")
	line = numberList.ReplaceAllString(line, "N ...")
	line = strings.Join(strings.Fields(line), " ")
	if runes := []rune(line); len(runes) > longestStable {
		line = string(runes[:longestStable])
	}
	return line
}
