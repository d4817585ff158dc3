package archive

import (
	"encoding/binary"

	"github.com/klauspost/compress/huff0"
)

// Frames of packed traces are zstd frames without matches: each block has its bytes in a Huffman code. The encoder of
// package zstd finds few matches in them, and spends most of its time on that.
const (
	frameMagic = 0xFD2FB528
	// oneSegment: the frame has a checksum and 4 bytes with the length of its content, which is also its window.
	oneSegment    = 2<<6 | 1<<5 | 1<<2
	mostInBlock   = 128 << 10
	blockHead     = 3
	rawBlock      = 0
	codedBlock    = 2
	literalsHead  = 5
	codedLiterals = 2 | 3<<2 // four streams, lengths in 18 bits
	leastCoded    = 256      // bytes; the table of the code does not pay for fewer
)

// A huffmanFrame appends a zstd frame block by block.
type huffmanFrame struct{ scratch huff0.Scratch }

// begin appends the head of a frame.
func (h *huffmanFrame) begin(dst []byte, length int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, frameMagic)
	return binary.LittleEndian.AppendUint32(append(dst, oneSegment), uint32(length))
}

// add appends the blocks of a part of the content, with a code of their own.
func (h *huffmanFrame) add(dst, part []byte) []byte {
	for len(part) > 0 {
		n := min(len(part), mostInBlock)
		dst, part = h.block(dst, part[:n]), part[n:]
	}
	return dst
}

// end appends an empty last block and the checksum of the content.
func (h *huffmanFrame) end(dst []byte, sum uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, 1|rawBlock<<1, 0, 0), sum)
}

func (h *huffmanFrame) block(dst, content []byte) []byte {
	if len(content) >= leastCoded {
		h.scratch.Reuse = huff0.ReusePolicyNone
		coded, _, err := huff0.Compress4X(content, &h.scratch)
		if size := literalsHead + len(coded) + 1; err == nil && size < len(content) {
			dst = appendBlockHead(dst, codedBlock, size)
			lengths := uint64(codedLiterals) | uint64(len(content))<<4 | uint64(len(coded))<<22
			dst = append(binary.LittleEndian.AppendUint32(dst, uint32(lengths)), byte(lengths>>32))
			return append(append(dst, coded...), 0) // no matches
		}
	}
	return append(appendBlockHead(dst, rawBlock, len(content)), content...)
}

func appendBlockHead(dst []byte, kind, size int) []byte {
	head := kind<<1 | size<<3
	return append(dst, byte(head), byte(head>>8), byte(head>>16))
}
