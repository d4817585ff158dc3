package registry

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// sizes returns the sizes of what the registry keeps in addition to findings. None may grow with the number
// of traces.
func (r *Registry) sizes() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	sizes := map[string]int{"attempts": r.kinds, "unconfirmed": len(r.unconfirmed), "open": r.open,
		"reserved": 0, "pending": 0, "hits": 0}
	for _, e := range r.entries {
		sizes["hits"] += len(e.fresh)
		if e.owner != nil {
			sizes["reserved"]++
		}
		if e.pending != (pending{}) {
			sizes["pending"]++
		}
	}
	return sizes
}

// TestHardIsNoFailure checks that a trace that may be hard is not counted and does not hide a failure with its key.
func TestHardIsNoFailure(t *testing.T) {
	r := New(Config{})
	hard := store.Unconfirmed{Key: oracle.Key{Class: oracle.TooSlow}, Hard: true}
	failed := hard
	failed.Hard = false
	for i, row := range []struct {
		next store.Unconfirmed
		want int
	}{{hard, 0}, {failed, 1}, {hard, 1}} {
		r.Unconfirmed(row.next)
		if _, n := r.Counts(); n != row.want {
			t.Errorf("step %d: %d are counted, want %d", i, n, row.want)
		}
	}
	if o := r.Outcome(); len(o.Unconfirmed) != 1 || o.Unconfirmed[0].Hard {
		t.Errorf("%+v are left", o.Unconfirmed)
	}
}

// TestTooManyKinds checks that a target whose failures are all different does not fill the memory.
func TestTooManyKinds(t *testing.T) {
	r := New(Config{})
	const kinds = mostKinds + 1000
	for i := range kinds {
		key := oracle.Key{Detail: fmt.Sprint("key ", i)}
		if wanted := r.Wants(key, false); wanted != (i < mostKinds) {
			t.Fatalf("failure %d is wanted: %v", i, wanted)
		}
		r.Unconfirmed(store.Unconfirmed{Key: key, Finding: oracle.Finding{Class: oracle.NotOptimal}})
		r.Settled(key, false)
	}
	for what, n := range r.sizes() {
		if n > mostKinds {
			t.Errorf("%d of %s are kept", n, what)
		}
	}
	if o := r.Outcome(); o.Beyond < 1000 || len(o.Unconfirmed) != mostUnconfirmed {
		t.Errorf("%d are counted beyond, %d unconfirmed are kept", o.Beyond, len(o.Unconfirmed))
	}
	if !r.Wants(oracle.Key{Detail: "key 0"}, false) {
		t.Error("a known key is not wanted any more")
	}
}

// A slowKeeper is slow, and counts how many goroutines use it at once.
type slowKeeper struct {
	mu          sync.Mutex
	at, most    int
	puts, drops int
}

func (k *slowKeeper) enter() {
	k.mu.Lock()
	k.at++
	k.most = max(k.most, k.at)
	k.mu.Unlock()
	time.Sleep(10 * time.Microsecond)
	k.mu.Lock()
	k.at--
	k.mu.Unlock()
}

func (k *slowKeeper) Put(f *store.Finding) error {
	k.enter()
	k.puts++
	f.Dir = f.Key.Slug()
	return nil
}

func (k *slowKeeper) Replace(f *store.Finding) error { return k.Put(f) }

func (k *slowKeeper) Drop(*store.Finding) error { k.enter(); k.drops++; return nil }

// TestManyLanes lets 16 goroutines find the same 2,000 failures, with callbacks that call the registry.
// Every failure is announced once, in the order in which the findings are listed, and no hit is lost.
func TestManyLanes(t *testing.T) {
	const lanes, kinds = 16, 2000
	keeper := new(slowKeeper)
	var r *Registry
	var announced []oracle.Key
	r = New(Config{Keeper: keeper, Announce: func(f *store.Finding, fresh bool) {
		if found, _ := r.Counts(); !fresh || found != len(announced)+1 {
			t.Errorf("%s is announced as number %d, of %d findings", f.Key, len(announced)+1, found)
		}
		r.Wants(f.Key, true)
		if len(announced)%100 == 0 {
			r.Watch()
			r.Outcome()
			r.Save(new(store.State))
		}
		announced = append(announced, f.Key)
	}})
	tr := new(trace.Trace)
	var all sync.WaitGroup
	for lane := range lanes {
		all.Go(func() {
			for i := range kinds {
				key := oracle.Key{Target: "t", Class: oracle.Abort, Detail: fmt.Sprint((i + lane*97) % kinds)}
				if !r.Wants(key, true) {
					continue
				}
				f := &store.Finding{Key: key, Original: tr, Minimal: tr, Facts: store.Facts{Rate: confirmed}}
				if !r.Reserve(f) {
					t.Errorf("%s is pending twice", key)
				}
				r.Progress(f, dd.Progress{})
				if i%7 == 0 {
					r.Confirm(f)
				}
				if err := r.Add(f); err != nil {
					t.Error(err)
				}
				r.Release(f)
				r.Settled(key, true)
			}
		})
	}
	all.Wait()
	found := r.Found()
	if len(found) != kinds || len(announced) != kinds || keeper.most != 1 {
		t.Errorf("%d findings, %d announced, %d stored at once; want %d, %d, 1",
			len(found), len(announced), keeper.most, kinds, kinds)
	}
	for i, f := range found {
		if f.Key != announced[i] {
			t.Fatalf("finding %d is %s, announced was %s", i, f.Key, announced[i])
		}
		if f.Hits != lanes+1 { // one for each lane and one for the callback
			t.Errorf("%s: %d hits, want %d", f.Key, f.Hits, lanes+1)
		}
	}
	if held := r.sizes(); held["reserved"]+held["pending"] != 0 {
		t.Errorf("left: %v", held)
	}
}

// TestEnough checks that, at the limit, Add refuses findings and drops those that were stored early.
func TestEnough(t *testing.T) {
	keeper := new(slowKeeper)
	r := New(Config{Keeper: keeper, Most: 1})
	tr := new(trace.Trace)
	one := &store.Finding{Key: oracle.Key{Detail: "one"}, Original: tr, Minimal: tr}
	two := &store.Finding{Key: oracle.Key{Detail: "two"}, Original: tr, Minimal: tr, Facts: store.Facts{Rate: confirmed}}
	r.Confirm(two)
	if err := r.Add(one); !errors.Is(err, ErrEnough) {
		t.Errorf("the first: %v", err)
	}
	if err := r.Add(two); !errors.Is(err, ErrEnough) || keeper.drops != 1 || len(r.Found()) != 1 {
		t.Errorf("the second: %v, %d dropped, %d findings", err, keeper.drops, len(r.Found()))
	}
}

// TestConfirm checks that a finding is stored before its reduction ends, once.
func TestConfirm(t *testing.T) {
	keeper := new(slowKeeper)
	r := New(Config{Keeper: keeper})
	tr := new(trace.Trace)
	for range 2 {
		r.Confirm(&store.Finding{Key: oracle.Key{Detail: "x"}, Original: tr, Minimal: tr,
			Facts: store.Facts{Rate: confirmed}})
		if keeper.puts != 1 {
			t.Errorf("stored %d times", keeper.puts)
		}
	}
}

var confirmed = trial.Rate{Failed: 1, Runs: 1}
