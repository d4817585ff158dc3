package worker

import "testing"

// TestSealed: nobody can make the shared memory shorter, which would end ipafuzz by SIGBUS.
func TestSealed(t *testing.T) {
	m, err := New(Setup{}, Layout{Slots: 1, Jobs: 1, AnswerWords: 1, TraceWords: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, size := range []int64{0, 1 << 30} {
		if err := m.File().Truncate(size); err == nil {
			t.Fatalf("the shared memory has %d bytes now", size)
		}
	}
	m.bytes[0]++ // it can be written still
}
