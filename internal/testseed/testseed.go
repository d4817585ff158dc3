// Package testseed gives tests that draw random numbers a seed that a person can
// set and that a failing test reports.
package testseed

import (
	"os"
	"strconv"
	"testing"
)

// Variable is the environment variable that sets the seed.
const Variable = "IPAFUZZ_SEED"

// Of returns the seed in IPAFUZZ_SEED, or usual if it is not set. If the test
// fails, its log says how to run it again with the same seed.
func Of(t testing.TB, usual uint64) uint64 {
	t.Helper()
	seed := usual
	if given := os.Getenv(Variable); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 0, 64); err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again with %s=%d", Variable, seed)
		}
	})
	return seed
}
