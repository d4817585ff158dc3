package message

import (
	"strings"
	"testing"
)

// globalRace is a report of gcc's libtsan about a race on a counter.
const globalRace = `==================
WARNING: ThreadSanitizer: data race (pid=27730)
  Read of size 4 at 0x7f4c01c8f03c by thread T1:
    #0 ipasir_solve /tmp/racing.c:4 (libracing.so+0x1178)
    #1 answer_solve /src/exec.c:98 (ipafuzz+0xcb6453)

  Previous write of size 4 at 0x7f4c01c8f03c by thread T2 (mutexes: write M1):
    #0 memcpy ../tsan_interceptors.cpp:827 (libtsan.so.2+0x6216e)
    #1 Solver::count(int, char const*) /tmp/racing.cc:9 (libracing.so+0x1189)

  Location is global 'solves' of size 4 at 0x7f4c01c8f03c (libracing.so+0x403c)

SUMMARY: ThreadSanitizer: data race /tmp/racing.c:4 in ipasir_solve
==================
`

// TestRaces: a race has the same name whichever thread is reported first. Races in the executor are not blamed
// on the target.
func TestRaces(t *testing.T) {
	heap := strings.Replace(globalRace, "Location is global 'solves'", "Location is heap block", 1)
	turned := strings.NewReplacer("#0 ipasir_solve /tmp/racing.c:4", "#0 Solver::count(int) /tmp/racing.cc:9",
		"Solver::count(int, char const*) /tmp/racing.cc:9", "ipasir_solve /tmp/racing.c:4").Replace(heap)
	bare := strings.NewReplacer("#0 ipasir_solve /tmp/racing.c:4", "#0 <null> <null>",
		"#1 Solver::count(int, char const*) /tmp/racing.cc:9", "#1 <null> <null>").Replace(heap)
	own := strings.NewReplacer("ipasir_solve /tmp/racing.c:4 (libracing.so", "ipafuzz_walk /exec.c:4 (ipafuzz",
		"Solver::count(int, char const*) /tmp/racing.cc:9 (libracing.so", "make /exec.c:9 (ipafuzz").Replace(heap)
	for name, row := range map[string]struct{ text, detail, accesses string }{
		"global": {globalRace, "thread sanitizer: data race on solves",
			"read in ipasir_solve (racing.c:4), write in Solver::count (racing.cc:9)"},
		"heap": {heap, "thread sanitizer: data race in Solver::count and ipasir_solve",
			"read in ipasir_solve (racing.c:4), write in Solver::count (racing.cc:9)"},
		"turned": {turned, "thread sanitizer: data race in Solver::count and ipasir_solve",
			"read in Solver::count (racing.cc:9), write in ipasir_solve (racing.c:4)"},
		"bare": {bare, "thread sanitizer: data race in libracing.so+0x1178 and libracing.so+0x1189",
			"read in libracing.so+0x1178, write in libracing.so+0x1189"},
		"own": {own, "", "read in ipafuzz_walk (exec.c:4), write in make (exec.c:9)"},
	} {
		if _, got := Error(row.text); got != row.detail {
			t.Errorf("%s: got %q, want %q", name, got, row.detail)
		}
		if got := Race(row.text); got != row.accesses {
			t.Errorf("%s: got %q, want %q", name, got, row.accesses)
		}
	}
	if got := Race("ERROR: no race"); got != "" {
		t.Errorf("got the race %q", got)
	}
}
