// Package caught turns panics into errors. A panic in a goroutine ends the whole program: a
// campaign with everything that it was about to store, or the interpreter that has loaded
// the bindings.
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

// Error returns the message.
func (p *Panic) Error() string {
	return fmt.Sprintf("ipafuzz has a bug, please report it: %v\n%s", p.Value, p.Stack)
}

// Unwrap returns the value of the panic, if that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Do calls do. If that panics, the error is a *Panic.
func Do(do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Panic{value, debug.Stack()}
		}
	}()
	return do()
}
