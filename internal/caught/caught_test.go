package caught

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   func() error
		says string
	}{
		"nothing":  {func() error { return nil }, ""},
		"an error": {func() error { return io.EOF }, "EOF"},
		"a panic":  {func() error { panic("here") }, "here"},
		"a nil pointer": {func() error {
			var p *Panic
			p.Value = 1
			return nil
		}, "nil pointer"},
		"an error as a panic": {func() error { panic(io.EOF) }, "EOF"},
	} {
		err := Do(test.do)
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: got %v, want %q", name, err, test.says)
		}
	}
	var caught *Panic
	if err := Do(func() error { panic(io.EOF) }); !errors.Is(err, io.EOF) || !errors.As(err, &caught) ||
		!strings.Contains(string(caught.Stack), "TestDo") {
		t.Errorf("a panic with an error: %v", err)
	}
}
