package campaign

import (
	"errors"
	"testing"
)

// TestJoinedOnce checks that an error that several steps report is reported once.
func TestJoinedOnce(t *testing.T) {
	full, other := "no space left", errors.New("other")
	err := joinedOnce(nil, errors.New(full), other, errors.New(full), nil)
	if err == nil || err.Error() != full+"\nother" || !errors.Is(err, other) {
		t.Errorf("%v", err)
	}
	if err := joinedOnce(nil, nil); err != nil {
		t.Errorf("%v", err)
	}
}
