package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// named resolves the target of a targets file with these lines.
func named(t *testing.T, lines string) (*replay.Target, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.toml")
	write(t, path, "[targets.own]\n"+lines)
	write(t, filepath.Join(filepath.Dir(path), "table"), "option level int 0 9 3 # of a file\n")
	file, err := targets.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return targets.Resolve("own", "", file)
}

// ownDirectory is the library as an archive in a directory.
func ownDirectory(t *testing.T) string {
	t.Helper()
	needTool(t, "ar")
	dir := filepath.Join(t.TempDir(), "own")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cc(t, "-c", "testdata/ownsetter.c", "-o", filepath.Join(dir, "own.o"))
	archive(t, filepath.Join(dir, "libipasirown.a"), filepath.Join(dir, "own.o"))
	return dir
}

// TestOwnSetter: the options that a targets file describes are set by the function
// that it names, and what that returns is ignored.
func TestOwnSetter(t *testing.T) {
	t.Parallel()
	for _, path := range []string{library(t, "ownsetter"), ownDirectory(t)} {
		for i, c := range []struct {
			lines string
			value int64
		}{
			{"set-option = \"own_set_option\"\ndescribe = \"table\"\n", 7},
			{"set-option = \"own_set_option\"\nset-option-takes = \"int\"\ndescribe = \"option level int 0 9 3\"\n", 7},
			{"set-option = \"own_setopt\"\nset-option-takes = \"string\"\ndescribe = \"table\"\n", 107},
			{"set-option = \"own_set_option\"\n", 7},
		} {
			if testing.Short() && i > 0 && path != library(t, "ownsetter") {
				continue // the compiler takes a second
			}
			target, err := named(t, fmt.Sprintf("path = %q\n%s", path, c.lines))
			if err != nil {
				t.Fatal(err)
			}
			for _, way := range ways {
				if way == replay.InProcess && target.Kind == replay.Static {
					continue
				}
				runner := openRunner(t, target, way, tight)
				d, err := runner.Description()
				if err != nil {
					t.Fatal(err)
				}
				if described := d.Option("level") != nil; described != strings.Contains(c.lines, "describe") || !d.Has("options") {
					t.Errorf("%s: %s: %+v", way, c.lines, d)
				}
				got := run(t, runner, parse(t, "ipafuzz 1 ipasir\noption level 7\nsolve\nval 1\n"))
				if a := got.Answers; a.At(0).Int() != 0 || a.At(2).Int() != c.value {
					t.Errorf("%s: %s: %d and %d", way, c.lines, a.At(0).Int(), a.At(2).Int())
				}
			}
		}
		target := resolve(t, path, "")
		want := []string{"own_set_option", "own_set_parameter", "own_setopt"}
		if setters := target.Setters(); !slices.Equal(setters, want) {
			t.Errorf("%s: setters: %v", path, setters)
		}
	}
	runner := openRunner(t, mustName(t, library(t, "ownsetter")), replay.Fork, tight)
	got := run(t, runner, parse(t, "ipafuzz 1 ipasir\noption level 7x\noption level 3000000000\nsolve\nval 1\n"))
	if a := got.Answers; a.At(0).Int() != 1 || a.At(1).Int() != 1 || a.At(3).Int() != 3 {
		t.Errorf("values that are not an int: %+v", got.Answers)
	}
	for i, word := range []string{"false", "true", "no", "yes", "off", "on", "0", "1"} {
		got := run(t, runner, parse(t, "ipafuzz 1 ipasir\noption level "+word+"\nsolve\nval 1\n"))
		if a := got.Answers; a.At(0).Int() != 0 || a.At(2).Int() != int64(i%2) {
			t.Errorf("%s: %+v", word, got.Answers)
		}
	}
}

func mustName(t *testing.T, path string) *replay.Target {
	t.Helper()
	target, err := named(t, fmt.Sprintf("path = %q\nset-option = \"own_set_option\"\n", path))
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// TestMistakenSetter: mistakes in the targets file are said where they are.
func TestMistakenSetter(t *testing.T) {
	t.Parallel()
	path := library(t, "ownsetter")
	for _, c := range []struct{ lines, want string }{
		{"set-option = \"a b\"\n", `set-option is "a b", want the name of a C function`},
		{"set-option = \"f\"\nset-option-takes = \"float\"\n", `set-option-takes is "float", want int or string`},
		{"set-option-takes = \"int\"\n", "needs the key set-option"},
		{"describe = \"nowhere\"\n", "no such file"},
		{"describe = \"option level int\"\n", "describe: description: line 1"},
		{"set-option = \"other\"\n", "the library lacks other, which set-option names"},
		{"set-option = \"own_set_option\"\ndescribe = \"option level real 0 1 0.5\"\n", "a number from 0 to 1, but"},
		{"set-option = \"own_set_option\"\ndescribe = \"option level choice low|high low\"\n", "one of low, high, but"},
		{"set-option = \"own_set_option\"\ndescribe = \"option level int 0 2147483648 0\"\n", "to 2147483648, but"},
		{"describe = \"table\"\n", "describes options and names no function that sets them (set-option)"},
	} {
		target, err := named(t, fmt.Sprintf("path = %q\n%s", path, c.lines))
		if err == nil {
			_, err = replay.Greet(target, tight)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.lines, err, c.want)
		}
	}
	if _, err := named(t, "command = [\"true\"]\ndescribe = \"table\"\n"); err == nil ||
		!strings.Contains(err.Error(), "are for libraries and directories") {
		t.Errorf("a program: %v", err)
	}
}
