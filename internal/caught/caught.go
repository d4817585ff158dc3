// Package caught makes errors of panics. In a goroutine a panic ends the whole
// program: a run, with what it was about to store, or the interpreter that the
// bindings are loaded into.
package caught

import (
	"fmt"
	"runtime/debug"
)

// A Panic is a bug of ipafuzz.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string {
	return fmt.Sprintf("ipafuzz has a bug, please report it: %v\n%s", p.Value, p.Stack)
}

// Unwrap returns what the code panicked with, when that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Do calls do. When that panics, the error is a *Panic.
func Do(do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Panic{value, debug.Stack()}
		}
	}()
	return do()
}
