package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

type archiveExtract struct {
	chosen
	Out string `required:"" type:"path" placeholder:"DIR"`
}

// Run runs the command.
func (a *archiveExtract) Run(ctx context.Context) error {
	if err := os.MkdirAll(a.Out, 0o755); err != nil {
		return exit.Misuse(err)
	}
	root, err := os.OpenRoot(a.Out)
	if err != nil {
		return exit.Misuse(err)
	}
	defer root.Close()
	into := extraction{root: root, taken: make(map[string]bool)}
	err = a.each(ctx, func(r *archive.Reader, i int) error {
		name, err := r.Name(i)
		if err != nil {
			return exit.Misuse(err)
		}
		text, err := r.Text(i)
		if err != nil {
			return exit.Misuse(err)
		}
		if !filepath.IsLocal(name) {
			return exit.Misusef("%s: trace %d has the name %q, which is outside of %s; print it with 'archive cat'",
				a.Archive, i+1, name, a.Out)
		}
		if err := into.write(name, i+1, text); err != nil {
			return exit.Misuse(fmt.Errorf("trace %d: %w", i+1, err))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return printText(fmt.Sprintf("%s written into %s\n", printable.Things(len(into.taken), "trace"), a.Out))
}

// An extraction writes files below a directory. Anybody may have made the archive that names them, so it
// neither overwrites a file nor follows a symbolic link.
type extraction struct {
	root  *os.Root
	taken map[string]bool
}

func (e *extraction) write(name string, number int, text []byte) error {
	name = path.Clean(strings.TrimSuffix(name, ".trace")) + ".trace"
	if e.taken[name] { // another trace has that name
		name = fmt.Sprintf("%s.%d.trace", strings.TrimSuffix(name, ".trace"), number)
	}
	if err := e.directory(path.Dir(name)); err != nil {
		return err
	}
	file, err := e.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("%w (extract never overwrites files)", err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		e.root.Remove(name) // it has only part of the trace
		return err
	}
	e.taken[name] = true
	return nil
}

// directory makes the directory of a file. The root refuses links that lead out of it; directory also
// refuses links within it, so that every trace ends up where its name says.
func (e *extraction) directory(dir string) error {
	if dir == "." {
		return nil
	}
	if err := e.directory(path.Dir(dir)); err != nil {
		return err
	}
	switch info, err := e.root.Lstat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return e.root.Mkdir(dir, 0o755)
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link (extract follows none; give another --out)",
			filepath.Join(e.root.Name(), dir))
	}
	return nil
}
