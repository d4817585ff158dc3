package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mostThreads is MOST_THREADS of text/mains.c. If a trace has more instances, ipafuzz makes the
// calls in order.
const mostThreads = 64

// A threaded says which parts of a program's body run in threads.
type threaded struct {
	begin int   // where the first part begins
	ends  []int // where the part of each thread ends; the next one begins there
}

// StartsThreads reports whether instances of the trace run in threads.
func StartsThreads(t *trace.Trace) bool { return threadsFrom(t) < len(t.Calls) }

// threadsFrom returns the index of the call from which on each instance has its own thread.
func threadsFrom(t *trace.Trace) int {
	for i := range t.Calls {
		if isThreads(t, &t.Calls[i]) {
			return i
		}
	}
	return len(t.Calls)
}

func isThreads(t *trace.Trace, c *trace.Call) bool {
	if c.Op != apimodel.OpOption {
		return false
	}
	name, value := t.Option(c)
	return name == apimodel.Threads && value == "1"
}

// calls writes all calls: in order up to the place where threads begin, then one instance
// after the other.
func (p *cProgram) calls() error {
	from := threadsFrom(p.t)
	for i := range from {
		p.call(i)
	}
	if from == len(p.t.Calls) {
		return nil
	}
	if p.t.Model == apimodel.IPASIR2 || p.t.Model.Quantified() {
		return cannotSay("programs with threads cannot call %s", p.t.Model.Name)
	}
	if p.fails || p.want.guarded || p.want.leak || p.want.message || p.want.apart {
		return cannotSay("a fault of class %s (%s) cannot be shown by a program with threads", p.o.Failure.Class,
			p.o.Failure.Detail)
	}
	p.unguard()
	p.threads = &threaded{begin: p.body.Len()}
	var instances []uint16
	for i := from; i < len(p.t.Calls); i++ {
		c := &p.t.Calls[i]
		if _, fails := p.failing(c); fails {
			return cannotSay("an allocation fails while threads run, so nobody knows whose")
		}
		if !isThreads(p.t, c) && !slices.Contains(instances, c.Instance) {
			instances = append(instances, c.Instance)
		}
	}
	if len(instances) > mostThreads {
		return cannotSay("programs have at most %d threads, and %d instances are called", mostThreads, len(instances))
	}
	for n, instance := range instances {
		for i := from; i < len(p.t.Calls); i++ {
			if c := &p.t.Calls[i]; c.Instance == instance && !isThreads(p.t, c) {
				p.line("meet (%d);", n)
				p.call(i)
			}
		}
		p.unguard()
		p.threads.ends = append(p.threads.ends, p.body.Len())
	}
	return nil
}

// functions returns the body split into functions. The function run makes all calls.
func (p *cProgram) functions(body string) string {
	if p.threads == nil {
		return "static void run (void)\n{\n" + body + "}\n"
	}
	var b, starts strings.Builder
	at := p.threads.begin
	for n, end := range p.threads.ends {
		fmt.Fprintf(&b, "static void thread_%d (void)\n{\n%s}\n\n", n, body[at:end])
		fmt.Fprintf(&starts, "  calls_of[%d] = thread_%d;\n", n, n)
		at = end
	}
	fmt.Fprintf(&b, "static void run (void)\n{\n%s%s  run_threads (%d);\n%s}\n", body[:p.threads.begin], &starts,
		len(p.threads.ends), body[at:])
	return b.String()
}

// inThreads gives each thread its own copies of the variables of the checks, and makes the count of
// faults atomic.
func inThreads(checks string) string {
	checks = strings.ReplaceAll(checks, "  faults++;", "  __atomic_fetch_add (&faults, 1, __ATOMIC_RELAXED);")
	for _, variable := range []string{"int8_t assignment[", "int32_t trail[", "size_t trailed;", "unsigned long effort;"} {
		checks = strings.ReplaceAll(checks, "static "+variable, "static __thread "+variable)
	}
	return checks
}
