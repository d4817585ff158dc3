package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// A ResumeError is a run that cannot go on with what the directory has.
type ResumeError struct {
	Dir string
	Why string
}

func (e *ResumeError) Error() string {
	return fmt.Sprintf("the run in %s cannot go on: %s (without --resume a new run begins there, and keeps its findings)",
		e.Dir, e.Why)
}

// Resumable returns the run in the directory that this one may continue, nil if
// there is none. The state is that of its last moment; it is empty if the run was
// killed before it wrote any.
func (s *Store) Resumable(cells int) (*Stored, *State, error) {
	refuse := func(why string) (*Stored, *State, error) { return nil, nil, &ResumeError{s.Dir, why} }
	stored, err := ReadStored(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if damaged := new(StoredError); errors.As(err, &damaged) {
		return refuse(damaged.Err.Error())
	}
	if err != nil {
		return nil, nil, err
	}
	if len(stored.Record.Parts) > 0 {
		return refuse("it was joined from others")
	}
	if why := differs(&stored.Record, &s.Record); why != "" {
		return refuse(why)
	}
	was := new(State)
	err = readJSON(filepath.Join(s.Dir, "state.json"), was)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		was = new(State)
	case err != nil:
		return refuse(err.Error())
	case was.Run != stored.Record.Run: // of an earlier run
		was = new(State)
	case len(was.Cells) != cells:
		return refuse("its state.json does not belong to its campaign.json")
	}
	return stored, was, nil
}
