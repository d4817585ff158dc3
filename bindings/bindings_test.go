package bindings

import (
	"encoding/json"
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

func TestFailures(t *testing.T) {
	for _, test := range []struct{ name, call, request, kind, says string }{
		{"a panic", "panic", `{}`, "internal", "as the test asked"},
		{"no such call", "nothing", `{}`, "internal", "nothing"},
		{"a request that is none", "parse", `{`, "use", "this cannot be asked"},
		{"an unknown field", "parse", `{"test": 1}`, "use", "test"},
		{"a number that is too large", "generate", `{"seed": 18446744073709551616}`, "use", "18446744073709551616"},
		{"no trace", "parse", `{"text": "x"}`, "parse", "1:1"},
		{"an illegal trace", "parse", `{"text": "ipafuzz 1 ipamir\nhard 1 0\nval 1\n"}`, "illegal", "3:1"},
		{"a binary trace that is none", "parse", `{"binary": "AAAA"}`, "parse", "want"},
		{"no profile", "generate", `{"name": "nothing"}`, "use", "wcnfuzz-tiny"},
		{"no format", "render", `{"trace": "ipafuzz 1 ipamir\n", "format": "nothing"}`, "use", "nothing"},
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
	const trace = `"trace": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"`
	for _, test := range []struct{ name, call, request, kind, says string }{
		{"a panic", "panic", `{}`, "internal", "as the test asked"},
		{"no such call", "nothing", `{}`, "internal", "nothing"},
		{"no target", "replay", `{` + trace + `, "open": {"target": "nothing", "way": "fork"}}`, "target", "nothing"},
		{"in this process", "replay", `{` + trace + `, "open": {"target": "ref", "way": "inproc"}}`, "use", "process of Python"},
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

// TestCancel ends a call that takes for ever otherwise.
func TestCancel(t *testing.T) {
	number := Start("replay", `{"trace": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n", "open": {"target": "pipe:sleep 1000", "model": "ipamir", "way": "fork"}}`)
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
	jobs.of[-1] = j
	jobs.Unlock()
	for _, say := range []string{"a", "b"} {
		j.say(say, nil)
	}
	j.post(message{Value: "c"}, true)
	var heard string
	for range 3 {
		a := read1(t, Wait(-1, int(time.Minute.Milliseconds())))
		heard += a.Event + string(a.Value)
	}
	if heard != `ab"c"` {
		t.Errorf("heard %s", heard)
	}
	if a := read1(t, Wait(-1, 1)); a.Error == nil {
		t.Error("the call is not forgotten after its last message")
	}
}
