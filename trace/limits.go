package trace

import "math"

// Limits bound what a parser reads. A trace may come from anybody, so its content must not
// decide how much memory the parser uses. Fields that are 0 stand for the defaults.
type Limits struct {
	Bytes     int // of the whole file
	Line      int // bytes of one line, without its end
	Calls     int
	Literals  int // of all calls together; again of all right answers, and of all recorded ones
	Instances int // different instances
	Text      int // bytes of all options together; again of texts in all right answers, and in all recorded ones
	Notes     int // comment lines before the first call
	NoteBytes int // of all notes together
}

// DefaultLimits are the limits of Parse. A trace at all limits takes 384 MiB, and more while
// its arenas grow.
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

// maxOptionWord is the maximum length of an option's name or value in bytes.
const maxOptionWord = 256

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
