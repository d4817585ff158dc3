package archive

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ipafuzz/ipafuzz/trace"
)

func parse(t testing.TB, text string) *trace.Trace {
	t.Helper()
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// A forger makes archives whose tables contradict their frames.
type forger struct {
	data   []byte
	blocks []block
	index  index
}

func (f *forger) frame(text []byte, plain uint32, count uint32) *forger {
	encoder := newEncoder()
	defer encoder.Close()
	data := encoder.EncodeAll(text, nil)
	f.put(data, plain, checksum(text))
	f.index.counts = append(f.index.counts, count)
	for range min(count, 100) {
		f.index.add(HashOf(text), "x")
	}
	return f
}

// columns adds a frame of packed traces, whose columns are the given ones and then empty.
func (f *forger) columns(columns ...string) *forger {
	content := bytes.Clone(packedMark)
	for i := range 4 {
		n := 0
		if i < len(columns) {
			n = len(columns[i])
		}
		content = binary.AppendUvarint(content, uint64(n))
	}
	content = append(content, strings.Join(columns, "")...)
	return f.frame(content, uint32(len(content)), 1)
}

// columns2 is columns for version 2. The lengths of the first three columns stand before them.
func (f *forger) columns2(columns ...byte) *forger {
	content := append(bytes.Clone(packedMark2), columns...)
	return f.frame(content, uint32(len(content)), 1)
}

func (f *forger) put(data []byte, plain, sum uint32) {
	f.blocks = append(f.blocks, block{at: int64(len(f.data)), size: uint32(len(data)), plain: plain, sum: sum})
	f.data = append(f.data, data...)
}

func (f *forger) end() []byte {
	encoder := newEncoder()
	defer encoder.Close()
	if f.index.word == "" {
		f.index.word = indexWord
	}
	data, err := f.index.appendTo(nil, encoder)
	if err != nil {
		panic(err)
	}
	f.put(data, 0, 0)
	return appendSeekTable(f.data, f.blocks)
}

func small() []byte { return text(3) }

// TestHostile: the reader refuses files with false tables, and the error names the file and the byte.
func TestHostile(t *testing.T) {
	length := uint32(len(small()))
	bomb := bytes.Repeat([]byte("#\n"), 40<<20)
	copy(bomb, "ipafuzz 1 ipamir\n")
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"empty", nil, "at byte 0: this is not an archive: the file is empty"},
		{"text", []byte("ipafuzz 1 ipamir\n"), "at byte 0: this is not an archive"},
		{"gzip", []byte("\x1f\x8b\x08\x00garbage and more of it"), "at byte 0: this is not an archive"},
		{"a frame that is longer than it says", new(forger).frame(bomb, 5000, 1).end(),
			"cannot be decompressed to the 5000 bytes"},
		{"a frame that is shorter than it says", new(forger).frame(small(), length+1, 1).end(), "the frame has"},
		{"a frame that cannot be as long as it says", new(forger).frame(small(), maxFrame, 1).end(), "more than it can have"},
		{"a frame beyond all limits", new(forger).frame(small(), 1<<31, 1).end(), "more than it can have"},
		{"too many traces", new(forger).frame(small(), length, 2).end(), "holds 1 traces, the index says 2"},
		{"no traces", new(forger).frame(small(), length, 0).end(), "lists 0 traces in the frame at byte 0"},
		{"more traces than bytes", new(forger).frame(small(), length, 1<<31).end(),
			"2147483648 traces in the frame at byte 0, which has 95 bytes"},
		{"no trace in the frame", new(forger).frame([]byte("x\n"), 2, 1).end(),
			"1 traces in the frame at byte 0, which has 2 bytes"},
		{"packed by another version", new(forger).frame([]byte("IPAFPAK1\x03\x01\x00\x00"), 12, 1).end(),
			`another version of ipafuzz packed it ("IPAFPAK1"; this one reads "IPAFPAK2" and "IPAFPAK3")`},
		{"columns of no model", new(forger).columns2(3, 0, 0, 99, 0, 0).end(), "is damaged: there is no API model"},
		{"columns with text that is not a trace", new(forger).columns2(4, 0, 0, 0, 2, 'x', '\n').end(),
			"does not begin with a trace"},
		{"columns with more notes than a trace may have", new(forger).columns2(4, 0, 0, 1, 0xff, 0x7f, 0).end(),
			"is damaged"},
		{"columns with a note longer than the one before it", new(forger).columns2(6, 0, 0, 1, 1, 5, 0, 0, 0).end(),
			"is damaged"},
		{"columns without their lengths", new(forger).columns2(1, 1).end(), "lengths of its columns are cut off"},
		{"columns that are cut off", new(forger).columns2(3, 1, 0, 1, 0).end(), "its columns are cut off"},
		{"columns without traces", new(forger).columns2(0, 0, 0).end(), "it is empty"},
		{"columns with more calls than bytes", new(forger).columns2(3, 0, 0, 1, 0, 100).end(), "packed trace is damaged"},
		{"columns with a call before any", new(forger).columns2(3, 1, 0, 1, 0, 1, 0xc0).end(), "packed trace is damaged"},
		{"columns with an unknown word", new(forger).columns2(6, 0, 0, 1, 1, 0, 1, 1, 0).end(), "packed trace is damaged"},
		{"columns with more behind the calls", new(forger).columns2(3, 0, 0, 1, 0, 0, 7).end(), "packed trace is damaged"},
		{"traces of no model", new(forger).columns("\x00", "\x63\x00").end(), "is damaged: there is no API model"},
		{"packed text that is not a trace", new(forger).columns("\x00", "\x00\x02x\n").end(), "does not begin with a trace"},
		{"more notes than a trace may have", new(forger).columns("\x01\xff\x7f", "\x01\x00").end(), "headers of the packed"},
		{"a note longer than that of the form before", new(forger).columns("\x01\x01\x05\x00\x00\x00", "\x01\x00").end(),
			"headers of the packed"},
		{"a form that does not exist", new(forger).columns("\x02\x00", "\x01\x00").end(), "headers of the packed"},
		{"a header that is cut off", new(forger).columns("\x01\x00", "\x01\x00").end(), "headers of the packed"},
		{"a seed that is cut off", new(forger).columns("\x01\x00\x02\x00", "\x01\x00").end(), "headers of the packed"},
		{"a number that is cut off", new(forger).columns("\x01\x00\x01", "\x01\x00").end(), "headers of the packed"},
		{"an unknown word", new(forger).columns("\x01\x01\x00\x00\x02\x00w\x00\x01\x06", "\x01\x00").end(),
			"headers of the packed"},
		{"words that are too long", new(forger).columns("\x01\x01\x00\x00\x02\x00w\x00\x01\x07\x80\x80\x05"+
			strings.Repeat("x", 5<<14), "\x01\x00").end(), "headers of the packed"},
		{"a note that is too long", new(forger).columns("\x01\x01\x00\x00\x80\x80\x05"+
			strings.Repeat("x", 5<<14)+"\x00", "\x01\x00").end(), "headers of the packed"},
		{"a note with words twice", new(forger).columns("\x01\x01\x00\x00\x04\x00w\x00w\x00\x00", "\x01\x00").end(),
			"headers of the packed"},
		{"a note that repeats the number too often", new(forger).columns("\x01\x01\x00\x00\x80\xc0\x03"+
			strings.Repeat("\x00n", 28<<10)+"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x01\x00").end(),
			"its notes are too long"},
		{"headers without traces", new(forger).columns("\x00").end(), "packed trace is damaged"},
		{"traces without headers", new(forger).columns("", "\x01\x00").end(), "headers of the packed"},
		{"five columns without their lengths", new(forger).frame(append(bytes.Clone(packedMark), 1, 1, 1, 0x80), 12, 1).end(),
			"lengths of its columns are cut off"},
		{"five columns that are cut off", new(forger).frame(append(bytes.Clone(packedMark), 3, 1, 0, 1, 0), 13, 1).end(),
			"its columns are cut off"},
		{"no packed trace", new(forger).columns().end(), "it is empty"},
		{"more calls than bytes", new(forger).columns("\x00", "\x01\x64").end(), "packed trace is damaged"},
		{"a clause without its literals", new(forger).columns("\x00", "\x01\x01", "\xc1").end(), "packed trace is damaged"},
		{"two instances for a call", new(forger).columns("\x00", "\x01\x01", "\xff\xff", "\x01\x02").end(),
			"packed trace is damaged"},
		{"literals behind the traces", new(forger).columns("\x00", "\x01\x00", "", "", "\x07").end(),
			"headers of the packed"},
		{"text of another kind", new(forger).frame(bytes.Repeat([]byte("c a formula\n"), 10), 120, 1).end(),
			"does not begin with a trace"},
		{"half a line", new(forger).frame(append(small(), "solve"...), length+5, 1).end(), "middle of a line"},
		{"an index of other frames", func() []byte {
			f := new(forger).frame(small(), length, 1)
			f.index.counts = append(f.index.counts, 1)
			f.index.add(Hash{}, "y")
			return f.end()
		}(), "lists 2 frames, before it are 1"},
		{"a name too few", func() []byte {
			f := new(forger).frame(small(), length, 1)
			f.index.names = []byte("a\x00b\x00")
			return f.end()
		}(), "2 names for 1 traces"},
		{"a name too many of those with numbers", func() []byte {
			f := new(forger).frame(small(), length, 1)
			f.index.hashes, f.index.word, f.index.numbered = nil, numberedWord, []numbered{{"a", 1, 1}, {"b", 7, 1}}
			return f.end()
		}(), "the names are damaged"},
		{"a name too few of those with numbers", func() []byte {
			f := new(forger).frame(small(), length, 1)
			f.index.hashes, f.index.word = nil, numberedWord
			return f.end()
		}(), "0 names for 1 traces"},
		{"frames that overlap", func() []byte {
			f := new(forger).frame(small(), length, 1)
			f.blocks = append(f.blocks, f.blocks[0])
			return f.end()
		}(), "overlap it"},
		{"a gap", func() []byte {
			f := new(forger).frame(small(), length, 1)
			f.data = append(f.data, "12345678"...)
			return f.end()
		}(), "the table begins at byte"},
		{"a seek table of four billion frames", func() []byte {
			data := new(forger).frame(small(), length, 1).end()
			binary.LittleEndian.PutUint32(data[len(data)-seekFoot:], 1<<32-1)
			return data
		}(), "longer than the file"},
		{"a wrong head of the seek table", func() []byte {
			f := new(forger).frame(small(), length, 1)
			data := f.end()
			binary.LittleEndian.PutUint32(data[len(f.data):], skippableFirst)
			return data
		}(), "the seek table is wrong"},
		{"a zstd frame without tables that hides its length", func() []byte {
			var out bytes.Buffer
			w, err := zstd.NewWriter(&out)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(bytes.Repeat(small(), 100000))
			w.Close()
			return out.Bytes()
		}(), "does not say how long its text is"},
	} {
		r, err := NewReader(bytes.NewReader(c.data), int64(len(c.data)), "h.traces.zst")
		if err == nil {
			if _, _, err = r.Entry(0); err == nil {
				_, err = r.Text(0)
			}
		}
		if err == nil {
			t.Errorf("%s: the reader returns no error", c.what)
			continue
		}
		if !strings.HasPrefix(err.Error(), "h.traces.zst: at byte ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %q", c.what, err, c.want)
		}
	}
}

// TestPlainZstd: the reader accepts text compressed by zstd, as an archive without tables.
func TestPlainZstd(t *testing.T) {
	encoder := newEncoder()
	defer encoder.Close()
	data := encoder.EncodeAll(wholeText(50), nil)
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), "z")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.Text(49); r.Len() != 50 || err != nil || !bytes.Equal(got, text(49)) || r.Torn == nil {
		t.Errorf("%d traces, %v", r.Len(), err)
	}
}

// FuzzReader: the reader returns traces, or errors that name a place, for any bytes.
func FuzzReader(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a"+Extension)
	fill(f, create(f, path), 0, 10)
	fill(f, appending(f, path), 10, 12)
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-20])
	f.Add(data[:len(data)/2])
	f.Add(packed(f, 20))
	older, err := os.ReadFile("testdata/version2.traces.zst")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(older)
	f.Add(new(forger).frame(small(), uint32(len(small())), 2).end())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), "d")
		if err != nil {
			checkPlace(t, err)
			return
		}
		defer r.Close()
		for i := range min(r.Len(), 100) {
			got, err := r.Text(i)
			if err != nil {
				checkPlace(t, err)
				continue
			}
			if !beginsTrace(got) || got[len(got)-1] != '\n' {
				t.Fatalf("trace %d: %q", i, got)
			}
			if _, _, err := r.Entry(i); err != nil {
				checkPlace(t, err)
			}
		}
	})
}

// FuzzSplitter: the pieces joined are the text, and do not depend on the sizes of reads.
func FuzzSplitter(f *testing.F) {
	f.Add(wholeText(3))
	f.Add([]byte("ipafuzz 1\nipafuzz"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, slow := NewSplitter(bytes.NewReader(data)), NewSplitter(oneByte{bytes.NewReader(data)})
		var all []byte
		for {
			next, err := s.Next()
			other, errSlow := slow.Next()
			if err != errSlow || !bytes.Equal(next, other) {
				t.Fatalf("%q %v, byte by byte %q %v", next, err, other, errSlow)
			}
			if err != nil {
				break
			}
			all = append(all, next...)
		}
		if !bytes.Equal(all, data) {
			t.Fatalf("%q becomes %q", data, all)
		}
	})
}
