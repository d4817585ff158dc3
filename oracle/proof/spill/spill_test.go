package spill

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRoom: a list that moves into a file keeps its words, even if its memory is given back or the disk is
// full.
func TestRoom(t *testing.T) {
	for _, isFull := range []bool{false, true} {
		w := Words{Least: 1000}
		defer w.Close()
		var list, want []int32
		for i := range int32(20_000) {
			list = append(w.Room(list, 1), i)
			want = append(want, i)
			if i%5000 == 0 {
				w.Shed()
			}
			if isFull && i == 10_000 {
				list = w.stay(list)
			}
		}
		if !slices.Equal(list, want) {
			t.Errorf("full %v: the list has changed", isFull)
		}
		if isInFile := w.mapped != nil; isInFile == isFull {
			t.Errorf("full %v: the list is in a file: %v", isFull, isInFile)
		}
	}
}

// TestNoFile: if there is no directory for files, lists stay in memory.
func TestNoFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	w := Words{Least: 10}
	list := w.Room(make([]int32, 20), 1)
	if w.mapped != nil || len(list) != 20 {
		t.Errorf("there is a file: %v, and %d words", w.mapped != nil, len(list))
	}
}

// TestShed: the list gives its memory back to the system.
func TestShed(t *testing.T) {
	w := Words{Least: 1000}
	defer w.Close()
	list := w.Room(nil, piece)[:piece]
	for i := range list {
		list[i] = int32(i)
	}
	before := resident(t)
	w.Shed()
	if after := resident(t); after > before-piece*wordSize/2 || list[piece-1] != piece-1 {
		t.Errorf("%d bytes before, %d after, and the last word is %d", before, after, list[piece-1])
	}
}

// resident returns how many bytes of a mapped file are in the memory of this process.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for line := range strings.Lines(string(text)) {
		var kB int
		for _, kind := range []string{"RssFile:", "RssShmem:"} {
			if n, _ := fmt.Sscanf(line, kind+" %d kB", &kB); n == 1 {
				sum += kB << 10
			}
		}
	}
	return sum
}
