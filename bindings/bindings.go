// Package bindings is the interface of ipafuzz to Python. Only texts cross it. A call has a
// name; its request and its answer are JSON, with whole traces as strings. gopy turns the
// package into a Python module, and bindings/python adds Python's functions, classes and
// exceptions.
//
// Call makes a quick call. Start starts a long one; then Wait returns its messages one
// by one, and the last message is its answer. So a caller waits only as long as it
// wants, and can end a long call with Cancel. No function occupies the caller's thread
// for long: what starts processes or takes long runs in a goroutine.
//
// No panic leaves this package: it becomes an answer.
package bindings

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/caught"
)

// A message is an event of a long call, or the end of a call.
type message struct {
	Event string   `json:"event,omitempty"` // what Value is about; "" in the last message
	Value any      `json:"value,omitempty"`
	Error *failure `json:"error,omitempty"`
}

func (m message) text() string {
	text, err := json.Marshal(m)
	if err != nil {
		text, _ = json.Marshal(message{Error: &failure{Kind: "internal",
			Message: "the answer cannot be written as JSON: " + err.Error()}})
	}
	return string(text)
}

// Call makes a quick call and returns its answer.
func Call(name, request string) string {
	call := quick[name]
	if call == nil {
		return message{Error: &failure{Kind: "internal", Message: fmt.Sprintf("unknown quick call %q", name)}}.text()
	}
	return ended(func() (any, error) { return call([]byte(request)) }).text()
}

func ended(call func() (any, error)) message {
	var value any
	err := caught.Do(func() (err error) {
		value, err = call()
		return err
	})
	if err != nil {
		return message{Error: failureOf(err)}
	}
	return message{Value: value}
}

// A job is a long call. It keeps its messages until the caller fetches them, however many
// there are: the caller may be slow, and the campaign must not wait. Only offer waits.
type job struct {
	cancel context.CancelFunc

	mu       sync.Mutex
	messages []string
	done     bool
	news     chan struct{} // has an element when there is a message
	taken    chan struct{} // has an element after the caller fetched one
}

var jobs = struct {
	sync.Mutex
	last     int64
	byNumber map[int64]*job
}{byNumber: make(map[int64]*job)}

// Start starts a long call and returns its number.
func Start(name, request string) int64 {
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{cancel: cancel, news: make(chan struct{}, 1), taken: make(chan struct{}, 1)}
	jobs.Lock()
	jobs.last++
	number := jobs.last
	jobs.byNumber[number] = j
	jobs.Unlock()
	go j.run(ctx, name, request)
	return number
}

func (j *job) run(ctx context.Context, name, request string) {
	defer j.cancel()
	call := long[name]
	if call == nil {
		j.post(message{Error: &failure{Kind: "internal", Message: fmt.Sprintf("unknown long call %q", name)}}, true)
		return
	}
	j.post(ended(func() (any, error) { return call(ctx, j, []byte(request)) }), true)
}

func (j *job) say(event string, value any) { j.post(message{Event: event, Value: value}, false) }

// mostOffered is how many messages may be waiting when offer adds another.
const mostOffered = 16

// offer waits until the caller has fetched most of the earlier messages, and then sends
// an event. So a source of many events, such as a large archive, stays only a little ahead.
func (j *job) offer(ctx context.Context, event string, value any) error {
	for {
		j.mu.Lock()
		waiting := len(j.messages)
		j.mu.Unlock()
		if waiting < mostOffered {
			j.say(event, value)
			return ctx.Err()
		}
		select {
		case <-j.taken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (j *job) post(m message, last bool) {
	text := m.text()
	j.mu.Lock()
	j.messages = append(j.messages, text)
	j.done = j.done || last
	j.mu.Unlock()
	select {
	case j.news <- struct{}{}:
	default:
	}
}

// next takes the oldest message; last reports whether it is the last one.
func (j *job) next() (text string, last bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.messages) == 0 {
		return "", false
	}
	text = j.messages[0]
	j.messages = j.messages[1:]
	select {
	case j.taken <- struct{}{}:
	default:
	}
	return text, j.done && len(j.messages) == 0
}

// Wait returns the next message of a long call, or "" if none comes in the given time.
// After the last message, the number is no longer valid.
func Wait(number int64, milliseconds int) string {
	jobs.Lock()
	j := jobs.byNumber[number]
	jobs.Unlock()
	if j == nil {
		return message{Error: &failure{Kind: "internal", Message: "the call has ended already"}}.text()
	}
	timeout := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
	defer timeout.Stop()
	for {
		text, last := j.next()
		if last {
			forget(number)
		}
		if text != "" {
			return text
		}
		select {
		case <-j.news:
		case <-timeout.C:
			return ""
		}
	}
}

// Leave asks a long call to end and discards its answer.
func Leave(number int64) bool {
	going := Cancel(number)
	forget(number)
	return going
}

// Cancel asks a long call to end and reports whether the call exists. Wait still returns
// its answer. (gopy would add an argument to a function without a result.)
func Cancel(number int64) bool {
	jobs.Lock()
	defer jobs.Unlock()
	j := jobs.byNumber[number]
	if j != nil {
		j.cancel()
	}
	return j != nil
}

func forget(number int64) {
	jobs.Lock()
	defer jobs.Unlock()
	delete(jobs.byNumber, number)
}
