package trace

// A given is a file that a trace was read from.
type given struct {
	format string
	text   []byte
	vars   int32  // the greatest variable, or the number of variables in the header if that is larger
	sum    uint64 // of the calls, which may have changed since
}

// Give keeps the file that the trace was read from, byte for byte. Programs get it in place of a file made from the
// calls, as long as these stay as they are. vars is the number of variables that it announces.
func (t *Trace) Give(format string, text []byte, vars int32) {
	t.given = given{format, text, vars, t.sum()}
}

// Given returns the file that the trace was read from, if it is in the format and no call has changed. Otherwise it
// returns nil.
func (t *Trace) Given(format string) []byte {
	if t.given.format != format || !t.HasGiven() {
		return nil
	}
	return t.given.text
}

// GivenVars returns the number of variables that the file announces, or 0 if a call has changed or there is no file.
func (t *Trace) GivenVars() int32 {
	if !t.HasGiven() {
		return 0
	}
	return t.given.vars
}

// HasGiven reports whether the trace was read from a file that programs get byte for byte.
func (t *Trace) HasGiven() bool { return t.given.text != nil && t.given.sum == t.sum() }

// WithoutGiven returns a copy of which programs get a file made from the calls.
func (t *Trace) WithoutGiven() *Trace {
	plain := t.Clone()
	plain.given = given{}
	return plain
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
