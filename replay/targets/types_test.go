package targets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTypes: a value of the wrong type is refused with its file, line and key.
func TestTypes(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"targets = 3\n", "1: targets: want a table, got 3"},
		{"\n[[targets]]\npath = \"ref\"\n", "2: targets: want a table, got a list of tables"},
		{"[targets]\na = \"ref\"\n", `2: targets.a: want a table, got "ref"`},
		{"[targets.a]\npath = [1]\n", "2: targets.a.path: want a word in quotes, got a list"},
		{"[targets.a]\npath = { b = 1 }\n", "2: targets.a.path: want a word in quotes, got a table"},
		{"[targets.a]\ncommand = \"x\"\n", `2: targets.a.command: want a list of words in quotes, got "x"`},
		{"[targets.a]\ncommand = [\"x\", 3]\n", "2: targets.a.command: want a word in quotes, got 3"},
		{"[targets.a]\npath = \"ref\"\noptions = 3\n", "3: targets.a.options: want a table, got 3"},
		{"[targets.a]\npath = \"ref\"\n[targets.a.policies]\nx = 1979-05-27\n",
			"4: targets.a.policies.x: want a word in quotes, got a date"},
		{"[targets.a]\nmax-vars = \"many\"\n", `2: targets.a.max-vars: want a whole number, got "many"`},
		{"[targets.a]\nmax-vars = 1.5\n", "2: targets.a.max-vars: want a whole number, got 1.5"},
		{"[targets.a]\nsatisfiable-is-optimum = 1\n", "2: targets.a.satisfiable-is-optimum: want true or false, got 1"},
		{"targets.a = { path = \"ref\", Lacks = true }\n",
			"1: targets.a.Lacks: want a list of words in quotes, got true"},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "t.toml")
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(path)
		if want := "targets file " + path + ":" + test.want; err == nil || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", test.text, err, want)
		}
	}
}

// FuzzFile: ReadFile reads a targets file or refuses it with its name, whatever it
// contains.
func FuzzFile(f *testing.F) {
	for _, text := range []string{
		"[targets.a]\npath = \"ref\"\noptions = { seed = \"1\" }\n",
		"[targets.b]\ncommand = [\"x\", \"{file}\"]\nformat = \"wcnf\"\nmax-vars = 3\nkind = \"anytime\"\n",
		"targets.c = { path = \"ref\", lacks = [\"terminate\"], policies = { soft-zero = \"rejected\" } }\n",
		"targets = 3\n", "[[targets]]\n", "[targets.a]\npath = 3\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{path: "t.toml", text: text}
		if err := file.load(); err != nil && !strings.HasPrefix(err.Error(), "targets file t.toml") {
			t.Errorf("an error without a place: %v", err)
		}
	})
}
