package veripb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// TestAsk uses a script in place of VeriPB; it prints the verdict that the proof itself contains.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	script := "#!/bin/sh\ncat \"$2\"\n" +
		"case $(cat \"$2\") in *Error*) exit 1;; *sleep*) exec sleep 60;; *die*) kill -9 $$;; " +
		"*allocation*) kill -6 $$;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, veriPB), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ said, want string }{
		{"Running\ns VERIFIED BOUNDS -3 <= obj <= 4\n", "BOUNDS -3 4"},
		{"s VERIFIED BOUNDS INF <= obj <= INF\n", "BOUNDS INF INF"},
		{"s VERIFIED UNSATISFIABLE\n", "UNSAT"},
		{"s VERIFIED NO CONCLUSION\n", "NONE"},
		{"s VERIFIED BOUNDS -5 <= obj <= 4\n", "unsupported"},
		{"s VERIFIED WELL\n", "unsupported"},
		{"Error: Verification error at /tmp/a/proof.veripb:6\n\nCaused by:\n\tNot implied.\n\nStack backtrace:\n 0: x\n",
			"unjustified line 6: VeriPB: Verification error Caused by: Not implied."},
		{"Error: Syntax error while parsing proof file!\n\nCaused by:\n    no `foo` at line 3 col 1.\n",
			"malformed line 3: VeriPB: Syntax error while parsing proof file! Caused by: no `foo` col 1."},
		{"Error: out of paper\n", "unsupported"},
		{"sleep", "unsupported"},
		{"die", "unsupported"},
		{"memory allocation of 7 bytes failed\n", "unsupported: needs more memory"},
	} {
		most := time.Minute
		if test.said == "sleep" {
			most = 10 * time.Millisecond
		}
		p := &Problem{shift: 4}
		c, err := Ask(p, []byte("formula"), ".opb", []byte(test.said), most)
		got := c.String()
		var r *read.Rejection
		switch {
		case errors.As(err, &r):
			got = r.Kind.String() + " " + strings.TrimPrefix(r.Error(), "proof ")
		case errors.Is(err, read.ErrUnsupported):
			got = "unsupported"
			if strings.Contains(err.Error(), "needs more than the 4 GB") {
				got += ": needs more memory"
			}
		case err != nil:
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: %q, not %q", test.said, got, test.want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Run("formula", "proof", time.Minute); !errors.Is(err, read.ErrUnsupported) {
		t.Errorf("without VeriPB: %v", err)
	}
}
