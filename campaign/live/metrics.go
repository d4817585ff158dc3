package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The text format of Prometheus has one line for each number. Its client library would link protocol
// buffers and a registry just for a dozen numbers.

// A metric is a name with its samples.
type metric struct {
	name, kind, help string
	samples          []labelled
}

type labelled struct {
	labels []string // names and values alternate
	value  float64
}

// AppendMetrics appends the sample to dst in the text format of Prometheus.
func AppendMetrics(dst []byte, s *Sample) []byte {
	byTarget := func(value func(*Target) float64) []labelled {
		var all []labelled
		for i := range s.Targets {
			all = append(all, labelled{[]string{"target", s.Targets[i].Name}, value(&s.Targets[i])})
		}
		return all
	}
	one := func(value float64) []labelled { return []labelled{{nil, value}} }
	var findings, generated, spent []labelled
	for _, p := range slices.Concat(parts(&s.Times), partsBeside(&s.FollowUps)) {
		spent = append(spent, labelled{[]string{"part", p.Name}, p.Took.Seconds()})
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		for _, class := range slices.Sorted(maps.Keys(t.Findings)) {
			findings = append(findings, labelled{[]string{"target", t.Name, "class", class}, float64(t.Findings[class])})
		}
	}
	for i := range s.Kinds {
		generated = append(generated, labelled{[]string{"profile", s.Kinds[i].Name}, float64(s.Kinds[i].Traces)})
	}
	paused := 0.0
	if s.Paused {
		paused = 1
	}
	for _, m := range []metric{
		{"ipafuzz_elapsed_seconds", "gauge", "Time since the start.", one(s.Elapsed.Seconds())},
		{"ipafuzz_paused", "gauge", "1 while the run is paused.", one(paused)},
		{"ipafuzz_traces_total", "counter", "Traces that were run and judged.",
			byTarget(func(t *Target) float64 { return float64(t.Traces) })},
		{"ipafuzz_solves_total", "counter", "Calls of solve that were answered.",
			byTarget(func(t *Target) float64 { return float64(t.Solves) })},
		{"ipafuzz_deaths_total", "counter", "Traces that ended their process.",
			byTarget(func(t *Target) float64 { return float64(t.Deaths) })},
		{"ipafuzz_solve_seconds_total", "counter", "Time inside solve.",
			byTarget(func(t *Target) float64 { return t.Solving.Seconds() })},
		{"ipafuzz_time_seconds_total", "counter",
			"Where the time of the workers goes, and that of follow-ups beside them.", spent},
		{"ipafuzz_standstill_seconds_total", "counter", "Time in which no new trace ran.",
			one(s.FollowUps.Standstill.Total.Seconds())},
		{"ipafuzz_follow_ups", "gauge", "Failures that are being confirmed or reduced, or wait for it.",
			one(float64(s.FollowUps.InProgress + s.FollowUps.Queued))},
		{"ipafuzz_busy_seconds_total", "counter", "Time of the workers.",
			byTarget(func(t *Target) float64 { return t.Busy.Seconds() })},
		{"ipafuzz_generated_total", "counter", "Traces by the profile that made them.", generated},
		{"ipafuzz_faults", "gauge", "Faults: groups of findings with one cause.",
			byTarget(func(t *Target) float64 { return float64(t.Faults) })},
		{"ipafuzz_findings", "gauge", "Different findings by class.", findings},
		{"ipafuzz_unconfirmed", "gauge", "Failures that were not confirmed.", one(float64(s.Doubtful))},
		{"ipafuzz_cpu_seconds_total", "counter", "CPU time of ipafuzz and its child processes.",
			one(s.Process.CPU.Seconds())},
		{"ipafuzz_memory_bytes", "gauge", "Resident memory of ipafuzz, and of the processes of targets.",
			[]labelled{{[]string{"of", "ipafuzz"}, float64(s.Process.Own)},
				{[]string{"of", "targets"}, float64(s.Process.Children)}}},
		{"ipafuzz_processes", "gauge", "Processes of targets.", one(float64(s.Process.Count))},
	} {
		if len(m.samples) == 0 {
			continue
		}
		dst = fmt.Appendf(dst, "# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
		for _, l := range m.samples {
			dst = append(dst, m.name...)
			for i := 0; i < len(l.labels); i += 2 {
				separator := cmp.Or(strings.Repeat(",", min(i, 1)), "{")
				dst = fmt.Appendf(dst, "%s%s=\"%s\"", separator, l.labels[i], escaped(l.labels[i+1]))
			}
			if len(l.labels) > 0 {
				dst = append(dst, '}')
			}
			dst = append(strconv.AppendFloat(append(dst, ' '), l.value, 'g', -1, 64), '\n')
		}
	}
	return dst
}

func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "?"))
}

// Serve serves metrics under /metrics. Call stop to end it and close the listener.
func Serve(listener net.Listener, sample func() Sample) (stop func()) {
	var turn sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		turn.Lock()
		s := sample()
		turn.Unlock()
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Write(AppendMetrics(nil, &s))
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Write(bytes.TrimSpace([]byte("ipafuzz: metrics are under /metrics\n")))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			listener.Close()
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		server.Shutdown(ctx)
		<-ended
	}
}
