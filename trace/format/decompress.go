package format

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"

	"github.com/ipafuzz/ipafuzz/trace"
)

// mostWindow bounds the window of a decompressor, and so its memory. The reader of the format bounds
// the text.
const mostWindow = 128 << 20

// A plain is a decompressed file.
type plain struct {
	io.Reader
	close func()
}

// Unpack decompresses a file whose first bytes say that it is compressed. It reports whether it is.
func Unpack(r io.Reader, file string) (io.Reader, bool, error) {
	p, err := decompress(r, file)
	if err != nil {
		return nil, true, err
	}
	_, isPlain := p.Reader.(*bufio.Reader)
	return p, !isPlain, nil
}

// decompress decompresses a file whose first bytes say that it is compressed.
func decompress(r io.Reader, file string) (*plain, error) {
	in := bufio.NewReader(r)
	magic, _ := in.Peek(6)
	packed := func(kind string, err error) error {
		return &trace.ParseError{
			File: file, Line: 1, Column: 1,
			Want: "a whole " + kind + " file", Got: "an error: " + err.Error(), Err: err,
		}
	}
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, packed("gzip", err)
		}
		return &plain{z, func() { z.Close() }}, nil
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostWindow),
			zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, packed("zstd", err)
		}
		return &plain{z, z.Close}, nil
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")):
		z, err := xz.NewReader(in, mostWindow)
		if err != nil {
			return nil, packed("xz", err)
		}
		return &plain{z, func() {}}, nil
	case bytes.HasPrefix(magic, []byte("BZh")):
		return nil, packed("gzip, xz or zstd", fmt.Errorf("bzip2 is not read"))
	}
	return &plain{in, func() {}}, nil
}
