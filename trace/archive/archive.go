// Package archive keeps many traces in one file: packed, compressed and with checksums of everything. A Reader reads
// one trace of a million without the others. docs/archive.md describes the file.
package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Extension is the extension of an archive's file name.
const Extension = ".traces.zst"

const (
	maxName  = 4096
	maxFrame = 256 << 20 // bytes: a trace of the longest text that the parser accepts, and others before it

	zstdMagic      = 0xFD2FB528
	skippableFirst = 0x184D2A50
	skippableLast  = 0x184D2A5F
)

// A section of the file is a head and its data: the columns of a Frame, each compressed with zstd. The head is a
// skippable frame of zstd, little endian:
//
//	u32 0x184D2A5A, u32 36
//	"IPAFTRC4"; the digit is the version
//	u32 traces, u32 bytes of the data, u32 bytes of the data without compression
//	u64 xxhash of the data
//	u64 xxhash of the bytes before, from "IPAFTRC4" on
//
// A head without data ends an archive. Behind it may stand what was added later.
const (
	headMagic = 0x184D2A5A
	headWord  = "IPAFTRC4"
	headBytes = 8 + len(headWord) + 3*4 + 2*8
)

// A section is a place in the file, and the traces there.
type section struct {
	at           int64 // where the data begins
	size, plain  uint32
	sum          uint64
	first, count int // traces
}

func appendHead(dst []byte, count, plain int, data []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, headMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(headBytes-8))
	from := len(dst)
	dst = append(dst, headWord...)
	for _, n := range []int{count, len(data), plain} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	dst = binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(data))
	return binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[from:]))
}

var endMark = appendHead(nil, 0, 0, nil)

// leastRecord is the minimum number of bytes that a trace takes before compression.
const leastRecord = 4

// parseHead reads the head of a section. It returns what is wrong with it, or "".
func parseHead(head []byte) (s section, wrong string) {
	word := head[8 : 8+len(headWord)]
	switch family := headWord[:len(headWord)-1]; {
	case bytes.HasPrefix(word, []byte(family)) && string(word) != headWord:
		return s, fmt.Sprintf("the archive has an unknown version (%q; this ipafuzz reads %q)", word, headWord)
	case !bytes.Equal(head[:8+len(headWord)], endMark[:8+len(headWord)]):
		return s, "no traces begin here"
	case binary.LittleEndian.Uint64(head[headBytes-8:]) != xxhash.Sum64(head[8:headBytes-8]):
		return s, "the checksum of the head is wrong"
	}
	number := func(i int) uint32 { return binary.LittleEndian.Uint32(head[8+len(headWord)+4*i:]) }
	s = section{count: int(number(0)), size: number(1), plain: number(2)}
	s.sum = binary.LittleEndian.Uint64(head[headBytes-16:])
	// A block of four bytes stands for at most 128 KiB.
	if s.plain > maxFrame || uint64(s.plain) > uint64(s.size)<<15 || uint64(s.count)*leastRecord > uint64(s.plain) ||
		(s.count == 0) != (s.size == 0) {
		return s, fmt.Sprintf("the %d bytes of the section cannot have %d traces in %d bytes", s.size, s.count, s.plain)
	}
	return s, ""
}

// A Hash identifies a trace by its text, including the notes. Of 37 million archives of a
// million traces, one has two traces with the same hash.
type Hash [8]byte

// HashOf returns the hash of a trace's text.
func HashOf(text []byte) Hash {
	sum := sha256.Sum256(text)
	return Hash(sum[:8])
}

// A DamageError is a contradiction in an archive.
type DamageError struct {
	File   string
	Offset int64 // bytes from the start of the file
	What   string
}

// Error returns the message.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: at byte %d: %s", e.File, e.Offset, e.What)
}

// IsArchive reports whether a file begins like an archive. Any file of zstd does: a reader says what is wrong.
func IsArchive(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	magic := binary.LittleEndian.Uint32(head)
	return magic == zstdMagic || magic >= skippableFirst && magic <= skippableLast
}

// newEncoder returns an encoder for all columns of an archive. To make one for each would cost more than encoding a
// small one.
func newEncoder() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
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

// checkTrace refuses what an archive cannot hold.
func checkTrace(name string, t *trace.Trace, text []byte) error {
	if len(name) > maxName {
		return fmt.Errorf("the name %.40q... of a trace is longer than %d bytes", name, maxName)
	}
	if t.Model == nil || len(text) > trace.DefaultLimits.Bytes {
		return fmt.Errorf("%s: a trace without a model, or longer than a trace may be", name)
	}
	return nil
}
