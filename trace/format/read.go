package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Read reads a file in format f or, if f is "", in the format that its text and its name show. It
// decompresses gzip, xz and zstd. It is strict: any error in the text is a *trace.ParseError with
// the place. Each soft clause that is not a unit clause gets a fresh variable. Fresh variables
// have numbers above all variables of the file, in the order of the clauses. Read adds queries
// after each solve.
func Read(r io.Reader, file string, f Format, limits trace.Limits) (t *trace.Trace, err error) {
	return read(r, file, f, limits, nil)
}

// FileLimits are the limits of ReadFile: those of the largest files of the MaxSAT Evaluation. Nobody reads the text of
// such a trace, and no library gets it.
var FileLimits = trace.Limits{
	Bytes:     1 << 30,
	Line:      64 << 20,
	Calls:     16 << 20,
	Literals:  64 << 20,
	Notes:     trace.DefaultLimits.Notes,
	NoteBytes: trace.DefaultLimits.NoteBytes,
}

// fileModels are the models of formula files.
var fileModels = map[Format]*apimodel.Model{CNF: apimodel.CNF, WCNF: apimodel.WCNF, WCNFOld: apimodel.WCNF}

// ReadFile is like Read, but a file of one CNF or WCNF formula becomes a trace of its own model, which has the clauses
// as they are, and keeps the text (Trace.Given).
func ReadFile(r io.Reader, file string, f Format, limits trace.Limits) (*trace.Trace, error) {
	if limits == (trace.Limits{}) {
		limits = FileLimits
	}
	plain, err := decompress(r, file)
	if err != nil {
		return nil, err
	}
	defer plain.close()
	in := bufio.NewReaderSize(plain, headBytes)
	if f, err = formatOf(in, file, f); err != nil {
		return nil, err
	}
	model := fileModels[f]
	if model == nil {
		return readPlain(in, file, f, limits, nil)
	}
	var text bytes.Buffer
	scanner := newScanner(bufio.NewReader(io.TeeReader(in, &text)), file, limits)
	b := newBuilder(scanner, model)
	t, err := parsed(func() *trace.Trace {
		if f == WCNF {
			return b.readLines(f)
		}
		return b.readDIMACS(f)
	})
	if err == nil {
		t.Give(string(f), text.Bytes(), b.greatest)
	}
	return t, err
}

// Locate adds the place to an error about a trace, or a formula in QDIMACS, that Read has read. It reads
// the file again, and returns a *trace.ParseError, or nil if it does not find the place.
func Locate(r io.Reader, file string, refused *trace.CheckError) error {
	var parse *trace.ParseError
	if _, err := read(r, file, "", trace.DefaultLimits, refused); errors.As(err, &parse) {
		return parse
	}
	return nil
}

func read(
	r io.Reader, file string, f Format, limits trace.Limits, refused *trace.CheckError,
) (t *trace.Trace, err error) {
	if limits == (trace.Limits{}) {
		limits = trace.DefaultLimits
	}
	plain, err := decompress(r, file)
	if err != nil {
		return nil, err
	}
	defer plain.close()
	in := bufio.NewReaderSize(plain, headBytes)
	if f, err = formatOf(in, file, f); err != nil {
		return nil, err
	}
	return readPlain(in, file, f, limits, refused)
}

// formatOf returns f or, if it is "", the format that the text and the name of the file show.
func formatOf(in *bufio.Reader, file string, f Format) (Format, error) {
	if f != "" {
		return f, nil
	}
	head, _ := in.Peek(headBytes)
	return Detect(file, head)
}

// readPlain reads a file that is not compressed.
func readPlain(in *bufio.Reader, file string, f Format, limits trace.Limits, refused *trace.CheckError) (
	*trace.Trace, error) {
	switch {
	case f == Trace && refused != nil:
		return nil, trace.Locate(in, file, refused)
	case f == Trace:
		return trace.Read(in, file)
	}
	scanner := newScanner(in, file, limits)
	var read func() *trace.Trace
	switch f {
	case CNF:
		read = func() *trace.Trace { return newBuilder(scanner, apimodel.IPASIR).readDIMACS(f) }
	case WCNFOld:
		read = func() *trace.Trace { return newBuilder(scanner, apimodel.IPAMIR).readDIMACS(f) }
	case WCNF, WCNFI:
		read = func() *trace.Trace { return newBuilder(scanner, apimodel.IPAMIR).readLines(f) }
	case ICNF, IncCNF:
		read = func() *trace.Trace { return newBuilder(scanner, apimodel.IPASIR).readLines(f) }
	case OPB, WBO:
		read = func() *trace.Trace { return readOPB(scanner, f) }
	case MPS:
		read = func() *trace.Trace { return readMPS(scanner) }
	case QDIMACS:
		read = func() *trace.Trace { return traceOf(readQDIMACS(scanner, refused)) }
	default:
		return nil, fmt.Errorf("files of format %s cannot be read", f)
	}
	return parsed(read)
}

// parsed returns the trace that read makes, or the *trace.ParseError with which it panics.
func parsed(read func() *trace.Trace) (t *trace.Trace, err error) {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case *trace.ParseError:
			err = failed
		default:
			panic(failed)
		}
	}()
	t = read()
	if err := trace.Check(t); err != nil {
		return nil, fmt.Errorf("reading a file made an illegal trace: %w", err)
	}
	return t, nil
}

// headBytes is how many bytes of a file Detect gets.
const headBytes = 64 << 10

// ErrHeaderless reports a file without a header whose clauses may be those of a CNF or soft
// clauses. Its name does not tell, either.
var ErrHeaderless = errors.New("clauses without a header")

// Detect finds out the format of a file from its first bytes and, if these fit several
// formats, from its name.
func Detect(file string, head []byte) (Format, error) {
	name := strings.ToLower(filepath.Base(file))
	for _, packed := range []string{".gz", ".xz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	extension := filepath.Ext(name)
	if bytes.HasPrefix(head, []byte("ipafuzz")) || bytes.HasPrefix(head, []byte("IPFZ")) {
		return Trace, nil
	}
	byName := Format("")
	for _, info := range formats {
		for _, known := range info.Extensions {
			if known == extension && byName == "" {
				byName = info.Format
			}
		}
	}
	f, sure := byText(head)
	if f == WCNF && byName == WCNFI || f == CNF && byName == QDIMACS || !sure {
		f = byName
	}
	if len(head) == 0 && byName != "" && byName != Trace { // legal WCNF, but more likely a file whose content got lost
		return "", &trace.ParseError{File: file, Line: 1, Column: 1,
			Want: "a formula, or --from of convert, replay or run if it is to have no clauses", Got: firstOf(head)}
	}
	if f != "" {
		return f, nil
	}
	if !sure {
		return "", &trace.ParseError{
			File: file, Line: 1, Column: 1,
			Want: "a header, a line 'h', or a name such as FILE.wcnf that tells whether its clauses are hard (or --from)",
			Got:  "clauses without any", Err: ErrHeaderless,
		}
	}
	if byName == "" || byName == Trace {
		return "", &trace.ParseError{
			File: file, Line: 1, Column: 1,
			Want: "a file of a known format ('ipafuzz convert --list'), or its name with --from",
			Got:  firstOf(head),
		}
	}
	return byName, nil
}

// byText tells the format by the first line that is neither empty nor a comment. A line that begins with a number may
// be a soft clause of WCNF, or a clause of a CNF without header, so byText is sure only if hard clauses follow.
func byText(head []byte) (f Format, sure bool) {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		head = rest
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			continue
		}
		switch first := fields[0]; {
		case first == "c":
			continue
		case strings.HasPrefix(first, "*"):
			if strings.Contains(string(line), "#soft=") {
				return WBO, true
			} else if strings.Contains(string(line), "#variable=") {
				return OPB, true
			}
			continue
		case first == "NAME", first == "ROWS":
			return MPS, true
		case first == "min:":
			return OPB, true
		case first == "soft:":
			return WBO, true
		case first == "p" && len(fields) > 1 && fields[1] == "cnf" && hasPrefix(rest):
			return QDIMACS, true
		case first == "p" && len(fields) > 1:
			return map[string]Format{"cnf": CNF, "wcnf": WCNFOld, "icnf": ICNF, "inccnf": IncCNF}[fields[1]], true
		case first == "h", first == "r", first[0] >= '1' && first[0] <= '9' && fields[len(fields)-1] == "0":
			if first == "r" || bytes.Contains(rest, []byte("\nr ")) || bytes.HasPrefix(rest, []byte("r ")) {
				return WCNFI, true
			}
			return WCNF, first == "h" || bytes.Contains(rest, []byte("\nh ")) || bytes.HasPrefix(rest, []byte("h "))
		}
		return "", true
	}
	return "", true
}

// hasPrefix reports whether a line of a QDIMACS prefix comes before any clause.
func hasPrefix(text []byte) bool {
	for line := range bytes.Lines(text) {
		switch fields := strings.Fields(string(line)); {
		case len(fields) == 0 || fields[0] == "c":
		default:
			return fields[0] == "a" || fields[0] == "e"
		}
	}
	return false
}

func firstOf(head []byte) string {
	if len(head) == 0 {
		return "an empty file"
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return printable.Excerpt(line)
}
