package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Reader reads an archive. To read any trace, it decompresses one frame. The sizes of the file
// and of its largest frame bound the Reader's memory, whatever the tables say. It is not for
// concurrent use.
type Reader struct {
	// Torn describes the torn end. It is nil if the archive is whole.
	Torn *Torn

	from    io.ReaderAt
	closer  io.Closer
	path    string
	size    int64
	end     int64 // end of the last good frame
	decoder *zstd.Decoder
	blocks  []block // all frames of the file
	frames  []frame // those that hold traces
	indexed int     // number of frames that an index describes
	indexes []indexPlace
	notice  notice // notice of the last batch
	cached  int    // the frame whose texts are in memory; -1: none
	texts   [][]byte
	hashes  map[int][]Hash // by number of the index; only of the indexes read so far
	names   map[int]*nameList
}

// A frame holds traces.
type frame struct {
	block
	first, count int
}

// An indexPlace is the place of an index.
type indexPlace struct {
	block
	first, traces int // traces
	names, packed uint32
	hashesAt      int64
	word          string
}

// Torn describes the end of an archive whose writer was killed, or that was damaged later.
type Torn struct {
	Offset int64  `json:"offset"` // where it begins
	Bytes  int64  `json:"bytes"`  // number of bytes that cannot be used
	Why    string `json:"why"`
	Lost   int    `json:"lost"` // number of traces in that end; -1: unknown
	// unsure says that the end is damaged and not just cut off. Frames after the damage may be
	// good.
	unsure bool
}

// IsArchive reports whether a file begins like an archive.
func IsArchive(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	magic := binary.LittleEndian.Uint32(head)
	return magic == zstdMagic || magic >= skippableFirst && magic <= skippableLast
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

func notRegular(path string) error {
	return fmt.Errorf("%s: an archive must be a regular file, because its tables are at its end "+
		"(for one that comes through a pipe, 'zstdcat | ipafuzz archive create NEW -' makes a new one)", path)
}

// NewReader returns a reader of an archive of size bytes. path is its name in errors.
func NewReader(from io.ReaderAt, size int64, path string) (*Reader, error) {
	r := &Reader{
		from: from, path: path, size: size, end: size, cached: -1, decoder: newDecoder(),
		hashes: make(map[int][]Hash), names: make(map[int]*nameList),
	}
	whole, err := r.readSeekTable()
	if err == nil && !whole {
		err = r.scan()
	}
	if err == nil {
		err = r.arrange()
	}
	if err != nil {
		r.decoder.Close()
		return nil, err
	}
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
	if len(r.frames) == 0 {
		return 0
	}
	last := &r.frames[len(r.frames)-1]
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

// arrange finds out which traces each frame holds.
func (r *Reader) arrange() error {
	for _, b := range r.blocks {
		if b.plain > 0 {
			r.frames = append(r.frames, frame{block: b})
			continue
		}
		if isNotice, err := r.readNotice(b); err != nil {
			return err
		} else if isNotice {
			continue
		}
		if err := r.readIndex(b); err != nil {
			return err
		}
	}
	defer func() {
		if r.Torn != nil {
			r.Torn.Lost = r.lost()
		}
	}()
	// If the writer was killed, no index describes the last frames. Decode them to count their traces.
	for i := r.indexed; i < len(r.frames); i++ {
		f := &r.frames[i]
		f.first = r.firstOf(i)
		texts, err := r.decode(f)
		if err != nil {
			if r.Torn == nil {
				return err
			}
			r.tear(f.at, err.Error())
			r.Torn.unsure = i < len(r.frames)-1
			r.frames = r.frames[:i]
			for k := range r.blocks {
				if r.blocks[k].at >= f.at {
					r.blocks = r.blocks[:k]
					break
				}
			}
			return nil
		}
		f.count = len(texts)
	}
	return nil
}

func (r *Reader) tear(at int64, why string) {
	r.end = at
	r.Torn = &Torn{Offset: at, Bytes: r.size - at, Why: why, Lost: -1}
}

func (r *Reader) firstOf(i int) int {
	if i == 0 {
		return 0
	}
	return r.frames[i-1].first + r.frames[i-1].count
}

// readIndex reads an index, which tells how many traces the frames before it hold. It
// ignores other skippable frames: older seek tables, and frames of other programs.
func (r *Reader) readIndex(b block) error {
	if b.size < uint32(indexHead) {
		return nil
	}
	head, err := r.read(b.at, indexHead)
	if err != nil {
		return err
	}
	kind := string(head[skippableHead : skippableHead+len(indexWord)])
	if binary.LittleEndian.Uint32(head) != indexMagic || !isIndex(kind) {
		return nil
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(head[skippableHead+len(indexWord)+4*i:]) }
	frames, traces, names, packed := word(0), word(1), word(2), word(3)
	hashes := hashBytes * uint64(traces)
	if kind != indexWord {
		hashes = 0
	}
	length := uint64(indexHead) + 4*uint64(frames) + hashes + uint64(packed) + 2*sumBytes
	switch {
	case length != uint64(b.size) || binary.LittleEndian.Uint32(head[4:]) != b.size-skippableHead:
		return r.damage(b.at, "the lengths in the index do not add up to its %d bytes", b.size)
	case uint64(frames) != uint64(len(r.frames)-r.indexed):
		return r.damage(b.at, "the index lists %d frames, before it are %d", frames, len(r.frames)-r.indexed)
	case names > maxNames || uint64(names) > min(plausible(packed), uint64(traces)*mostNameBytes):
		return r.damage(b.at, "the index has %d bytes of names for %d traces", names, traces)
	}
	body, err := r.read(b.at+skippableHead, indexHead-skippableHead+4*int(frames)+sumBytes)
	if err != nil {
		return err
	}
	summed := body[:len(body)-sumBytes]
	if binary.LittleEndian.Uint64(body[len(summed):]) != xxhash.Sum64(summed) {
		return r.damage(b.at, "the checksum of the index is wrong")
	}
	place := indexPlace{
		block: b, first: r.firstOf(r.indexed), traces: int(traces), names: names, packed: packed,
		hashesAt: b.at + skippableHead + int64(len(body)), word: kind,
	}
	total := uint64(0)
	for i := range int(frames) {
		f := &r.frames[r.indexed+i]
		count := binary.LittleEndian.Uint32(body[indexHead-skippableHead+4*i:])
		if total += uint64(count); count == 0 || uint64(count)*leastRecord > uint64(f.plain) {
			return r.damage(b.at, "the index lists %d traces in the frame at byte %d, which has %d bytes",
				count, f.at, f.plain)
		}
		f.first, f.count = r.firstOf(r.indexed+i), int(count)
	}
	if total != uint64(traces) {
		return r.damage(b.at, "the index lists %d traces, its frames have %d", traces, total)
	}
	r.indexed = len(r.frames)
	r.indexes = append(r.indexes, place)
	return nil
}

// decode returns the texts of a frame's traces.
func (r *Reader) decode(f *frame) ([][]byte, error) {
	text, err := r.decompress(f)
	if err != nil {
		return nil, err
	}
	texts, err := textsOf(text)
	switch {
	case err != nil:
		return nil, r.damage(f.at, "its traces cannot be read: %v", err)
	case f.count != 0 && f.count != len(texts):
		return nil, r.damage(f.at, "the frame holds %d traces, the index says %d", len(texts), f.count)
	}
	return texts, nil
}

// sumUnlisted computes the checksums of frames that no seek table lists.
func (r *Reader) sumUnlisted() error {
	at := 0
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.plain == 0 {
			continue
		}
		f := &r.frames[at]
		at++
		if b.listed {
			continue
		}
		text, err := r.decompress(f)
		if err != nil {
			return err
		}
		b.sum, b.listed = checksum(text), true
	}
	return nil
}

func (r *Reader) decompress(f *frame) ([]byte, error) {
	data, err := r.read(f.at, int(f.size))
	if err != nil {
		return nil, err
	}
	text, err := r.decoder.DecodeAll(data, make([]byte, 0, f.plain))
	switch {
	case err != nil:
		return nil, r.damage(f.at, "the frame cannot be decompressed to the %d bytes that it should have: %v", f.plain, err)
	case len(text) != int(f.plain):
		return nil, r.damage(f.at, "the frame has %d bytes of text and should have %d", len(text), f.plain)
	case f.listed && f.sum != checksum(text):
		return nil, r.damage(f.at, "the checksum of the frame is wrong")
	}
	return text, nil
}

// Text returns the text of trace i, counted from 0. It is valid until the next call.
func (r *Reader) Text(i int) ([]byte, error) {
	at := sort.Search(len(r.frames), func(k int) bool { return r.frames[k].first+r.frames[k].count > i })
	if i < 0 || at == len(r.frames) {
		return nil, fmt.Errorf("%s: there is no trace %d: it has %d", r.path, i+1, r.Len())
	}
	f := &r.frames[at]
	if r.cached != at {
		texts, err := r.decode(f)
		if err != nil {
			return nil, err
		}
		r.cached, r.texts = at, texts
	}
	return r.texts[i-f.first], nil
}

// Trace returns trace i, counted from 0.
func (r *Reader) Trace(i int) (*trace.Trace, error) {
	text, err := r.Text(i)
	if err != nil {
		return nil, err
	}
	return trace.Parse(bytes.NewReader(text), r.path+":"+strconv.Itoa(i+1))
}

// Hash returns the hash of trace i from the index.
func (r *Reader) Hash(i int) (Hash, error) {
	hash, _, err := r.entry(i, false)
	return hash, err
}

// Entry returns the hash and the name of trace i from the index. If no index of a torn archive
// has the trace, the name contains its number.
func (r *Reader) Entry(i int) (Hash, string, error) { return r.entry(i, true) }

func (r *Reader) entry(i int, named bool) (hash Hash, name string, err error) {
	k := sort.Search(len(r.indexes), func(k int) bool { return r.indexes[k].first+r.indexes[k].traces > i })
	if i < 0 || k == len(r.indexes) {
		text, err := r.Text(i)
		if err != nil {
			return hash, "", err
		}
		return HashOf(text), recoveredName(i), nil
	}
	place := &r.indexes[k]
	if r.names[k] == nil {
		if err := r.readEntries(k, place); err != nil {
			return hash, "", err
		}
	}
	if named {
		name = r.names[k].at(i - place.first)
	}
	if place.word == indexWord {
		return r.hashes[k][i-place.first], name, nil
	}
	text, err := r.Text(i)
	if err != nil {
		return hash, "", err
	}
	return HashOf(text), name, nil
}

// recoveredName returns the name of trace i if no index has one.
func recoveredName(i int) string { return fmt.Sprintf("recovered/%d.trace", i+1) }

func (r *Reader) readEntries(k int, place *indexPlace) error {
	hashed := place.traces
	if place.word != indexWord {
		hashed = 0
	}
	data, err := r.read(place.hashesAt, hashBytes*hashed+int(place.packed)+sumBytes)
	if err != nil {
		return err
	}
	summed := data[:len(data)-sumBytes]
	if binary.LittleEndian.Uint64(data[len(summed):]) != xxhash.Sum64(summed) {
		return r.damage(place.hashesAt, "the checksum of hashes and names is wrong")
	}
	hashes := make([]Hash, hashed)
	for i := range hashes {
		copy(hashes[i][:], summed[hashBytes*i:])
	}
	packed, err := r.decoder.DecodeAll(summed[hashBytes*hashed:], make([]byte, 0, place.names))
	if err != nil || len(packed) != int(place.names) {
		return r.damage(place.hashesAt, "the names cannot be decompressed to the %d bytes that they should have", place.names)
	}
	var names nameList
	if place.word == numberedWord {
		names, err = readNumbered(packed, place.traces)
	} else {
		names, err = readWhole(packed, place.traces)
	}
	if err != nil {
		return r.damage(place.hashesAt, "%v", err)
	}
	if names.count != place.traces {
		return r.damage(place.hashesAt, "the index has %d names for %d traces", names.count, place.traces)
	}
	r.hashes[k], r.names[k] = hashes, &names
	return nil
}
