package process

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A listener gets a sentence when a target takes longer than patience to start.
type listener struct {
	patience time.Duration
	to       func(text string)
	told     sync.Map // sentences: a target starts again and again, and once is enough
}

var slowStarts atomic.Pointer[listener]

// AnnounceSlowStarts makes to get a sentence when a target takes longer than patience to start.
func AnnounceSlowStarts(patience time.Duration, to func(text string)) {
	slowStarts.Store(&listener{patience: patience, to: to})
}

// Starting says that the wait for a target begins, and how long it may take. The caller calls the returned function
// when the wait is over.
func Starting(what string, most time.Duration) (over func()) {
	l := slowStarts.Load()
	if l == nil {
		return func() {}
	}
	timer := time.AfterFunc(l.patience, func() {
		text := fmt.Sprintf("Waiting for %s: %v so far, at most %v.", what, l.patience, most)
		if _, known := l.told.LoadOrStore(text, true); !known {
			l.to(text)
		}
	})
	return func() { timer.Stop() }
}
