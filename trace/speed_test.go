package trace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// thousandCalls returns a typical trace: clauses of three literals, and a solve with two questions every 50 calls.
func thousandCalls() *Trace {
	t := &Trace{}
	t.Reset(apimodel.IPAMIR)
	for i := 0; len(t.Calls) < 1000; i++ {
		v := int32(i%200 + 1)
		switch {
		case i%50 == 49:
			t.Plain(0, apimodel.OpSolve)
			t.Plain(0, apimodel.OpObj)
			t.Literal(0, apimodel.OpVal, v)
		case i%4 == 0:
			t.Soft(0, v, uint64(i)*1000003)
		default:
			t.Clause(0, true, v, -v-1, v+100)
		}
	}
	t.Calls = t.Calls[:1000]
	return t
}

func TestParsingTakesFewAllocations(t *testing.T) {
	text := thousandCalls().String()
	if n := testing.AllocsPerRun(20, func() {
		if _, err := ParseString(text); err != nil {
			t.Fatal(err)
		}
	}); n > 30 {
		t.Errorf("ParseString of 1,000 calls: %v allocations, want at most 30", n)
	} else {
		t.Logf("ParseString: %v allocations", n)
	}
	if n := testing.AllocsPerRun(20, func() {
		if _, err := Parse(strings.NewReader(text), "x"); err != nil {
			t.Fatal(err)
		}
	}); n > 30 {
		t.Errorf("Parse of 1,000 calls: %v allocations, want at most 30", n)
	} else {
		t.Logf("Parse: %v allocations", n)
	}
}

func TestPrintingTakesNoAllocation(t *testing.T) {
	tr := thousandCalls()
	tr.Notes = []string{"gen=tiny/1", "two\nlines"}
	tr.SetOption(0, "name", "value")
	buffer := tr.AppendText(nil)
	if n := testing.AllocsPerRun(20, func() { buffer = tr.AppendText(buffer[:0]) }); n != 0 {
		t.Errorf("AppendText to a large buffer: %v allocations", n)
	}
	run := &Run{End: Killed, Call: len(tr.Calls)}
	for range tr.Calls {
		run.Answers.Of = append(run.Answers.Of, Answer{Kind: Answered})
	}
	buffer = tr.AppendLog(buffer[:0], run)
	if n := testing.AllocsPerRun(20, func() { buffer = tr.AppendLog(buffer[:0], run) }); n != 0 {
		t.Errorf("AppendLog to a large buffer: %v allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	text := thousandCalls().String()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseString(text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
}

func BenchmarkParseSyntax(b *testing.B) {
	text := []byte(thousandCalls().String())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseSyntax(bytes.NewReader(text), "x"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
}

func BenchmarkPrint(b *testing.B) {
	tr := thousandCalls()
	buffer := tr.AppendText(nil)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = tr.AppendText(buffer[:0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
}

func BenchmarkCheck(b *testing.B) {
	tr := thousandCalls()
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(tr); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
}

func BenchmarkEncode(b *testing.B) {
	var encoder Encoder
	var words []uint32
	tr := thousandCalls()
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if words, err = encoder.Append(words[:0], tr); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tr.Calls)), "ns/call")
}

func BenchmarkDecodeAnswers(b *testing.B) {
	var encoder Encoder
	tr := thousandCalls()
	encoded, err := encoder.Append(nil, tr)
	if err != nil {
		b.Fatal(err)
	}
	var words []uint32
	for i := range tr.Calls {
		length := map[apimodel.Op]int{apimodel.OpSolve: 7, apimodel.OpObj: 2, apimodel.OpVal: 1}[tr.Calls[i].Op]
		words = append(words, uint32(Answered)|uint32(length)<<8)
		words = append(words, make([]uint32, length)...)
	}
	var answers Answers
	b.ReportAllocs()
	for b.Loop() {
		if err := DecodeAnswers(tr, encoded, words, &answers); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tr.Calls)), "ns/call")
}
