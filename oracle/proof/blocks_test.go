package proof_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
)

// TestBlocks: a proof that is read backwards in many blocks gets the same verdict as one that is read in one
// block.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 3))
	f := proof.Format{Name: "drat"}
	long := "c" + strings.Repeat(" long", 1<<16) + "\n"
	refused := 0
	for range 100 {
		formula, steps := refutation(rng, true)
		if rng.IntN(2) == 0 {
			steps = mutate(rng, steps, 11)
		}
		var short, file strings.Builder
		for _, line := range strings.SplitAfter(string(write(steps, f)), "\n") {
			comment := "c\n"
			short.WriteString(comment)
			if rng.IntN(3) == 0 {
				comment = long
			}
			file.WriteString(comment)
			short.WriteString(line)
			file.WriteString(line)
		}
		want, wantErr := proof.Check(flat(formula), strings.NewReader(short.String()), proof.Options{Format: f})
		got, err := proof.Check(flat(formula), strings.NewReader(file.String()), proof.Options{Format: f})
		if got.Lemmas != want.Lemmas || *got.DRAT != *want.DRAT || message(err) != message(wantErr) {
			t.Fatalf("%+v, %v; in one block %+v, %v\n%v\n%s", got.DRAT, err, want.DRAT, wantErr, formula, short.String())
		}
		if err != nil {
			refused++
		}
	}
	if refused == 0 || refused == 100 {
		t.Errorf("%d of 100 proofs are refused", refused)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A changing proof is a file that has other content when it is read again.
type changing struct {
	io.ReadSeeker
	then string
}

func (c *changing) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		c.ReadSeeker = strings.NewReader(c.then)
	}
	return c.ReadSeeker.Seek(offset, whence)
}

// TestChanging: a proof that changes during the check, or cannot be read twice, is an error and not a wrong
// proof.
func TestChanging(t *testing.T) {
	const right = "1 2 3 0\nd 1 2 3 0\n1 0\n"
	for _, then := range []string{"", "1 2 3 0\n", "hello", "2 0\nd 1 2 3 0\n1 0\n", "d 1 2 3 0\n1 2 3 0\n7 0\n"} {
		file := &changing{strings.NewReader(right), then}
		_, err := proof.Check(square, file, proof.Options{Format: proof.Format{Name: "drat"}})
		var rejection *proof.Rejection
		if err == nil || errors.As(err, &rejection) || !strings.Contains(err.Error(), "changed") {
			t.Errorf("%q: %v", then, err)
		}
	}
	pipe := struct{ io.Reader }{bytes.NewReader([]byte(right))}
	if _, err := proof.Check(square, pipe, proof.Options{Format: proof.Format{Name: "drat"}}); err != nil {
		t.Errorf("a proof that can be read once: %v", err)
	}
}

// TestCopies: deleting a clause that was added several times removes one copy, whichever.
func TestCopies(t *testing.T) {
	for _, text := range []string{
		"1 0\n1 0\nd 1 0\n2 0\n0\n",
		"1 2 0\n2 1 0\nd 1 2 0\nd 2 1 0\n1 0\n0\n",
		"1 3 0\n3 1 1 0\nd 3 1 0\n-3 1 0\n1 0\n",
	} {
		_, err := proof.Check(square, strings.NewReader(text), proof.Options{Format: proof.Format{Name: "drat"}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
