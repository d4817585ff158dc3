package oracle

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestAfterFailedAllocation: after a failed allocation a library may report errors and give up. Everything
// else that is wrong from then on has class 5.8. Earlier failures keep their class.
func TestAfterFailedAllocation(t *testing.T) {
	crash := trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 11}}
	throws := trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 6,
		Stderr: "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"}}
	throwsInInit := throws
	throwsInInit.Death.InInit = true
	for _, row := range []struct {
		name, model, log string
		run              trace.Run
		failed           int // the call in which the allocation failed
		want             string
	}{
		{"nothing wrong", "ipasir", "add 1 0; solve = 10; val 1 = 1", trace.Run{}, 1, ""},
		{"gave up", "ipasir", "add 1 0; solve = 0; solve = 10", trace.Run{}, 1, ""},
		{"gave up before", "ipasir", "add 1 0; solve = 0; solve = 10", trace.Run{}, 2, "4.4 1 gives up without reason"},
		{"error", "ipamir", "hard 1 0; solve = 40", trace.Run{}, 0, ""},
		{"wrong then", "ipasir", "add 1 0; solve = 20", trace.Run{}, 0, "5.8 1 then: 2.5 claims no solution"},
		{"wrong before", "ipasir", "add 1 0; solve = 20; solve = 10", trace.Run{}, 2,
			"2.5 1 claims no solution; 5.8 2 then: 5.4 status"},
		{"unknown status", "ipasir", "add 1 0; solve = 40", trace.Run{}, 0, "5.8 1 then: 4.1 unknown status"},
		{"crash", "ipasir", "add 1 0; add 2 0; add 3 0; solve", crash, 1, "5.8 3 then: 1.5 SIGSEGV in solve"},
		{"crash before", "ipasir", "add 1 0; add 2 0; add 3 0; solve", crash, -1, "1.5 3 SIGSEGV in solve"},
		{"in the final release", "ipasir", "add 1 0", trace.Run{End: trace.Killed, Call: 1,
			Death: trace.Death{Signal: 6}}, 1, "5.8 1 then: 1.1 SIGABRT in the final release"},
		{"exception", "ipasir", "add 1 0; add 2 0; add 3 0; solve", throws, 1,
			"5.8 3 then: 1.1 uncaught std::bad_alloc in solve"},
		{"exception in a query", "ipasir", "add 1 0; add 2 0; solve = 10; model", throws, 1,
			"5.8 3 then: 1.1 uncaught std::bad_alloc in val"},
		{"exception before", "ipasir", "add 1 0; add 2 0; add 3 0; solve", throws, -1, "1.1 3 uncaught std::bad_alloc"},
		{"exception in init", "ipasir", "add 1 0; add 2 0; add 3 0; solve", throwsInInit, 3,
			"5.8 3 then: 1.1 uncaught std::bad_alloc in init"},
		{"hang", "ipasir", "add 1 0; add 2 0; add 3 0; solve", trace.Run{End: trace.OutOfTime, Call: 3}, 1,
			"3.1 3 in solve"},
	} {
		tr := parseLog(t, row.model, row.log)
		row.run.Answers, row.run.FailedAllocation = tr.Want, row.failed+1
		var got []string
		for _, f := range New(Config{}).Judge(tr, &row.run) {
			got = append(got, string(f.Class)+" "+string(rune('0'+f.Call))+" "+f.Detail)
		}
		if strings.Join(got, "; ") != row.want {
			t.Errorf("%s: got  %q\nwant %q", row.name, got, row.want)
		}
	}
}

// TestAllocationFailedEarlier: everything that is wrong after an allocation failed in an earlier trace has class
// 5.8, and its key names what it is without that allocation.
func TestAllocationFailedEarlier(t *testing.T) {
	tr := parseLog(t, "ipasir", "add 1 0; solve = 20")
	run := trace.Run{Answers: tr.Want, FailedEarlier: true}
	findings := New(Config{}).Judge(tr, &run)
	if len(findings) != 1 || findings[0].Class != FailedAllocation ||
		!strings.Contains(findings[0].Observed, "in an earlier trace of the process") {
		t.Fatalf("findings %+v", findings)
	}
	for _, row := range []struct{ key, want string }{
		{findings[0].Key("lib").String(), "lib 2.5 claims no solution"},
		{"lib 5.8 then: 1.5 SIGSEGV in solve", "lib 1.5 SIGSEGV in solve"},
		{"lib 1.5 SIGSEGV in solve", "lib 1.5 SIGSEGV in solve"},
		{"lib 5.8 other", "lib 5.8 other"},
	} {
		key, err := parseKey(row.key)
		if err != nil {
			t.Fatal(err)
		}
		if got := key.WithoutAllocation().String(); got != row.want {
			t.Errorf("%s: got %s, want %s", row.key, got, row.want)
		}
	}
}
