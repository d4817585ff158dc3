package archive

import (
	"encoding/binary"

	"github.com/klauspost/compress/huff0"
)

// The columns of a campaign's traces become zstd frames whose blocks have a Huffman code and no matches: there are few,
// and to look for them takes most of an encoder's time.
const (
	oneSegment    = 2<<6 | 1<<5 // 4 bytes with the length of the content follow
	mostInBlock   = 128 << 10
	rawBlock      = 0
	codedBlock    = 2
	literalsHead  = 5
	codedLiterals = 2 | 3<<2 // four streams, lengths in 18 bits
	leastCoded    = 256      // bytes; the table of the code does not pay for fewer
)

// A huffman appends zstd frames. EncodeAll is like that of an encoder of package zstd.
type huffman struct{ scratch huff0.Scratch }

func (h *huffman) EncodeAll(content, dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, zstdMagic)
	dst = binary.LittleEndian.AppendUint32(append(dst, oneSegment), uint32(len(content)))
	for len(content) > mostInBlock {
		dst = h.block(dst, content[:mostInBlock], 0)
		content = content[mostInBlock:]
	}
	return h.block(dst, content, 1)
}

func (h *huffman) block(dst, content []byte, last int) []byte {
	if len(content) >= leastCoded {
		h.scratch.Reuse = huff0.ReusePolicyNone
		coded, _, err := huff0.Compress4X(content, &h.scratch)
		if size := literalsHead + len(coded) + 1; err == nil && size < len(content) {
			dst = appendBlockHead(dst, last|codedBlock<<1|size<<3)
			lengths := uint64(codedLiterals) | uint64(len(content))<<4 | uint64(len(coded))<<22
			dst = append(binary.LittleEndian.AppendUint32(dst, uint32(lengths)), byte(lengths>>32))
			return append(append(dst, coded...), 0) // no matches
		}
	}
	return append(appendBlockHead(dst, last|rawBlock<<1|len(content)<<3), content...)
}

func appendBlockHead(dst []byte, head int) []byte {
	return append(dst, byte(head), byte(head>>8), byte(head>>16))
}
