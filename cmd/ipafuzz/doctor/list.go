// Package doctor finds out what targets are, what they can do, and what keeps ipafuzz from fuzzing them. It
// implements 'ipafuzz targets'.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// A Row is one target of a list.
type Row struct {
	Name         string      `json:"name"`
	File         string      `json:"file,omitempty"`
	Model        string      `json:"model,omitempty"`
	Way          replay.Kind `json:"way,omitempty"`
	Capabilities []string    `json:"capabilities"`
	Loads        bool        `json:"loads"`
	Signature    string      `json:"signature,omitempty"`
	Reason       string      `json:"reason,omitempty"` // why it does not load
}

// List tries the built-in target and those of the files, in parallel, because starting processes such as a
// Java machine takes most of the time. An empty model stands for the target's own. If List returns an
// error, that is not a fault of a target.
func List(model string, files []*targets.File) ([]*Row, error) {
	rows, sources := []*Row{{Name: "ref"}}, []*targets.File{nil}
	for _, file := range files {
		for _, name := range file.Names() {
			rows, sources = append(rows, &Row{Name: name, File: file.Path()}), append(sources, file)
		}
	}
	var fill sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	failed := make([]error, len(rows))
	for i, row := range rows {
		fill.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			failed[i] = row.fill(model, sources[i])
		})
	}
	fill.Wait()
	return rows, errors.Join(failed...)
}

func (r *Row) fill(model string, file *targets.File) error {
	target, err := targets.Resolve(r.Name, model, file)
	var hello replay.Hello
	if err == nil {
		r.Model, r.Way = target.Model.Name, target.Kind
		hello, err = replay.Greet(target, replay.DefaultLimits)
	}
	if unusable := new(replay.TargetError); errors.As(err, &unusable) {
		r.Reason = unusable.Reason
		return nil
	}
	if err == nil {
		r.Loads, r.Signature, r.Capabilities = true, hello.Signature, capabilities(hello.Description, target.Model)
	}
	return err
}

func capabilities(d *apimodel.Description, m *apimodel.Model) []string {
	had := []string{}
	for _, c := range apimodel.Capabilities() {
		if d.Has(c.Name) && m.Uses(c.Name) {
			had = append(had, c.Name)
		}
	}
	return had
}

// WriteList prints the rows as a table.
func WriteList(out io.Writer, rows []*Row) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tMODEL\tWAY\tCAN\tLOADS")
	for _, row := range rows {
		loads := "yes, as " + cmp.Or(row.Signature, "-")
		if !row.Loads {
			loads = "no: " + firstLine(row.Reason)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", row.Name, cmp.Or(row.Model, "-"), cmp.Or(string(row.Way), "-"),
			cmp.Or(strings.Join(row.Capabilities, " "), "-"), loads)
	}
	return table.Flush()
}

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		line += " ..."
	}
	return line
}
