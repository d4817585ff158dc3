package bindings

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// A traceValue is a trace for Python.
type traceValue struct {
	Text  string   `json:"text"`
	Model string   `json:"model"`
	Calls int      `json:"calls"`
	Notes []string `json:"notes"`
	Name  string   `json:"name,omitempty"` // the file it was read from
}

func valueOf(t *trace.Trace) traceValue {
	return traceValue{Text: t.String(), Model: t.Model.Name, Calls: len(t.Calls), Notes: append([]string{}, t.Notes...)}
}

type parseRequest struct {
	Text   string `json:"text"`
	Binary []byte `json:"binary"` // instead of the text
	File   string `json:"file"`   // for errors
}

// parse reads a trace that Python sent.
func parse(text, file string) (*trace.Trace, error) {
	return trace.Parse(strings.NewReader(text), file)
}

func parseTrace(request parseRequest) (any, error) {
	from := request.Binary
	if from == nil {
		from = []byte(request.Text)
	}
	t, err := trace.Read(bytes.NewReader(from), request.File)
	if err != nil {
		return nil, err
	}
	if err := trace.Check(t); err != nil {
		return nil, err
	}
	return valueOf(t), nil
}

type traceRequest struct {
	Trace string `json:"trace"`
}

func binaryTrace(request traceRequest) (any, error) {
	t, err := parse(request.Trace, "")
	if err != nil {
		return nil, err
	}
	return t.AppendBinary(nil)
}

// callsOfTrace returns the calls as lines, without expectations.
func callsOfTrace(request traceRequest) (any, error) {
	t, err := parse(request.Trace, "")
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(t.Calls))
	for i := range t.Calls {
		lines[i] = strings.TrimSpace(string(t.AppendRequest(nil, i)))
	}
	return lines, nil
}

type readRequest struct {
	Paths []string `json:"paths"`
}

// readTrace reads all traces of files, archives, formulas and directories.
func readTrace(ctx context.Context, j *job, request readRequest) (any, error) {
	count := 0
	warn := func(what string) { j.say("warning", what) }
	for item, err := range sources.Read(request.Paths, sources.Options{Stdin: os.Stdin, Warn: warn}) {
		if err != nil {
			return nil, err
		}
		value := valueOf(item.Trace)
		value.Name = item.Name
		if err := j.offer(ctx, "trace", value); err != nil {
			return nil, err
		}
		count++
	}
	return count, nil
}

type convertRequest struct {
	Text   string `json:"text"`
	Format string `json:"format"`
}

// convertText makes a trace out of a formula.
func convertText(request convertRequest) (any, error) {
	form, err := format.Parse(request.Format)
	if err != nil {
		return nil, useError{err}
	}
	t, err := format.Read(strings.NewReader(request.Text), "formula", form, trace.DefaultLimits)
	if err != nil {
		return nil, err
	}
	return valueOf(t), nil
}

type renderRequest struct {
	Trace  string `json:"trace"`
	Format string `json:"format"`
}

// renderTrace writes a trace in a file format.
func renderTrace(request renderRequest) (any, error) {
	t, err := parse(request.Trace, "")
	if err != nil {
		return nil, err
	}
	form, err := format.Parse(request.Format)
	if err != nil {
		return nil, useError{err}
	}
	var text bytes.Buffer
	err = format.Write(&text, form, t)
	return text.String(), err
}

type namesRequest struct{}

type nameValue struct {
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
}

// allNames lists the names that the other calls take.
func allNames(namesRequest) (any, error) {
	names := make(map[string][]nameValue)
	for _, p := range gen.Profiles() {
		names["profiles"] = append(names["profiles"], nameValue{p.Name, p.Doc})
	}
	for _, f := range family.All() {
		names["families"] = append(names["families"], nameValue{f.Name, f.Doc})
	}
	for _, f := range family.Quantified() {
		names["qbf families"] = append(names["qbf families"], nameValue{f.Name, f.Doc})
	}
	for _, p := range gen.QuantifiedProfiles() {
		names["qbf profiles"] = append(names["qbf profiles"], nameValue{p.Name, p.Doc})
	}
	for _, s := range family.Schedules(true) {
		names["qbf schedules"] = append(names["qbf schedules"], nameValue{s.String(), s.Doc()})
	}
	for _, s := range family.Schedules(false) {
		names["schedules"] = append(names["schedules"], nameValue{s.String(), s.Doc()})
	}
	for _, m := range apimodel.AllModels() {
		names["models"] = append(names["models"], nameValue{Name: m.Name})
	}
	for _, l := range export.Languages {
		names["languages"] = append(names["languages"], nameValue{Name: l.Name})
	}
	for _, info := range format.All() {
		names["formats"] = append(names["formats"], nameValue{Name: string(info.Format)})
	}
	return names, nil
}

// A lockedArchive is an archive that several threads may read.
type lockedArchive struct {
	sync.Mutex
	*archive.Reader
}

type archiveRequest struct {
	Path string `json:"path"`
}

type archiveValue struct {
	Thing int64  `json:"thing"`
	Count int    `json:"count"`
	Torn  string `json:"torn,omitempty"`
}

func openArchive(request archiveRequest) (any, error) {
	a, err := archive.Open(request.Path)
	if err != nil {
		return nil, useError{err}
	}
	value := archiveValue{Count: a.Len()}
	if a.Torn != nil {
		value.Torn = sources.TornNote(request.Path, a)
	}
	value.Thing = keep(&lockedArchive{Reader: a})
	return value, nil
}

type archiveReadRequest struct {
	Thing int64 `json:"thing"`
	Index int   `json:"index"` // from 0
}

func readArchive(request archiveReadRequest) (any, error) {
	a, err := kept[*lockedArchive](request.Thing)
	if err != nil {
		return nil, err
	}
	a.Lock()
	defer a.Unlock()
	if request.Index < 0 || request.Index >= a.Len() {
		return nil, useError{fmt.Errorf("the archive has %d traces, there is no number %d", a.Len(), request.Index)}
	}
	t, err := a.Trace(request.Index)
	if err != nil {
		return nil, err
	}
	name, err := a.Name(request.Index)
	value := valueOf(t)
	value.Name = name
	return value, err
}
