package trace

// A given is a file that a trace was read from.
type given struct {
	format string
	text   []byte
	sum    uint64 // of the calls, which may have changed since
}

// Give keeps the file that the trace was read from, byte for byte. Programs get it in place of a file made from the
// calls, as long as these stay as they are.
func (t *Trace) Give(format string, text []byte) { t.given = given{format, text, t.sum()} }

// Given returns the file that the trace was read from, if it is in the format and no call has changed. Otherwise it
// returns nil.
func (t *Trace) Given(format string) []byte {
	if t.given.text == nil || t.given.format != format || t.given.sum != t.sum() {
		return nil
	}
	return t.given.text
}

// TakeGiven gives t the file of another trace. It counts while the calls are the same.
func (t *Trace) TakeGiven(from *Trace) { t.given = from.given }

// sum returns a number that changes with the calls.
func (t *Trace) sum() uint64 {
	sum := uint64(len(t.Calls))
	add := func(n uint64) { sum = (sum ^ n) * 0x9e3779b97f4a7c15; sum ^= sum >> 29 }
	for i := range t.Calls {
		c := &t.Calls[i]
		add(uint64(c.Op) | uint64(c.Flags)<<8 | uint64(c.Instance)<<16 | uint64(c.Len)<<32)
		add(c.Num)
		if c.Op.HasLits() {
			for _, lit := range t.Args(c) {
				add(uint64(uint32(lit)))
			}
		}
	}
	return sum
}
