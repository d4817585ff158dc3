package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Past is what a directory holds before a campaign begins there. OpenDir reads each file once; everything that a
// campaign continues or mentions comes from this value. Until Close, no other campaign writes to the directory.
type Past struct {
	Dir    string
	Stored *Stored // nil: there is no campaign, or it cannot be read
	State  *State  // nil: the campaign was killed before it wrote one, or it cannot be read

	damage, stateDamage error    // why the campaign or its state cannot be read; nil: it can, or there is none
	lock                *os.File // nil: the directory has no campaign yet
}

// OpenDir locks and reads the directory of a campaign. It writes nothing but the lock, and not even that if there is no
// campaign.
func OpenDir(dir string) (*Past, error) {
	p := &Past{Dir: dir}
	if _, err := os.Stat(filepath.Join(dir, "campaign.json")); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	return p, p.read()
}

// read locks the directory and reads it.
func (p *Past) read() error {
	lock, err := lockDir(p.Dir)
	if err != nil {
		return unwritable(p.Dir, err)
	}
	p.lock = lock
	if p.Stored, p.damage = ReadStored(p.Dir); p.damage != nil {
		p.Stored = nil
		if errors.Is(p.damage, fs.ErrNotExist) {
			p.damage = nil
		}
		return nil
	}
	p.State, p.stateDamage = p.Stored.state, p.Stored.stateDamage
	if p.State == nil && p.stateDamage == nil {
		p.State, p.stateDamage = readState(p.Dir)
	}
	return nil
}

// Close unlocks the directory. A campaign that ends has done that.
func (p *Past) Close() error {
	if p.lock == nil {
		return nil
	}
	return unlock(p.lock)
}

// Lost reports whether the directory has findings, but no campaign.
func (p *Past) Lost() bool {
	found, _ := os.ReadDir(filepath.Join(p.Dir, "findings"))
	return p.lock == nil && len(found) > 0
}

// readState reads state.json. The state is nil if there is none.
func readState(dir string) (*State, error) {
	now := new(State)
	err := readJSON(filepath.Join(dir, "state.json"), now)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return now, nil
}

// A ResumeError reports that the campaign in a directory cannot be resumed.
type ResumeError struct {
	Dir string
	Why string
}

// Error returns the message.
func (e *ResumeError) Error() string {
	return fmt.Sprintf("the run in %s cannot be resumed: %s "+
		"(without --resume a new run starts there and keeps the findings)", e.Dir, e.Why)
}

// Resumable returns the campaign in the directory with its last state, or nil if the directory is empty. It
// fails if this campaign may not continue that one. The state is empty if the campaign was killed before it
// saved one.
func (s *Store) Resumable(cells int) (*Stored, *State, error) {
	refuse := func(why string) (*Stored, *State, error) { return nil, nil, &ResumeError{s.Dir, why} }
	stored := s.past.Stored
	if damaged := new(StoredError); errors.As(s.past.damage, &damaged) {
		return refuse(damaged.Err.Error())
	}
	if stored == nil || s.past.damage != nil {
		return nil, nil, s.past.damage
	}
	if len(stored.Record.Parts) > 0 {
		return refuse("it was merged from several")
	}
	if why := differs(&stored.Record, &s.Record); why != "" {
		return refuse(why)
	}
	was := s.past.State
	switch {
	case s.past.stateDamage != nil:
		return refuse(s.past.stateDamage.Error())
	case was == nil, was.Run != stored.Record.Run: // the state is of an earlier run
		was = new(State)
	case len(was.Cells) != cells:
		return refuse("its state.json does not belong to its campaign.json")
	}
	return stored, was, nil
}
