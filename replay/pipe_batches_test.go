package replay_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestPipeInterrupt: a queue that waits for a hanging runner can be ended.
func TestPipeInterrupt(t *testing.T) {
	t.Parallel()
	runner := openRunner(t, resolve(t, runnerSpec("hangs"), "ipamir"), replay.Persistent, replay.DefaultLimits)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := runner.Run(ctx, provoked(t), new(trace.Run)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	run(t, runner, calm(t))
}

// TestPipeBlamesTheNext: a runner that collects its answers takes those to the last
// calls of a trace with it when it ends in the next one.
func TestPipeBlamesTheNext(t *testing.T) {
	t.Parallel()
	queue, err := replay.OpenQueue(resolve(t, runnerSpec("dies-unflushed"), "ipamir"), replay.Persistent, tight,
		replay.QueueOptions{Ahead: 1, Traces: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	batch := &replay.Batch{Traces: []*trace.Trace{calm(t), calm(t), provoked(t), calm(t)}}
	if _, err := queue.Post(batch); err != nil {
		t.Fatal(err)
	}
	for !batch.Complete() {
		if _, err := queue.Collect(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range batch.Runs {
		got, want := &batch.Runs[i], trace.Finished
		if i == 2 {
			want = trace.Exited
		}
		if got.End != want || want == trace.Exited && got.Call != provokedSolve-2 {
			t.Errorf("trace %d: %v in call %d, want %v", i, got.End, got.Call, want)
		}
	}
}

// TestPipeBatches: batches posted ahead come back in order, and a death in one
// costs one trace.
func TestPipeBatches(t *testing.T) {
	t.Parallel()
	queue, err := replay.OpenQueue(resolve(t, runnerSpec("exits"), "ipamir"), replay.Persistent, tight,
		replay.QueueOptions{Ahead: 3, Traces: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	batches := make([]*replay.Batch, 3)
	for k := range batches {
		batches[k] = &replay.Batch{}
		for i := range 8 {
			tr := calm(t)
			if (k*8+i)%5 == 3 {
				tr = provoked(t)
			}
			batches[k].Traces = append(batches[k].Traces, tr)
		}
		if n, err := queue.Post(batches[k]); n != 8 || err != nil {
			t.Fatalf("%d traces were taken: %v", n, err)
		}
	}
	if _, err := queue.Post(&replay.Batch{Traces: batches[0].Traces}); err == nil {
		t.Error("a fourth batch was taken")
	}
	before := 0
	for k := 0; k < len(batches); {
		b, err := queue.Collect()
		if err != nil {
			t.Fatal(err)
		}
		if b != batches[k] {
			t.Fatal("the batches come in another order")
		}
		for i := b.Fresh; i < b.Done; i++ {
			want := trace.Finished
			if (k*8+i)%5 == 3 {
				want = trace.Exited
			}
			if b.Runs[i].End != want || b.Before[i] != before {
				t.Errorf("trace %d: %v after %d others, want %v after %d", k*8+i, b.Runs[i].End, b.Before[i], want, before)
			}
			if before++; want == trace.Exited {
				before = 0
			}
		}
		if b.Complete() {
			k++
		}
	}
	if _, err := queue.Collect(); err == nil {
		t.Error("something was collected that was not posted")
	}
}
