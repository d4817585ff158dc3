package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// TestLeaks: CaDiCaL 2.2.0 loses memory in the traces of the folder leaks, later releases do not. No registry has
// 2.2.0, so that it is tested only where somebody has built it as current.mk says.
func TestLeaks(t *testing.T) {
	traces, err := filepath.Glob("../leaks/*.trace")
	if err != nil || len(traces) != 2 {
		t.Fatalf("the traces: %v, %v", traces, err)
	}
	leaky := filepath.Join(built, "cadical-2.2.0.so")
	for _, name := range []string{leaky, "cadical-2.2.1", "cadical-3.0.1"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			target := openRelease(t, name)
			for _, path := range traces {
				growth, err := trial.HeapGrowth(t.Context(), target, suite.Limits, driver.ReadTrace(t, path))
				if err != nil || (growth > 0) != (name == leaky) {
					t.Errorf("%s: each run loses %d bytes, %v", path, growth, err)
				}
			}
		})
	}
}

// openRelease returns a target of the targets file, or the library at a path, if it is there.
func openRelease(t *testing.T, name string) *replay.Target {
	t.Helper()
	if filepath.Ext(name) != ".so" {
		return open(t, name)
	}
	if _, err := os.Stat(name); err != nil {
		t.Skip("current.mk says how to build it")
	}
	target, err := targets.Resolve(name, "ipasir+cadical", nil)
	if err != nil {
		t.Fatal(err)
	}
	return target
}
