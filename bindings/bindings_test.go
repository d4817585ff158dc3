package bindings

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

type answer struct {
	Event string
	Value json.RawMessage
	Error *failure
}

func read1(t *testing.T, text string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return a
}

// await runs a long call to its end.
func await(t *testing.T, name, request string) answer {
	t.Helper()
	number := Start(name, request)
	for {
		text := Wait(number, 1000)
		if text == "" {
			continue
		}
		if a := read1(t, text); a.Event == "" {
			return a
		}
	}
}

var damaged = base64.StdEncoding.EncodeToString(binary("ipafuzz 1 ipamir\nsolve\n")[:20])

func binary(text string) []byte {
	t, err := parse(text, "")
	if err != nil {
		panic(err)
	}
	data, err := t.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return data
}

// These calls exist in the tests alone.
func init() {
	quick["panic"] = func([]byte) (any, error) { panic("as the test asked") }
	long["panic"] = func(context.Context, *job, []byte) (any, error) { panic("as the test asked") }
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, call, request, kind, says string }{
		{"a panic", "panic", `{}`, "internal", "as the test asked"},
		{"no such call", "nothing", `{}`, "internal", "nothing"},
		{"a malformed request", "parse", `{`, "use", "invalid request"},
		{"an unknown field", "parse", `{"test": 1}`, "use", "test"},
		{"a number that is too large", "generate", `{"seed": 18446744073709551616}`, "use", "18446744073709551616"},
		{"no trace", "parse", `{"text": "x"}`, "parse", "1:1"},
		{"an illegal trace", "parse", `{"text": "ipafuzz 1 ipamir\nhard 1 0\nval 1\n"}`, "illegal", "3:1"},
		{"text as a binary trace", "parse", `{"binary": "AAAA"}`, "parse", "want"},
		{"no profile", "generate", `{"name": "nothing"}`, "use", "wcnfuzz-tiny"},
		{"no format", "render", `{"trace": "ipafuzz 1 ipamir\n", "format": "nothing"}`, "use", "nothing"},
		{"a word in the place of a number", "generate", `{"seed": "x"}`, "use", "seed: want a whole number from 0 to"},
		{"a number in the place of a list", "generate", `{"avoid": 1}`, "use", "avoid: want a list, got number"},
		{"a damaged binary trace", "parse", `{"binary": "` + damaged + `"}`, "parse", "damaged"},
		{"no archive", "archive.open", `{"path": "nothing"}`, "use", "nothing"},
		{"a thing that is closed", "archive.read", `{"thing": 77}`, "use", "closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := read1(t, Call(test.call, test.request))
			if a.Error == nil || a.Error.Kind != test.kind || !strings.Contains(a.Error.Message, test.says) {
				t.Errorf("got %+v, want kind %s, message with %q", a.Error, test.kind, test.says)
			}
		})
	}
}

func TestLongFailures(t *testing.T) {
	t.Parallel()
	const trace = `"trace": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"`
	for _, test := range []struct{ name, call, request, kind, says string }{
		{"a panic", "panic", `{}`, "internal", "as the test asked"},
		{"no such call", "nothing", `{}`, "internal", "nothing"},
		{"no target", "replay", `{` + trace + `, "open": {"target": "nothing", "way": "fork"}}`, "target", "nothing"},
		{"in this process", "replay", `{` + trace + `, "open": {"target": "ref", "way": "inproc"}}`, "use",
			"inside Python"},
		{"no such way", "replay", `{` + trace + `, "open": {"target": "ref", "way": "x"}}`, "use", "fork or persistent"},
		{"a target that is closed", "replay", `{` + trace + `, "thing": 77}`, "use", "closed"},
		{"nothing fails", "minimize", `{` + trace + `, "target": "ref", "way": "fork"}`, "not-failing", "nothing wrong"},
		{"no file", "read", `{"paths": ["nothing"]}`, "use", "nothing"},
		{"no family", "stats", `{"family": "nothing"}`, "use", "nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := await(t, test.call, test.request)
			if a.Error == nil || a.Error.Kind != test.kind || !strings.Contains(a.Error.Message, test.says) {
				t.Errorf("got %+v, want kind %s, message with %q", a.Error, test.kind, test.says)
			}
		})
	}
}

// TestCancel ends a call that would otherwise take forever.
func TestCancel(t *testing.T) {
	number := Start("replay", `{"trace": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n",
		"open": {"target": "pipe:sleep 1000", "model": "ipamir", "way": "fork"}}`)
	if text := Wait(number, 50); text != "" {
		t.Fatalf("the call has ended: %s", text)
	}
	Leave(number)
	if a := read1(t, Wait(number, 1)); a.Error == nil {
		t.Error("a call that was left still answers")
	}
}

func TestWaitHoldsNothingBack(t *testing.T) {
	j := &job{cancel: func() {}, news: make(chan struct{}, 1)}
	jobs.Lock()
	jobs.byNumber[-1] = j
	jobs.Unlock()
	for _, say := range []string{"a", "b"} {
		j.say(say, nil)
	}
	j.post(message{Value: "c"}, true)
	var heard strings.Builder
	for range 3 {
		a := read1(t, Wait(-1, int(time.Minute.Milliseconds())))
		heard.WriteString(a.Event + string(a.Value))
	}
	if heard.String() != `ab"c"` {
		t.Errorf("heard %s", heard.String())
	}
	if a := read1(t, Wait(-1, 1)); a.Error == nil {
		t.Error("the call is not forgotten after its last message")
	}
}

// TestCancelledStatistics: what nobody waits for any more does not go on.
func TestCancelledStatistics(t *testing.T) {
	number := Start("stats", `{"family": "wcnfuzz-tiny", "count": 1000000000000, "seed": 1}`)
	Wait(number, 50)
	Cancel(number)
	text := ""
	for range 60 {
		if text = Wait(number, 1000); text != "" {
			break
		}
	}
	if text == "" {
		t.Fatal("it goes on a minute after it was cancelled")
	}
	if a := read1(t, text); a.Error == nil || a.Error.Kind != "cancelled" {
		t.Errorf("got %s", text)
	}
}

// TestOffersWait: the reader of traces stays only a little ahead of the caller who takes
// them.
func TestOffersWait(t *testing.T) {
	dir := t.TempDir()
	many := strings.Repeat("ipafuzz 1 ipamir\nhard 1 0\nsolve\n", 1000)
	if err := os.WriteFile(dir+"/many.trace", []byte(many), 0o600); err != nil {
		t.Fatal(err)
	}
	number := Start("read", `{"paths": [`+strconv.Quote(dir)+`]}`)
	jobs.Lock()
	j := jobs.byNumber[number]
	jobs.Unlock()
	traces, most := 0, 0
	for {
		a := read1(t, Wait(number, 1000))
		j.mu.Lock()
		most = max(most, len(j.messages))
		j.mu.Unlock()
		if a.Event == "" {
			break
		}
		traces++
	}
	// The answer of the call does not wait.
	if traces != 1000 || most > mostOffered+1 {
		t.Errorf("%d traces were read, of which up to %d messages waited; want 1000 and %d", traces, most, mostOffered+1)
	}
	Leave(Start("read", `{"paths": [`+strconv.Quote(dir)+`]}`))
}
