package drat

import (
	"errors"
	"fmt"
	"io"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// A backward check undoes the steps: it adds the clause of a deletion, and removes the clause of a lemma. It takes the
// literals from the proof itself, which it reads a second time, the last block of steps first. So memory holds only the
// clauses that exist between two steps.

// blockBytes is about the number of bytes of the proof that are in memory at a time.
const blockBytes = 1 << 18

// blocksBetweenSheds is the number of blocks after which the checker returns memory to the system, so that it
// keeps only a little of what it has touched.
const blocksBetweenSheds = 64

// A block is a sequence of steps of the proof.
type block struct {
	place read.Place // of its first step
	first int64      // the index of its first step
}

// A history has what it takes to read the steps again in reverse order.
type history struct {
	proof   io.ReadSeeker
	start   int64
	blocks  []block
	steps   int64
	ignored []uint64 // a bit for each step that changed nothing
}

var errChanged = errors.New("the proof changed while it was checked")

func (h *history) open(proof io.Reader) (err error) {
	seeker, ok := proof.(io.ReadSeeker)
	if !ok {
		return errors.New("a proof that is checked backwards is read twice, and this one cannot be")
	}
	h.proof = seeker
	h.start, err = seeker.Seek(0, io.SeekCurrent)
	return err
}

// pass records that the reader has read a step, and reports whether the checker should return
// memory to the system.
func (h *history) pass(r *read.Reader) (isLong bool) {
	place := r.Place()
	if len(h.blocks) == 0 || place.Offset-h.blocks[len(h.blocks)-1].place.Offset >= blockBytes {
		h.blocks = append(h.blocks, block{place, h.steps})
		isLong = len(h.blocks)%blocksBetweenSheds == 0
	}
	if h.steps&63 == 0 {
		h.ignored = append(h.ignored, 0)
	}
	h.steps++
	return isLong
}

// ignore records that the last step changes nothing.
func (h *history) ignore() {
	if h.steps > 0 {
		h.ignored[(h.steps-1)>>6] |= 1 << ((h.steps - 1) & 63)
	}
}

func (h *history) isIgnored(step int64) bool { return h.ignored[step>>6]>>(step&63)&1 != 0 }

// backward undoes the steps in reverse order, and checks the lemmas that the conflict or a checked lemma needs.
func (c *checker) backward() error {
	c.clauses.IsImplied(0, true) // marks the conflict
	var steps stepList
	end := c.history.steps
	for i := len(c.history.blocks) - 1; i >= 0; i-- {
		if i%blocksBetweenSheds == 0 {
			c.clauses.Shed()
		}
		b := c.history.blocks[i]
		if err := c.again(b, end, &steps); err != nil {
			return fmt.Errorf("reading the proof again: %w", err)
		}
		for number := end - 1; number >= b.first; number-- {
			s := steps.steps[number-b.first]
			c.lits = append(c.lits[:0], steps.lits[s.from:s.to]...)
			if err := c.takeBack(s, c.history.isIgnored(number)); err != nil {
				return err
			}
		}
		end = b.first
	}
	c.Core = int64(c.clauses.CoreCount())
	return nil
}

// A stepList is the steps of a block.
type stepList struct {
	steps []step
	lits  []int32
}

type step struct {
	from, to   int
	line       int64 // in binary the byte
	isDeletion bool
}

func (c *checker) again(b block, end int64, list *stepList) error {
	if _, err := c.history.proof.Seek(c.history.start+b.place.Offset, io.SeekStart); err != nil {
		return err
	}
	c.reader.Restart(c.history.proof, b.place)
	list.steps, list.lits = list.steps[:0], list.lits[:0]
	for number := b.first; number < end; number++ {
		if !c.reader.Next() {
			if err := c.reader.Err(); err != nil {
				return err
			}
			return errChanged
		}
		isDeletion, err := c.step()
		if err != nil {
			return errChanged
		}
		from := len(list.lits)
		list.lits = append(list.lits, c.lits...)
		list.steps = append(list.steps, step{from, len(list.lits), c.reader.Line(), isDeletion})
	}
	return nil
}

// takeBack undoes a step with the current literals.
func (c *checker) takeBack(s step, isIgnored bool) error {
	if s.isDeletion {
		if isIgnored {
			return nil
		}
		ref, err := c.clauses.Add(c.lits)
		if err == nil {
			c.on(ref)
		}
		return err
	}
	ref, isNeeded := c.clauses.FindCopy(&c.index, c.lits)
	if ref == 0 {
		return errChanged
	}
	c.index.Remove(c.clauses, ref)
	c.clauses.Off(ref)
	if isNeeded {
		if err := c.justify(ref); err != nil {
			return c.reader.Locate(s.line, err)
		}
	}
	c.drop(ref)
	return nil
}
