package trace

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func eofWhen(ended bool) error {
	if ended {
		return io.EOF
	}
	return nil
}

// An endless is a file of 2 GiB: pending, then repeat(0), repeat(1) and so on.
type endless struct {
	pending []byte
	repeat  func(i int) string
	i       int
	read    int
	peak    uint64 // largest size of the heap in samples
}

func (e *endless) Read(into []byte) (int, error) {
	if e.read >= 2<<30 {
		return 0, io.EOF
	}
	for len(e.pending) < len(into) {
		e.pending = append(e.pending, e.repeat(e.i)...)
		e.i++
	}
	n := copy(into, e.pending)
	e.pending = append(e.pending[:0], e.pending[n:]...)
	if before := e.read; before>>23 != (e.read+n)>>23 {
		e.sample()
	}
	e.read += n
	return n, nil
}

func (e *endless) sample() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	e.peak = max(e.peak, m.HeapAlloc)
}

func TestEndlessFilesAreRefused(t *testing.T) {
	const header = "ipafuzz 1 ipamir\n"
	same := func(s string) func(int) string { return func(int) string { return s } }
	for _, c := range []struct {
		name, begin string
		repeat      func(i int) string
		mostRead    int
		want        string
	}{
		{"digits from the first byte", "", same("7777777777777777"), 9 << 20, "a line of at most"},
		{"zeros from the first byte", "", same("\x00\x00\x00\x00\x00\x00\x00\x00"), 9 << 20, "a line of at most"},
		{"digits of a literal", header + "hard ", same("1234567890123456"), 9 << 20, "a line of at most"},
		{"one line of x", header, same("xxxxxxxxxxxxxxxx"), 9 << 20, "a line of at most"},
		{"literals of one clause", header + "hard", same(" 1 -2 3 -4 5 -6 7 -8"), 9 << 20, "a line of at most"},
		{"clauses", header, same("hard 1 2 3 0\n"), 40 << 20, "calls"},
		{"long clauses", header, same("hard" + strings.Repeat(" 1 -2", 1000) + " 0\n"), 60 << 20, "literals"},
		{"comments", header, same("# and so on and so on\n"), 1 << 20, "comment lines"},
		{"long comments", header, same("#" + strings.Repeat("x", 10000) + "\n"), 1 << 20, "bytes of comments"},
		{"comments behind a call", header + "hard 1 0\n", same("# and so on and so on\n"), 130 << 20, "bytes in all"},
		{"blank lines", header, same("\n\t      \r\n                   "), 130 << 20, "bytes in all"},
		{"carriage returns", header, same("\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r"), 9 << 20, "a line of at most"},
		{"instances", header, func(i int) string { return "@" + strconv.Itoa(i) + " init\n" }, 1 << 20,
			"different instances"},
		{"answers", header, same("solve = 30\n"), 40 << 20, "calls"},
		{"long answers", header + "solve = 30\n", same("model =" + strings.Repeat(" 1 -2", 1000) + "\n"), 60 << 20,
			"literals"},
		{"options", header, same("option " + strings.Repeat("n", 256) + " " + strings.Repeat("v", 256) + "\n"), 20 << 20,
			"bytes of options"},
		{"texts", header, same(`signature = "` + strings.Repeat("n", 256) + "\"\n"), 20 << 20, "bytes of texts in answers"},
		{"long text", header + `signature = "`, same("xxxxxxxxxxxxxxxx"), 9 << 20, "a line of at most"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			if testing.Short() && c.mostRead > 10<<20 {
				t.Skip("reads a lot")
			}
			runtime.GC()
			from := &endless{pending: []byte(c.begin), repeat: c.repeat}
			from.sample()
			before := from.peak
			tr, err := Parse(from, "hostile")
			from.sample()
			var refused *ParseError
			if !errors.As(err, &refused) || tr != nil {
				t.Fatalf("want a ParseError, got %v", err)
			}
			if !strings.Contains(refused.Want, c.want) {
				t.Errorf("want a message about %q, got: %v", c.want, err)
			}
			if from.read > c.mostRead {
				t.Errorf("refused after %d bytes, want at most %d: %v", from.read, c.mostRead, err)
			}
			used := from.peak - min(before, from.peak)
			if used > 300<<20 {
				t.Errorf("took %d MB of memory", used>>20)
			}
			t.Logf("refused after %d kB with %d MB of heap: %v", from.read>>10, used>>20, err)
		})
	}
}

func TestLimitsAreExact(t *testing.T) {
	const header = "ipafuzz 1 ipamir\n"
	for _, c := range []struct {
		name     string
		limits   Limits
		fits     string
		tooMuch  string
		position string
	}{
		{"calls", Limits{Calls: 2}, header + "solve\nsolve\n", header + "solve\nsolve\n solve\n", ":4:2:"},
		{"literals", Limits{Literals: 3}, header + "hard 1 2 0\nassume 3\n", header + "hard 1 2 0\nhard 3 4 0\n", ":3:8:"},
		{"answer literals", Limits{Literals: 2}, header + "hard 1 2 0\nsolve\nmodel = 1 2\n",
			header + "hard 1 2 0\nsolve\nmodel = 1 2 3\n", ":4:13:"},
		{"instances", Limits{Instances: 2}, header + "@7 init\n@9 init\n@7 solve\n", header + "@7 init\n@9 init\n@8 solve\n",
			":4:4:"},
		{"notes", Limits{Notes: 1}, header + "# 1\n\nsolve\n# 2\n", header + "# 1\n  # 2\nsolve\n", ":3:3:"},
		{"note bytes", Limits{NoteBytes: 4}, header + "# 12\n# 34\n", header + "# 12\n# 345\n", ":3:1:"},
		{"line", Limits{Line: 16}, header + "hard 10000 -20 0\n", header + "hard 10000 -200 0\n", ":2:17:"},
		{"line with CRLF", Limits{Line: 16}, header + "hard 10000 -20 0\r\n", header + "hard 10000 -200 0\r\n", ":2:17:"},
		{"last line", Limits{Line: 16}, header + "hard 10000 -20 0\n", header + "hard 10000 -200 0", ":2:17:"},
		{"bytes", Limits{Bytes: 23}, header + "solve\n", header + "solve\n\n", ":3:1:"},
		{"bytes of the last line", Limits{Bytes: 23}, header + "solve\n", header + "solve\n#", ":3:1:"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			if _, err := ParseLimits(strings.NewReader(c.fits), "f", c.limits); err != nil {
				t.Errorf("%q: %v", c.fits, err)
			}
			_, err := ParseLimits(strings.NewReader(c.tooMuch), "f", c.limits)
			if err == nil || !strings.HasPrefix(err.Error(), "f"+c.position+" want a") {
				t.Errorf("%q: want an error at f%s, got %v", c.tooMuch, c.position, err)
			}
		})
	}
}

func TestErrorsOfTheReaderNameTheFile(t *testing.T) {
	broken := errors.New("the disk is on fire")
	from := io.MultiReader(strings.NewReader("ipafuzz 1 ipamir\nhard 1 0\nhar"), failing{broken})
	_, err := Parse(from, "some.trace")
	if err == nil || err.Error() != "some.trace:3:1: want the rest of the file, got an error: the disk is on fire" {
		t.Errorf("got %v", err)
	}
	if !errors.Is(err, broken) {
		t.Error("the error does not wrap that of the reader")
	}
	if _, err := Parse(failing{nil}, "some.trace"); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that never delivers: want io.ErrNoProgress, got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestTraceDoesNotShareTheText: changing the text after parsing does not change the trace.
func TestTraceDoesNotShareTheText(t *testing.T) {
	text := []byte("ipafuzz 1 ipamir\n# note\noption name value\nsignature = \"text\"\n")
	tr, err := Parse(bytes.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = 'X'
	}
	const want = "ipafuzz 2 ipamir\n# note\noption name value\nsignature want \"text\"\n"
	if tr.String() != want {
		t.Error("a trace shares memory with the text that it was parsed from")
	}
}
