package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestGivenUp checks that a failure that is given up is called confirmed only with a line that takes it back.
func TestGivenUp(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "told"))
	if err != nil {
		t.Fatal(err)
	}
	m := &Monitor{status: NewStatus(out, 0)}
	original := new(trace.Trace)
	announce := func(detail string) *store.Finding {
		f := &store.Finding{Finding: oracle.Finding{Class: oracle.Abort, Detail: detail}, Original: original,
			Minimal: original}
		f.Key = f.Finding.Key("t")
		m.Confirmed(f)
		return f
	}
	await := func(what string) {
		for told := ""; !strings.Contains(told, what); time.Sleep(soon / 10) {
			text, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			told = string(text)
		}
	}
	slow := announce("slow")
	await("slow")
	quick := announce("quick")
	m.GivenUp(quick, "it seldom fails")
	m.GivenUp(slow, "it seldom fails")
	last := announce("last")
	await("last") // the announcement of quick would come before this one
	m.Found(last)
	text, err := os.ReadFile(out.Name())
	want := "confirmed 1.1 abort: slow (trace 0, 0 calls), which is being reduced\n" +
		"not confirmed after all: 1.1 abort: slow (trace 0); it seldom fails\n" +
		"confirmed 1.1 abort: last (trace 0, 0 calls), which is being reduced\n" +
		"found 1.1 abort: last (trace 0, 0 calls)\n"
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, text, want)
	}
}
