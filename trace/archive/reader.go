package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Reader reads an archive. To read any trace, it decompresses one section. The sizes of the file and of its largest
// section bound the Reader's memory, whatever the heads say. It is not for concurrent use.
type Reader struct {
	// Torn describes the torn end. It is nil if the archive is whole.
	Torn *Torn

	from     io.ReaderAt
	closer   io.Closer
	path     string
	size     int64
	end      int64 // of the last good section
	decoder  *zstd.Decoder
	sections []section
	cached   int // the section whose content is in memory; -1: none
	content  *content
}

// Torn describes the end of an archive whose writer was killed, or that was damaged later.
type Torn struct {
	Offset int64  `json:"offset"` // where it begins
	Bytes  int64  `json:"bytes"`  // number of bytes that cannot be used
	Why    string `json:"why"`
	Lost   int    `json:"lost"` // number of traces that are known to be in that end; -1: unknown
	// unsure says that the end is damaged and not just cut off. Sections after the damage may be good.
	unsure bool
}

// Open opens an archive.
func Open(path string) (*Reader, error) {
	// Opening a pipe would wait for its writer.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := openFile(file, path)
	if err != nil {
		file.Close()
		return nil, err
	}
	r.closer = file
	return r, nil
}

func openFile(file *os.File, path string) (*Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	return NewReader(file, info.Size(), path)
}

func notRegular(path string) error { return fmt.Errorf("%s: an archive must be a regular file", path) }

// NewReader returns a reader of an archive of size bytes. path is its name in errors.
func NewReader(from io.ReaderAt, size int64, path string) (*Reader, error) {
	r := &Reader{from: from, path: path, size: size, cached: -1}
	if err := r.scan(); err != nil {
		return nil, err
	}
	r.decoder = newDecoder()
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error {
	r.decoder.Close()
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Len returns the number of traces.
func (r *Reader) Len() int {
	if len(r.sections) == 0 {
		return 0
	}
	last := &r.sections[len(r.sections)-1]
	return last.first + last.count
}

func (r *Reader) damage(at int64, format string, args ...any) error {
	return &DamageError{File: r.path, Offset: at, What: fmt.Sprintf(format, args...)}
}

func (r *Reader) read(at int64, n int) ([]byte, error) {
	data := make([]byte, n)
	if _, err := r.from.ReadAt(data, at); err != nil {
		return nil, fmt.Errorf("%s: at byte %d: %w", r.path, at, err)
	}
	return data, nil
}

// scan reads all heads. The file is torn where no whole section follows, or if no end mark ends it.
func (r *Reader) scan() error {
	isEnded := false
	for r.end < r.size {
		head, err := r.read(r.end, int(min(int64(headBytes), r.size-r.end)))
		if err != nil {
			return err
		}
		if n := min(len(head), 8+len(headWord)); len(head) < headBytes && bytes.Equal(head[:n], endMark[:n]) {
			r.tear("the file ends in the middle of a head", -1)
			return nil
		}
		s, wrong := section{}, "no traces begin here"
		if len(head) == headBytes {
			s, wrong = parseHead(head)
		}
		if wrong != "" {
			return r.misfit(wrong)
		}
		s.at, s.first = r.end+int64(headBytes), r.Len()
		if s.at+int64(s.size) > r.size {
			r.tear("the file ends in the middle of a section", s.count)
			return nil
		}
		if isEnded = s.size == 0; !isEnded {
			r.sections = append(r.sections, s)
		}
		r.end = s.at + int64(s.size)
	}
	switch {
	case r.size == 0:
		return r.damage(0, "this is not an archive: the file is empty")
	case !isEnded:
		return r.unended()
	}
	return nil
}

func (r *Reader) tear(why string, lost int) {
	r.Torn = &Torn{Offset: r.end, Bytes: r.size - r.end, Why: why, Lost: lost}
}

// misfit tears the archive where there is no head, or returns an error if there never was one.
func (r *Reader) misfit(wrong string) error {
	isZero, err := r.isZeroFrom(r.end)
	switch {
	case err != nil:
		return err
	case isZero: // after a power failure, a file may have its full length, but zeros at its end
		r.tear("the file ends with zeros", -1)
		return r.dropZeros()
	case r.end == 0:
		return r.damage(0, "this is not an archive: %s", wrong)
	}
	r.tear(wrong, -1)
	r.Torn.unsure = true
	return nil
}

// unended tears an archive without an end mark.
func (r *Reader) unended() error {
	r.tear("there is no end mark: the writing was cut off", 0)
	return r.dropZeros()
}

// dropZeros drops the last sections while their data was not written, though their heads were.
func (r *Reader) dropZeros() error {
	for len(r.sections) > 0 {
		s := &r.sections[len(r.sections)-1]
		data, err := r.read(s.at, int(s.size))
		if err != nil || xxhash.Sum64(data) == s.sum || len(bytes.TrimRight(data, "\x00")) == len(data) {
			return err
		}
		r.end = s.at - int64(headBytes)
		r.tear("the data of the last section is not there", s.count+max(0, r.Torn.Lost))
		r.sections = r.sections[:len(r.sections)-1]
	}
	return nil
}

func (r *Reader) isZeroFrom(at int64) (bool, error) {
	for at < r.size {
		piece, err := r.read(at, int(min(64<<10, r.size-at)))
		if err != nil || len(bytes.Trim(piece, "\x00")) > 0 {
			return false, err
		}
		at += int64(len(piece))
	}
	return true, nil
}

// load returns the content of the section with trace i, and the number of the trace there.
func (r *Reader) load(i int) (c *content, number int, err error) {
	at := sort.Search(len(r.sections), func(k int) bool { return r.sections[k].first+r.sections[k].count > i })
	if i < 0 || at == len(r.sections) {
		return nil, 0, fmt.Errorf("%s: there is no trace %d: it has %d", r.path, i+1, r.Len())
	}
	s := &r.sections[at]
	if r.cached != at {
		c, err := r.decode(s)
		if err != nil {
			return nil, 0, r.damage(s.at, "its traces cannot be read: %v", err)
		}
		r.cached, r.content = at, c
	}
	return r.content, i - s.first, nil
}

func (r *Reader) decode(s *section) (*content, error) {
	data, err := r.read(s.at, int(s.size))
	if err != nil {
		return nil, err
	}
	if xxhash.Sum64(data) != s.sum {
		return nil, errors.New("their checksum is wrong")
	}
	plain, err := r.decoder.DecodeAll(data, make([]byte, 0, s.plain))
	switch {
	case err != nil:
		return nil, fmt.Errorf("they cannot be decompressed to %d bytes: %w", s.plain, err)
	case len(plain) != int(s.plain):
		return nil, fmt.Errorf("they have %d bytes and should have %d", len(plain), s.plain)
	}
	return readContent(plain, s.count)
}

// Text returns the text of trace i, counted from 0. It is valid until the next call.
func (r *Reader) Text(i int) ([]byte, error) {
	c, number, err := r.load(i)
	if err != nil {
		return nil, err
	}
	texts, err := c.texts()
	if err != nil {
		return nil, r.damage(r.sections[r.cached].at, "its traces cannot be read: %v", err)
	}
	return texts[number], nil
}

// Trace returns trace i, counted from 0.
func (r *Reader) Trace(i int) (*trace.Trace, error) {
	text, err := r.Text(i)
	if err != nil {
		return nil, err
	}
	return trace.Parse(bytes.NewReader(text), r.path+":"+strconv.Itoa(i+1))
}

// Name returns the name of trace i.
func (r *Reader) Name(i int) (string, error) {
	c, number, err := r.load(i)
	if err != nil {
		return "", err
	}
	return c.names[number], nil
}

// Hash returns the hash of trace i.
func (r *Reader) Hash(i int) (Hash, error) {
	text, err := r.Text(i)
	return HashOf(text), err
}
