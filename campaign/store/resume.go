package store

import (
	"errors"
	"fmt"
)

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
