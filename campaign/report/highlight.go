package report

import (
	"html"
	"html/template"
	"strings"
)

// A logLine is one line of a trace.
type logLine struct {
	Number int // of the call, from 1; 0: the line is not a call
	Class  string
	Text   template.HTML
}

// highlight marks up a log. It marks the call that shows the fault and the solve with the wrong answer.
func highlight(log string, fault, solve int) []logLine {
	var lines []logLine
	call := 0
	for i, text := range strings.Split(strings.TrimSuffix(log, "\n"), "\n") {
		line := logLine{Text: words(text)}
		switch {
		case i == 0:
			line.Class = "magic"
		case text == "" || text[0] == '#':
			line.Class = "note"
		default:
			call++
			line.Number = call
			if call == solve {
				line.Class = "solve"
			}
			if call == fault {
				line.Class = "fault"
			}
		}
		lines = append(lines, line)
	}
	if fault > call && call > 0 {
		lines = append(lines, logLine{Class: "fault", Text: "<i>the final release</i>"})
	}
	return lines
}

// words marks up the parts of a line: the call, its answer and the comment.
func words(text string) template.HTML {
	if text == "" || text[0] == '#' {
		return template.HTML(html.EscapeString(text)) // escaped
	}
	text, comment, commented := strings.Cut(text, " # ")
	request, answer, answered := strings.Cut(text, " =")
	var out strings.Builder
	for i, word := range strings.Split(request, " ") {
		if i > 0 {
			out.WriteByte(' ')
		}
		escaped := html.EscapeString(word)
		switch {
		case strings.HasPrefix(word, "@"):
			out.WriteString(`<span class="at">` + escaped + `</span>`)
		case word != "" && (word[0] == '-' || word[0] >= '0' && word[0] <= '9'):
			out.WriteString(`<span class="num">` + escaped + `</span>`)
		default:
			out.WriteString(`<span class="op">` + escaped + `</span>`)
		}
	}
	if answered {
		answer, want, wrong := strings.Cut(answer, ", want")
		if wrong {
			out.WriteString(` =<span class="wrong">` + html.EscapeString(answer) + `</span>, want<span class="answer">` +
				html.EscapeString(want) + `</span>`)
		} else {
			out.WriteString(` =<span class="answer">` + html.EscapeString(answer) + `</span>`)
		}
	}
	if commented {
		out.WriteString(`<span class="note"> # ` + html.EscapeString(comment) + `</span>`)
	}
	return template.HTML(out.String()) // every part of the trace is escaped
}
