package trace

import "math"

// Limits bound what a parser reads. A trace may come from anywhere, so its content must
// not decide how much memory the parser uses. Zero fields stand for the defaults.
type Limits struct {
	Bytes     int // of the whole file
	Line      int // bytes of one line, without its end
	Calls     int
	Literals  int // of all calls together, and again of all expectations together
	Instances int // different instances
	Text      int // bytes of all options together, and again of all expected texts together
	Notes     int // comment lines before the first call
	NoteBytes int // of all notes together
}

// DefaultLimits are the limits of Parse. A trace at all limits takes about 300 MB,
// and somewhat more while it grows.
var DefaultLimits = Limits{
	Bytes:     128 << 20,
	Line:      4 << 20,
	Calls:     2 << 20,
	Literals:  16 << 20,
	Instances: MaxInstances,
	Text:      16 << 20,
	Notes:     1000,
	NoteBytes: 64 << 10,
}

// MaxOptionWord is the length of an option's name or value in bytes.
const MaxOptionWord = 256

func (l Limits) withDefaults() Limits {
	standard := DefaultLimits.fields()
	for i, field := range l.fields() {
		if *field <= 0 {
			*field = *standard[i]
		}
	}
	// Every literal and every byte of an option takes at least a byte of the
	// file, so positions in the arenas fit into 32 bits.
	l.Bytes = min(l.Bytes, math.MaxInt32)
	l.Line = min(l.Line, l.Bytes)
	return l
}

func (l *Limits) fields() []*int {
	return []*int{&l.Bytes, &l.Line, &l.Calls, &l.Literals, &l.Instances, &l.Text, &l.Notes, &l.NoteBytes}
}
