package pipe

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const readSize = 64 << 10 // the capacity of a pipe

// A lineReader passes the lines of a runner's output from the goroutine that reads them to the
// one that runs traces.
type lineReader struct {
	from     *os.File
	received atomic.Int64 // bytes

	mu     sync.Mutex // guards unread and closed
	unread []byte
	closed bool          // no more output will come
	more   chan struct{} // holds a token if there may be new output

	// These belong to the goroutine that runs traces.
	buffer  []byte // ready has returned the bytes before at
	at      int
	scanned int // no line ends between at and scanned
}

// read reads as fast as the runner writes. Otherwise, the runner could wait for this process to
// read while this process waits for the runner.
func (r *lineReader) read() {
	defer r.deliver(nil, true)
	piece := make([]byte, readSize)
	for {
		n, err := r.from.Read(piece)
		if errors.Is(err, os.ErrDeadlineExceeded) { // the pipe still holds what the runner wrote before its end
			n = r.readAtOnce(piece)
		}
		r.received.Add(int64(n))
		if err != nil {
			r.deliver(piece[:n], true)
			return
		}
		r.deliver(piece[:n], false)
	}
}

// readAtOnce reads what the pipe holds, without waiting for more.
func (r *lineReader) readAtOnce(piece []byte) (n int) {
	r.from.SetReadDeadline(time.Time{})
	raw, err := r.from.SyscallConn()
	if err != nil {
		return 0
	}
	raw.Read(func(fd uintptr) bool {
		for n < len(piece) {
			more, err := unix.Read(int(fd), piece[n:])
			if err == unix.EINTR {
				continue
			}
			if err != nil || more <= 0 {
				break
			}
			n += more
		}
		return true
	})
	return n
}

// deliver hands over a piece of output. closed says that it is the last one.
func (r *lineReader) deliver(piece []byte, closed bool) {
	r.mu.Lock()
	r.unread = append(r.unread, piece...)
	r.closed = closed
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// take moves new output into the buffer. It returns false if there will be no more.
func (r *lineReader) take() bool {
	if r.at > 0 && r.at == len(r.buffer) {
		r.buffer, r.at, r.scanned = r.buffer[:0], 0, 0
	} else if r.at > len(r.buffer)/2 {
		r.buffer = r.buffer[:copy(r.buffer, r.buffer[r.at:])]
		r.scanned -= r.at
		r.at = 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buffer = append(r.buffer, r.unread...)
	r.unread = r.unread[:0]
	return !r.closed
}

// ready returns the next line, without its end, if the line is complete. The line is valid
// until the next take.
func (r *lineReader) ready() ([]byte, bool) {
	i := bytes.IndexByte(r.buffer[r.scanned:], '\n')
	if i < 0 {
		r.scanned = len(r.buffer)
		return nil, false
	}
	line := r.buffer[r.at : r.scanned+i]
	r.at = r.scanned + i + 1
	r.scanned = r.at
	return bytes.TrimSuffix(line, []byte("\r")), true
}
