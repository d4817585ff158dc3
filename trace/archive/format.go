// Package archive keeps many traces in one file: standard zstd frames with the text of the
// traces, which zstdcat can print, an index, and a seek table. With these tables, a Reader reads
// one trace of a million without the others. docs/archive.md describes the file.
package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// Extension is the extension of an archive's file name.
const Extension = ".traces.zst"

const (
	// FrameBytes is the minimum number of bytes of text in each frame but the last. Larger
	// frames compress better, but reading one trace takes longer.
	FrameBytes = 64 << 10

	maxFrame  = 128<<20 + FrameBytes // the longest trace that the parser accepts, after nearly FrameBytes of others
	maxNames  = 256 << 20            // bytes of the names in one index
	maxName   = 4096
	leastText = len("ipafuzz 1 ipasir\n")

	zstdMagic      = 0xFD2FB528
	skippableFirst = 0x184D2A50
	skippableLast  = 0x184D2A5F
	seekTableMagic = 0x184D2A5E // a skippable frame, as the seekable format of zstd has it
	seekTableEnd   = 0x8F92EAB1 // the last word of the file
	indexMagic     = 0x184D2A5A // a skippable frame, whose first word says what it is
	indexWord      = "IPAFIDX1"
	unhashedWord   = "IPAFIDX2" // an index without hashes
	numberedWord   = "IPAFIDX3" // the same with the names as prefixes and numbers

	skippableHead = 8
	seekEntry     = 12
	seekFoot      = 9
	indexHead     = skippableHead + len(indexWord) + 4*4
	hashBytes     = 8
	sumBytes      = 8
)

// A Hash identifies a trace by its text, including the notes. Of 37 million archives of a
// million traces, one has two traces with the same hash. Hashes of twice the length would take
// another tenth of the space of small traces.
type Hash [hashBytes]byte

// HashOf returns the hash of a trace's text.
func HashOf(text []byte) Hash {
	sum := sha256.Sum256(text)
	return Hash(sum[:hashBytes])
}

// A DamageError is a contradiction between an archive and its tables.
type DamageError struct {
	File   string
	Offset int64 // bytes from the start of the file
	What   string
}

// Error returns the message.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: at byte %d: %s", e.File, e.Offset, e.What)
}

// An index describes the frames since the previous index: the number of traces in each, and
// the hashes and names of these traces, in order.
type index struct {
	word     string // what it begins with
	counts   []uint32
	hashes   []Hash     // none unless word is indexWord
	names    []byte     // the names, each with a NUL after it
	numbered []numbered // instead, if word is numberedWord
	traces   int
}

// next returns the empty index for the frames that follow.
func (x *index) next() index {
	return index{word: x.word, counts: x.counts[:0], hashes: x.hashes[:0], names: x.names[:0], numbered: x.numbered[:0]}
}

func (x *index) addName(name string) {
	x.names = append(append(x.names, name...), 0)
	x.traces++
}

func (x *index) add(hash Hash, name string) {
	x.hashes = append(x.hashes, hash)
	x.addName(name)
}

func (x *index) addFrame(f *PackedFrame) {
	x.counts, x.traces = append(x.counts, f.count), x.traces+int(f.count)
	x.numbered = append(x.numbered, f.names...)
}

// appendTo appends the index as a skippable frame:
//
//	u32 0x184D2A5A, u32 length of the rest
//	"IPAFIDX1", u32 frames, u32 traces, u32 bytes of names, u32 compressed bytes of names
//	u32 traces of each frame
//	u64 xxhash of the bytes before, from "IPAFIDX1" on
//	8 bytes hash of each trace, only if the index begins with "IPAFIDX1"
//	the names, each with a NUL after it, or as type numbered says if the index begins with "IPAFIDX3"; compressed
//	u64 xxhash of hashes and compressed names
func (x *index) appendTo(dst []byte, encoder *zstd.Encoder) ([]byte, error) {
	if x.word == numberedWord {
		x.names = appendNumbered(x.names[:0], x.numbered)
	}
	if len(x.names) > maxNames {
		return dst, fmt.Errorf("the names of the traces have more than %d bytes", maxNames)
	}
	packed := encoder.EncodeAll(x.names, nil)
	length := uint64(indexHead-skippableHead) + 4*uint64(len(x.counts)) + 2*sumBytes +
		hashBytes*uint64(len(x.hashes)) + uint64(len(packed))
	if length > math.MaxUint32 {
		return dst, errors.New("too many traces for one index")
	}
	dst = binary.LittleEndian.AppendUint32(dst, indexMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(length))
	from := len(dst)
	dst = append(dst, x.word...)
	for _, n := range []int{len(x.counts), x.traces, len(x.names), len(packed)} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	for _, n := range x.counts {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	dst = binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[from:]))
	from = len(dst)
	for i := range x.hashes {
		dst = append(dst, x.hashes[i][:]...)
	}
	dst = append(dst, packed...)
	return binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[from:])), nil
}

// A block is a frame of the file: one with text, or a skippable one.
type block struct {
	at     int64
	size   uint32 // bytes in the file
	plain  uint32 // bytes of its text; 0 for a skippable frame
	sum    uint32 // checksum of its text in the seek table
	listed bool   // a seek table lists it
}

// appendSeekTable appends a seek table of all frames before it. The library for the seekable
// format cannot do that, because it lists only frames that it wrote itself, and an archive may
// grow.
func appendSeekTable(dst []byte, blocks []block) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, seekTableMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(seekEntry*len(blocks)+seekFoot))
	for i := range blocks {
		for _, n := range []uint32{blocks[i].size, blocks[i].plain, blocks[i].sum} {
			dst = binary.LittleEndian.AppendUint32(dst, n)
		}
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(blocks)))
	dst = append(dst, 1<<7) // the entries have checksums
	return binary.LittleEndian.AppendUint32(dst, seekTableEnd)
}

func checksum(text []byte) uint32 { return uint32(xxhash.Sum64(text)) }

// newEncoder returns an encoder for all frames of an archive. To make one for each frame would
// cost more than encoding a small frame.
func newEncoder() *zstd.Encoder { return newEncoderOf(zstd.SpeedBetterCompression) }

func newEncoderOf(level zstd.EncoderLevel) *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level))
	if err != nil {
		panic(err) // the options are wrong
	}
	return encoder
}

func newDecoder() *zstd.Decoder {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame),
		zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return decoder
}

// checkName refuses names that the index cannot hold.
func checkName(name string) error {
	if len(name) > maxName || strings.Contains(name, "\x00") {
		return fmt.Errorf("the name %.40q... of a trace is longer than %d bytes, or has a NUL", name, maxName)
	}
	return nil
}

func isIndex(word string) bool {
	return word == indexWord || word == unhashedWord || word == numberedWord
}
