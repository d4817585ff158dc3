package bindings

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/replay/process"
)

// The calls by name. Quick ones take no longer than generating some traces, and start
// no processes.
var (
	quick = map[string]func(request []byte) (any, error){
		"close":          quickly(closeThing),
		"configure":      quickly(configure),
		"parse":          quickly(parseTrace),
		"binary":         quickly(binaryTrace),
		"calls":          quickly(callsOfTrace),
		"convert":        quickly(convertText),
		"render":         quickly(renderTrace),
		"names":          quickly(allNames),
		"generate":       quickly(generateOne),
		"generator.next": quickly(generateMore),
		"archive.open":   quickly(openArchive),
		"archive.read":   quickly(readArchive),
	}
	long = map[string]func(ctx context.Context, j *job, request []byte) (any, error){
		"read":           longly(readTrace),
		"generator.open": longly(openGenerator),
		"stats":          longly(statistics),
		"target.open":    longly(openTarget),
		"replay":         longly(replayTrace),
		"minimize":       longly(minimizeTrace),
		"program":        longly(programOfTrace),
		"fuzz":           longly(fuzz),
	}
)

// quickly turns a function of a request struct into a call.
func quickly[R any](do func(request R) (any, error)) func([]byte) (any, error) {
	return func(text []byte) (any, error) {
		request, err := read[R](text)
		if err != nil {
			return nil, err
		}
		return do(request)
	}
}

func longly[R any](do func(context.Context, *job, R) (any, error)) func(context.Context, *job, []byte) (any, error) {
	return func(ctx context.Context, j *job, text []byte) (any, error) {
		return quickly(func(request R) (any, error) { return do(ctx, j, request) })(text)
	}
}

// read reads a request. If it does not fit the type, the caller made a mistake: a number
// that is too large, a text in place of a number, an unknown name.
func read[R any](text []byte) (request R, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&request)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return request, useError{fmt.Errorf("%s: want %s, got %s", kind.Field[strings.LastIndexByte(kind.Field, '.')+1:],
			wanted(kind.Type), strings.TrimPrefix(kind.Value, "number "))}
	}
	if err != nil {
		return request, useError{fmt.Errorf("invalid request: %w", err)}
	}
	return request, nil
}

// wanted names the values that fit a type, for an error message.
func wanted(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a text"
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "True or False"
	case reflect.Float64:
		return "a number"
	case reflect.Uint64:
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64))
	case reflect.Int32:
		return fmt.Sprintf("a whole number up to %d", math.MaxInt32)
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	}
	return "another kind of value"
}

// things live between calls, each with a number: open targets, archives, generators.
var things = struct {
	sync.Mutex
	last     int64
	byNumber map[int64]io.Closer
}{byNumber: make(map[int64]io.Closer)}

func keep(thing io.Closer) int64 {
	things.Lock()
	defer things.Unlock()
	things.last++
	things.byNumber[things.last] = thing
	return things.last
}

func kept[T io.Closer](number int64) (thing T, err error) {
	things.Lock()
	defer things.Unlock()
	thing, ok := things.byNumber[number].(T)
	if !ok {
		return thing, useError{fmt.Errorf("it was closed")}
	}
	return thing, nil
}

type closeRequest struct {
	Thing int64 `json:"thing"`
}

func closeThing(request closeRequest) (any, error) {
	things.Lock()
	thing := things.byNumber[request.Thing]
	delete(things.byNumber, request.Thing)
	things.Unlock()
	if thing == nil {
		return nil, nil
	}
	return nil, thing.Close()
}

type configureRequest struct {
	Program string            `json:"program"` // the program that workers run
	Set     map[string]string `json:"set"`     // changed environment variables: Go reads them only once
	Unset   []string          `json:"unset"`
}

func configure(request configureRequest) (any, error) {
	if request.Program != "" {
		process.Program = request.Program
	}
	for name, value := range request.Set {
		if err := os.Setenv(name, value); err != nil {
			return nil, useError{fmt.Errorf("environment variable %s: %w", name, err)}
		}
	}
	for _, name := range request.Unset {
		if err := os.Unsetenv(name); err != nil {
			return nil, useError{fmt.Errorf("environment variable %s: %w", name, err)}
		}
	}
	return nil, nil
}
