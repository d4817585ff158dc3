package archive

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// TestHeaders: the headers of any traces are read as they were, and some traces are packed as text between them.
func TestHeaders(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, rand.Uint64()), 0))
	tables := []*notes.Words{{}, {}}
	for _, words := range tables {
		for i := range words {
			words[i] = fmt.Sprintf("word%d", r.IntN(100))
		}
	}
	var forms []*notes.Form
	for i := range 20 {
		origin := notes.Origin{Generator: fmt.Sprintf("gen/%d", i%7), Options: []string{fmt.Sprintf("schedule=%d", i%5)}}
		var words *notes.Words
		if i%3 > 0 {
			words = tables[i%3-1]
		}
		form := origin.Form(words)
		if i%4 > 0 {
			form = form.WithNumber("again: "+string(rune('a'+i%6))+"\x00n ", "\x00")
		}
		forms = append(forms, form)
	}
	forms = append(forms, nil, notes.NewForm([]string{"", "a note\x00s", "another"}), notes.NewForm(nil))
	var c headerColumn
	for range 100 {
		c.reset()
		var want [][]string
		h := notes.Header{}
		for range r.IntN(200) {
			if r.IntN(2) == 0 {
				h.Form = forms[r.IntN(len(forms))]
			}
			if h.Number++; r.IntN(5) == 0 {
				h.Number = r.Uint64() >> r.IntN(64)
			}
			h.Seed = gen.Seed(1, 2, h.Number)
			if r.IntN(5) == 0 {
				h.Seed = r.Uint64()
			}
			h.Words = r.Uint64() & r.Uint64() & r.Uint64() << r.IntN(64)
			if r.IntN(10) == 0 {
				c.skip()
				want = append(want, nil)
			} else {
				c.add(&h)
				want = append(want, h.Notes())
			}
		}
		reader := headerReader{fields: fields{data: c.data}}
		for i := range want {
			if got, err := reader.next(); err != nil || !slices.Equal(got, want[i]) {
				t.Fatalf("header %d is %q (%v), want %q", i, got, err, want[i])
			}
		}
		if len(reader.data) > 0 {
			t.Fatalf("%d bytes are left", len(reader.data))
		}
	}
}

// TestSeedsTakeNoSpace: of the traces of a campaign, the headers have what differs, which are not the seeds.
func TestSeedsTakeNoSpace(t *testing.T) {
	origin := notes.Origin{Generator: "g/1"}
	h, column := notes.Header{Form: origin.Form(nil)}, headerColumn{}
	const n = 1000
	for i := range uint64(n) {
		h.Number, h.Seed = 100+i, gen.Seed(7, 3, 100+i)
		column.add(&h)
	}
	if size := len(column.data); size > 3*n+100 {
		t.Errorf("%d headers take %d bytes", n, size)
	}
	for range 100 {
		if seed := rand.Uint64(); mix(unmix(seed)) != seed {
			t.Fatalf("unmix(%#x) is %#x, which mix makes %#x", seed, unmix(seed), mix(unmix(seed)))
		}
	}
}

// TestFrameTakesNoMemory: to add a trace to a frame that has been full allocates nothing.
func TestFrameTakesNoMemory(t *testing.T) {
	f, traces := new(Frame), []*trace.Trace{}
	for i := range 50 {
		traces = append(traces, parse(t, string(text(i))))
	}
	words := notes.Words{"a", "b", "c"}
	origin := notes.Origin{Generator: "g/1"}
	forms := []*notes.Form{origin.Form(&words), origin.Form(nil)}
	number, name := uint64(0), []byte(nil)
	add := func() {
		for _, each := range traces {
			number++
			name = strconv.AppendUint(append(name[:0], "0-0-"...), number, 10)
			f.Add(name, &notes.Header{Form: forms[number%2], Number: number, Seed: gen.Seed(1, 0, number),
				Words: number % 8}, each)
		}
		if f.Full() {
			f.Reset()
		}
	}
	for range 200 {
		add()
	}
	if got := testing.AllocsPerRun(200, add); got > 0 {
		t.Errorf("adding %d traces allocates %v times", len(traces), got)
	}
}

// FuzzHeaders: any bytes are headers within the limits of a trace, or an error.
func FuzzHeaders(f *testing.F) {
	var c headerColumn
	words := notes.Words{"a", "b", "c"}
	origin, form := notes.Origin{Generator: "g/1"}, notes.NewForm(nil).WithNumber("gen=test/1 seed=", "")
	for i := range uint64(3) {
		c.add(&notes.Header{Form: origin.Form(&words), Number: 7 * i, Seed: i, Words: i})
		c.add(&notes.Header{Form: form, Number: 7*i + 1, Seed: i})
		c.skip()
	}
	f.Add(c.data)
	f.Fuzz(func(t *testing.T, data []byte) {
		for r := (headerReader{fields: fields{data: data}}); len(r.data) > 0; {
			lines, err := r.next()
			if err != nil {
				return
			}
			size := 0
			for _, line := range lines {
				size += len(line)
			}
			if len(lines) > trace.DefaultLimits.Notes || size > trace.DefaultLimits.NoteBytes {
				t.Fatalf("%d notes of %d bytes", len(lines), size)
			}
		}
	})
}
