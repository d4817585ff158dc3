package store

// A Disagreement is a solve that targets answer differently, with nothing to
// prove who is right. It is nobody's fault as far as is known, and it is said
// and kept all the same: it is where a person should look next.
type Disagreement struct {
	Target string // that is fuzzed
	Number uint64 // of the trace
	Seed   uint64
	Call   int // of the trace with the questions asked
	About  string
	Says   []string // "target: answer"
	Dir    string   // where it is kept; "" when it is not
}
