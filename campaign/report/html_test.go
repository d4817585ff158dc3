package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestTags checks that the page marks the findings that are special, and no others.
func TestTags(t *testing.T) {
	t.Parallel()
	d := read(t)
	met, whole := 0, 0
	for i, f := range d.Findings {
		if f.MetIn, f.IsMinimal = (oracle.Key{}), i%3 != 0; i%2 == 0 {
			f.MetIn = d.Findings[1].Key
			met++
		}
		if !f.IsMinimal {
			whole++
		}
	}
	var out bytes.Buffer
	if err := d.WriteHTML(&out, "v", time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]int{"seen only during another reduction": met, "not minimal": whole} {
		if got := strings.Count(out.String(), ` <span class="tag">`+tag+`</span>`); got != want {
			t.Errorf("%d findings are tagged %q, want %d of %d", got, tag, want, len(d.Findings))
		}
	}
}

// TestWhatTargetsSayStaysText checks that the text of a target never becomes markup.
func TestWhatTargetsSayStaysText(t *testing.T) {
	t.Parallel()
	d := read(t)
	const evil = `</script></style></title>"'><img src=x onerror=alert(1)>`
	f := d.Findings[0]
	f.Observed, f.Expected, f.Known, f.Stderr, f.C, f.Detail = evil, evil, evil, evil, evil, evil
	f.Key = oracle.Key{Target: evil, Class: evil, Detail: evil}
	f.Log = "ipafuzz 1 ipamir\n# " + evil + "\nsignature = \"" + evil + "\"\n" + evil + "\n"
	f.Target.Name, d.Targets[0] = evil, evil
	d.Runs[0].Record.Targets[0].Name = evil
	d.Runs[0].Record.Measures.Targets[0].Target = evil
	d.Notes = append(d.Notes, evil)
	var out bytes.Buffer
	if err := d.WriteHTML(&out, evil, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "<img") {
		at := strings.Index(out.String(), "<img")
		t.Errorf("text of a target is markup: %s", out.String()[max(0, at-200):at+40])
	}
}

// TestInvalidUTF8 checks that pages are UTF-8 even if targets write other bytes.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	f := &Finding{FindingRecord: store.FindingRecord{Dir: t.TempDir()}}
	if err := os.WriteFile(filepath.Join(f.Dir, "stderr.txt"), []byte("a\xff\x00\x1b[31mb\té\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := new(Data)
	d.readTraces(f)
	if want := "a\ufffd\ufffd\ufffd[31mb\té\n"; f.Stderr != want {
		t.Errorf("got %q, want %q", f.Stderr, want)
	}
	if notes := strings.Join(d.Notes, "\n"); strings.Count(notes, "which does not exist") != 2 {
		t.Errorf("about two missing traces it says %q", notes)
	}
}

func pageOf(t *testing.T, d *Data) string {
	t.Helper()
	var out bytes.Buffer
	if err := d.WriteHTML(&out, "test", time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
