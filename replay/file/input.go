package file

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// Input returns the file that the program of a target gets for the only solve of a trace, and the extension of its
// name. The text is nil if the trace has other solves, or the program cannot read the formula.
func Input(t *replay.Target, tr *trace.Trace) (text []byte, extension string) {
	d := t.Driver.(*driver)
	formulas := format.Solves(tr)
	if tr.Solves() != 1 || d.misreads(formulas[0]) != "" {
		return nil, ""
	}
	text, _, err := d.text(formulas[0], tr)
	if err != nil {
		return nil, ""
	}
	return text, d.extension()
}

// CommandLine returns the command that runs the program of a target on a file, for a shell in the directory of the
// file. What the program writes has the name of the file and a suffix.
func CommandLine(t *replay.Target, name string) string {
	dir, err := filepath.Abs(t.Dir)
	if err != nil {
		dir = t.Dir
	}
	places := strings.NewReplacer(placeFile, `"$f"`, placeOut, `"$f".out`, placeProof, `"$f".proof`, placeDir, `"${f%/*}"`)
	var words []string
	isNamed := false
	for _, arg := range t.Command {
		isNamed = isNamed || strings.Contains(arg, placeFile)
		words = append(words, quoteAround(places, arg))
	}
	if !isNamed {
		words = append(words, `< "$f"`)
	}
	return fmt.Sprintf(`f=$PWD/%s; cd %s && %s`, shell.QuotePath(name), shell.Quote(dir), strings.Join(words, " "))
}

// quoteAround quotes an argument for a shell, but for the places in it.
func quoteAround(places *strings.Replacer, arg string) string {
	for _, place := range []string{placeFile, placeOut, placeProof, placeDir} {
		if before, after, has := strings.Cut(arg, place); has {
			quoted := places.Replace(place)
			if before != "" {
				quoted = quoteAround(places, before) + quoted
			}
			if after != "" {
				quoted += quoteAround(places, after)
			}
			return quoted
		}
	}
	return shell.Quote(arg)
}
