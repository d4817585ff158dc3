package oracle

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func frames(places ...string) []trace.Frame {
	var list []trace.Frame
	for i, module := range places {
		list = append(list, trace.Frame{Module: module, Offset: uint64(0x1000 + i)})
	}
	return list
}

func TestEnds(t *testing.T) {
	const log = "hard 1 0; soft 1 4294967296; @3 hard 1 0; solve; @3 solve"
	for _, row := range []struct {
		name string
		run  trace.Run
		want string
	}{
		{"finished", trace.Run{}, ""},
		{"abort", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 6, Frames: frames("/lib/libc.so.6",
			"/x/libstdc++.so.6", "/opt/libfoo.so", "/usr/bin/ipafuzz", "/opt/libbar.so.1", "/opt/libfoo.so", "/opt/libfoo.so")}},
			"1.1 B 3 SIGABRT libfoo.so+0x1002 libbar.so.1+0x1004 libfoo.so+0x1005"},
		{"assertion", trace.Run{End: trace.Killed, Call: 4, Death: trace.Death{Signal: 6, Frames: frames("/opt/libfoo.so"),
			Stderr: "c hello\nfoo: /home/x/core/Solver.cc:123: void f(int): Assertion `a == b' failed.\n"}},
			"1.1 S 4 assertion Solver.cc:123"},
		{"bus", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 7}}, "1.2 B 3 SIGBUS in solve"},
		{"division by zero", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 8}}, "1.3 B 3 SIGFPE in solve"},
		{"kill", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 9}}, "1.4 B 3 SIGKILL in solve"},
		{"other signal", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 13}}, "1.4 B 3 signal 13 in solve"},
		{"segfault", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 11}}, "1.5 B 3 SIGSEGV in solve"},
		{"illegal instruction", trace.Run{End: trace.Killed, Call: 0, Death: trace.Death{Signal: 4}},
			"1.5 S 0 SIGILL in hard"},
		{"linked into the worker", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 11, Frames: []trace.Frame{
			{Module: "/lib/libc.so.6", Function: "free"}, {Module: "ipafuzz worker", Function: "descend.part.0"},
			{Module: "ipafuzz worker", Function: "descend"}, {Module: "ipafuzz worker", Function: "ref_solve"},
			{Module: "ipafuzz worker", Function: "walk"}}}},
			"1.5 B 3 SIGSEGV descend ref_solve"},
		{"the process's own entry", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 11,
			Frames: []trace.Frame{
				{Module: "/opt/libfoo.so", Function: "ipamir_solve"}, {Module: "ipafuzz worker", Function: "ipafuzz_exec"},
				{Module: "ipafuzz worker", Function: "main"}, {Module: "/lib/libc.so.6", Function: "__libc_start_main"},
				{Module: "ipafuzz worker", Function: "_start"}}}},
			"1.5 B 3 SIGSEGV ipamir_solve"},
		{"final release", trace.Run{End: trace.Killed, Call: 5, Death: trace.Death{Signal: 11}},
			"1.5 B 5 SIGSEGV in the final release"},
		{"destructor", trace.Run{End: trace.Killed, Call: 5, Death: trace.Death{Signal: 6, AtExit: true}},
			"1.1 B 5 at exit: SIGABRT in a destructor, when the process ended"},
		{"parent", trace.Run{End: trace.Killed, Call: 3, Death: trace.Death{Signal: 15, InParent: true}},
			"1.4 B 3 signal 15 in the process that forks for each trace"},
		{"exit", trace.Run{End: trace.Exited, Call: 3, Death: trace.Death{ExitCode: 3}}, "1.6 B 3 exit 3 in solve"},
		{"time", trace.Run{End: trace.OutOfTime, Call: 3}, "3.1 B 3 in solve"},
		{"CPU time", trace.Run{End: trace.OutOfCPU, Call: 3}, "3.1 B 3 in solve"},
		{"deadlock", trace.Run{End: trace.Deadlocked, Call: 3, Death: trace.Death{Threads: 2, Frames: []trace.Frame{
			{Module: "/lib/libc.so.6", Function: "__futex_abstimed_wait_common64"}, {Module: "/lib/libc.so.6",
				Function: "pthread_mutex_lock"}, {Module: "/opt/libfoo.so", Function: "_ZN4Pool4takeEv"},
			{Module: "/opt/libfoo.so", Function: "ipamir_solve"}}}}, "1.7 B 3 Pool::take ipamir_solve"},
		{"memory", trace.Run{End: trace.OutOfMemory, Call: 3}, "3.2 B 3 in solve"},
		{"output", trace.Run{End: trace.OutOfOutput, Call: 3}, "4.7 B 3 in solve"},
		{"leak", trace.Run{End: trace.Exited, Call: 5, Death: trace.Death{ExitCode: 23,
			Stderr: "==1==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 8 byte(s) in 1 object(s) allocated " +
				"from:\n    #0 0x7f in __interceptor_malloc x.cpp:1\n    #1 0x55 in Solver::init() /a/b.cc:7\n    #2 0x55 in " +
				"ipamir_init (/a/libx.so+0x123)\n\nSUMMARY"}},
			"5.7 B 5 leak sanitizer: leak Solver::init ipamir_init"},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr := parseLog(t, "ipamir", log)
			row.run.Answers = tr.Want
			got := ""
			for _, f := range New(Config{}).Judge(tr, &row.run) {
				got += strings.TrimSuffix(string(f.Class)+" "+f.Weight.String()+" "+string(rune('0'+f.Call))+" "+f.Detail, "\n")
			}
			if got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestSignalsHaveNames(t *testing.T) {
	for signal, want := range map[int]string{
		11: "signal 11 (SIGSEGV)", 13: "signal 13 (SIGPIPE)", 31: "signal 31 (SIGSYS)", 37: "signal 37",
	} {
		tr := parseLog(t, "ipasir", "add 1 0; solve")
		run := &trace.Run{Answers: tr.Want, End: trace.Killed, Call: 1, Death: trace.Death{Signal: signal}}
		found := New(Config{}).Judge(tr, run)
		if len(found) != 1 || found[0].Observed != want+" in solve" {
			t.Errorf("signal %d: %+v", signal, found)
		}
	}
}

func TestAnswersBeforeTheDeathAreJudged(t *testing.T) {
	tr := parseLog(t, "ipasir", "add 1 0; solve = 10; val 1 = -1; val 1 = 1; solve = 20")
	found := New(Config{}).Judge(tr, &trace.Run{Answers: tr.Want, End: trace.Killed, Call: 3,
		Death: trace.Death{Signal: 11}})
	if len(found) != 2 || line(found[0]) != "2.6 model 2 hard clause" || line(found[1]) != "1.5 end 3 SIGSEGV in val" {
		t.Errorf("%+v", found)
	}
	// The worst finding comes first even if the judge made it last.
	tr = parseLog(t, "ipasir", "add 1 0; solve = 0; solve = 20")
	found = New(Config{}).Judge(tr, &trace.Run{Answers: tr.Want, End: trace.OutOfTime, Call: 3})
	if len(found) != 3 || found[0].Class != ClaimsNoSolution || found[1].Class != TooSlow || found[2].Class != GaveUp {
		t.Errorf("%+v", found)
	}
}

func TestKeysAndSlugs(t *testing.T) {
	f := Finding{Class: NotOptimal, Weight: BigWeights, Detail: "not\noptimal", Call: 7, Observed: "x"}
	if got := f.Key("rc2 g4").String(); got != "rc2 g4 2.1 not optimal" {
		t.Errorf("key %q", got)
	}
	g := f
	g.Call, g.Observed, g.Check = 9, "y", "z" // ignore the fields that are not part of the key
	if f.Key("a") != g.Key("a") || f.Key("a").Slug() != g.Key("a").Slug() {
		t.Error("the key depends on more than class and detail")
	}
	safe := regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[A-Z]?)*[a-z0-9]$`)
	seen := map[string]bool{}
	for _, target := range []string{"a", "A", "../../etc", strings.Repeat("long name ", 50), "ünïcode", "", "a/b", "a\\b",
		"con"} {
		for _, detail := range []string{"not optimal", "SIGSEGV libx.so+0x1 liby.so+0x2", strings.Repeat("/", 500), ""} {
			f.Detail = detail
			slug := f.Key(target).Slug()
			if !safe.MatchString(slug) || len(slug) > 80 || seen[slug] {
				t.Errorf("%q, %q: slug %q", target, detail, slug)
			}
			seen[slug] = true
		}
	}
}
