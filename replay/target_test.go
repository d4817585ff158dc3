package replay_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// TestResolveErrors: the message for each mistake says what is wrong.
func TestResolveErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	mkdir := func(name string) string {
		if err := os.Mkdir(path(name), 0o755); err != nil {
			t.Fatal(err)
		}
		return path(name)
	}
	write(t, path("notes.txt"), "no library\n")
	write(t, path("empty.so"), "")
	foreign, err := os.ReadFile(library(t, "healthy"))
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint16(foreign[18:], 8) // e_machine: MIPS
	write(t, path("mips.so"), string(foreign))
	write(t, path("main.c"), "int main (void) { return 0; }\n")
	cc(t, "-no-pie", "-o", path("program"), path("main.c"))
	cc(t, "-pie", "-fPIE", "-o", path("movable"), path("main.c"))
	cc(t, "-shared", "-fPIC", "-o", path("plain.so"), path("main.c"))
	whole, err := os.ReadFile(path("plain.so"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []int{10, 500, len(whole) / 2, len(whole) - 1} {
		write(t, path("short"+itoa(kept)+".so"), string(whole[:kept]))
		_, err := targets.Resolve(path("short"+itoa(kept)+".so"), "", nil)
		if err == nil || !strings.Contains(err.Error(), "is damaged or cut short: it ends too early") {
			t.Errorf("a library of which %d bytes of %d are left: %v", kept, len(whole), err)
		}
	}
	write(t, path("sat.c"), "void *ipasir_init (void) { return 0; }\n")
	cc(t, "-shared", "-fPIC", "-o", path("sat.so"), path("sat.c"))
	write(t, filepath.Join(mkdir("sat"), "libipasirsat.a"), "")
	mkdir("nothing")
	write(t, filepath.Join(mkdir("misnamed"), "libother.a"), "")
	write(t, filepath.Join(mkdir("unmade"), "Makefile"), "all:\n")
	write(t, filepath.Join(mkdir("broken"), "libipamirbroken.a"), "this is not an archive\n")
	mkdir("unindexed")
	needTool(t, "ar")
	cc(t, "-c", "-o", path("main.o"), path("main.c"))
	archive(t, path("unindexed/libipamirunindexed.a"), path("notes.txt"))
	write(t, path("cut.a"), "!<arch>\n/               0           0     0     0       900       `\n")
	mkdir("cut")
	copyFile(t, path("cut.a"), path("cut"), "libipamircut.a")
	mkdir("hollow")
	archive(t, path("hollow/libipamirhollow.a"), path("main.o"))
	cc(t, "-c", "-o", path("sat.o"), path("sat.c"))
	archive(t, filepath.Join(mkdir("renamed"), "libzzz.a"), path("sat.o"))
	write(t, path("renamed/liba.a"), "")
	write(t, filepath.Join(mkdir("flags"), "LINK"), "-lm -lz\n")
	archive(t, path("flags/libipasirflags.a"), path("sat.o"))
	for _, c := range []struct{ spec, model, want string }{
		{"", "", "a target is a path, a name from the targets file, or ref"},
		{path("missing.so"), "", "there is no file"},
		{path("notes.txt"), "", "not a shared library (not an ELF file)"},
		{path("empty.so"), "", "not a shared library (not an ELF file)"},
		{path("mips.so"), "", "for another machine: it is built for EM_MIPS, ipafuzz runs on"},
		{path("program"), "", "program is a program, not a library; a targets file names one"},
		{path("movable"), "", "movable is a program, not a library"},
		{path("plain.so"), "", "exports none of ipasir_init, ipamir_init, ipasir2_init and qbf_init"},
		{path("sat.so"), "ipamir", "serves ipasir, not ipamir: it exports ipasir_init and no ipamir_init"},
		{path("sat.so"), "ipasir+cadical", "it exports ipasir_init and none of ccadical_constrain, "},
		{path("sat.so"), "ipasir+enumerate", "not ipasir+enumerate: it exports ipasir_init and no ipafuzz_enumerate"},
		{path("sat"), "ipamir", "serves ipasir, not ipamir: it holds libipasirsat.a and no libipamirsat.a"},
		{path("nothing"), "", "holds none of libipamirnothing.a, libipasirnothing.a, libqbfnothing.a and"},
		{path("misnamed"), "", "it holds libother.a, and the name must be the directory's"},
		{path("renamed"), "", "it holds libzzz.a, which can be the target itself"},
		{path("flags"), "", "holds arguments (-lm) and no command\nremedy: write the command that links"},
		{path("flags/libipasirflags.a"), "", "holds arguments (-lm) and no command"},
		{path("hollow/libipamirhollow.a"), "", "exports none of ipasir_init, ipamir_init, ipasir2_init and qbf_init"},
		{path("renamed/libzzz.a"), "ipamir", "serves ipasir, not ipamir: it defines no ipamir_init"},
		{path("cut.a"), "", "is cut off in its index of symbols"},
		{path("unmade"), "", "it holds a makefile: run make there first"},
		{path("broken"), "", "is not a static library"},
		{path("unindexed"), "", "has no index of its symbols; run ranlib on it"},
		{path("cut"), "", "is cut off in its index of symbols"},
		{path("hollow"), "", "undefined: ipamir_init"},
		{path("hollow"), "ipasir", "serves ipamir, not ipasir"},
		{"nosuchsolver", "", "there is no target of that name and no file nosuchsolver; built in is: ref"},
		{"ref:", "", "want options as name=value"},
		{"ref:defect", "", `want options as name=value,name=value after the colon, got "defect"`},
		{"ref:defect=1,defect=2", "", "option defect is set twice"},
		{"ref:defect=1,", "", `got ""`},
		{"ref:=1", "", `got "=1"`},
		{"ref:a=b c", "", `got "a=b c"`},
		{"ref:defect=nosuch", "", `unknown defect "nosuch"; 'ipafuzz defects' lists them`},
		{"ref:defect=9999", "", `unknown defect "9999"`},
		{"ref:defect=" + defectOf(t, "ipamir"), "ipasir", "is for model ipamir, the target's model is ipasir"},
		{"ref:defect=" + defectOf(t, "ipasir"), "ipamir", "is for model ipasir, the target's model is ipamir"},
		{"ref", "ipasat", `there is no API model "ipasat"; there are ipasir, ipamir, ipasir+cadical`},
	} {
		target, err := targets.Resolve(c.spec, c.model, nil)
		var unusable *replay.TargetError
		if !errors.As(err, &unusable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v (%+v), want a TargetError with %q", c.spec, c.model, err, target, c.want)
		}
	}
	libs := mkdir("uncompiled")
	copyFile(t, path("hollow/libipamirhollow.a"), libs, "libipamiruncompiled.a")
	write(t, filepath.Join(libs, "LINK"), "no-such-compiler\n")
	if _, err := targets.Resolve(libs, "", nil); err == nil || !strings.Contains(err.Error(), "needs a compiler") {
		t.Errorf("a linker that is not there: %v", err)
	}
}

// defectOf returns the name of a planted defect of one model alone.
func defectOf(t *testing.T, model string) string {
	for _, d := range ref.Defects() {
		if d.Model == model {
			return d.Name
		}
	}
	t.Fatal("there is no defect for model ", model)
	return ""
}

func TestResolve(t *testing.T) {
	t.Parallel()
	both := builtInLibrary(t)
	for _, c := range []struct {
		spec, model string
		kind        replay.Kind
		serves      *apimodel.Model
		settings    int
	}{
		{"ref", "", replay.BuiltIn, apimodel.IPAMIR, 0},
		{"ref", "ipasir", replay.BuiltIn, apimodel.IPASIR, 0},
		{"ref:defect=none", "", replay.BuiltIn, apimodel.IPAMIR, 1},
		{"ref:defect=" + defectOf(t, "ipasir"), "", replay.BuiltIn, apimodel.IPASIR, 1},
		{both, "", replay.Library, apimodel.IPAMIR, 0},
		{both + ":a=1,b=2", "ipasir", replay.Library, apimodel.IPASIR, 2},
		{library(t, "ipasir2"), "", replay.Library, apimodel.IPASIR, 0},
	} {
		target, err := targets.Resolve(c.spec, c.model, nil)
		if err != nil {
			t.Errorf("%s %s: %v", c.spec, c.model, err)
			continue
		}
		if target.Kind != c.kind || target.Model != c.serves || len(target.Settings) != c.settings || target.Name != c.spec {
			t.Errorf("%s %s: %+v", c.spec, c.model, target)
		}
	}
}

// TestColonsInPaths: a file's own name goes before options.
func TestColonsInPaths(t *testing.T) {
	t.Parallel()
	odd := copyFile(t, library(t, "healthy"), t.TempDir(), "lib:a=1.so")
	if target := resolve(t, odd, ""); target.Path != odd || len(target.Settings) != 0 {
		t.Errorf("%+v", target)
	}
	if target := resolve(t, odd+":b=2", ""); target.Path != odd || len(target.Settings) != 1 ||
		target.Settings[0] != (replay.Setting{"b", "2"}) {
		t.Errorf("%+v", target)
	}
}

func TestForModel(t *testing.T) {
	t.Parallel()
	target := resolve(t, "ref", "ipamir")
	if same, err := targets.ForModel(target, apimodel.IPAMIR, nil); err != nil || same != target {
		t.Error(same, err)
	}
	if other, err := targets.ForModel(target, apimodel.IPASIR, nil); err != nil || other.Model != apimodel.IPASIR {
		t.Error(other, err)
	}
	lone, err := targets.ForModel(resolve(t, library(t, "healthy"), ""), apimodel.IPASIR, nil)
	if err == nil {
		_, err = replay.Open(lone, replay.Fork, tight)
	}
	if err == nil || !strings.Contains(err.Error(), "ipasir") {
		t.Errorf("a library without ipasir: %v", err)
	}
}

func TestTargetsFileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "targets.toml")
	for _, c := range []struct{ text, want string }{
		{"[targets.a]\npath = \"x\"\nmodel = = 1\n", path + ":3:9: "},
		{"[targets.a]\npath = \"x\"\nmodle = \"ipamir\"\n",
			":3: unknown key targets.a.modle; the keys of a target are command, describe, "},
		{"[target.a]\npath = \"x\"\n", ":1: unknown key target.a; each target has a section [targets.NAME]"},
		{"[targets.a]\nmodel = \"ipamir\"\n", "target a has no path"},
		{"[targets.a]\npath = 3\n", "targets file"},
	} {
		write(t, path, c.text)
		if _, err := targets.ReadFile(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"[targets.a]\npath = \"ref\"\npolicies = { soft-nought = \"x\" }\n", "soft-nought"},
		{"[targets.a]\npath = \"ref\"\npolicies = { soft-zero = \"maybe\" }\n", "maybe"},
		{"[targets.a]\npath = \"gone.so\"\n", "gone.so"},
		{"[targets.a]\npath = \"ref\"\nmodel = \"smt\"\n", `no API model "smt"`},
		{"[targets.b]\npath = \"ref\"\n[targets.c]\npath = \"ref\"\n", "(which has b, c)"},
	} {
		write(t, path, c.text)
		file, err := targets.ReadFile(path)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if _, err := targets.Resolve("a", "", file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	write(t, path, "[targets.a]\npath = \"ref\"\nmodel = \"smt\"\n")
	if file, err := targets.ReadFile(path); err != nil {
		t.Error(err)
	} else if _, err := targets.Resolve("a", "ipasir", file); err == nil ||
		!strings.Contains(err.Error(), `no API model "smt"`) {
		t.Errorf("an entry of an unknown model that is asked for another one: %v", err)
	}
	if _, err := targets.ReadFile(path + ".missing"); err == nil {
		t.Error("a targets file that is not there is no error")
	}
}

func TestTargetsFile(t *testing.T) {
	dir := t.TempDir()
	copyFile(t, builtInLibrary(t), dir, "lib.so")
	write(t, filepath.Join(dir, targets.DefaultFile), `
[targets.mine]
path = "lib.so"
model = "ipasir"
options = { defect = "none", seed = "3" }
policies = { soft-zero = "rejected" }
lacks = ["terminate"]
`)
	t.Chdir(dir)
	file, err := targets.ReadFile("")
	if err != nil {
		t.Fatal(err)
	}
	target, err := targets.Resolve("mine:seed=4", "", file)
	if err != nil {
		t.Fatal(err)
	}
	if target.Path != filepath.Join(dir, "lib.so") || target.Model != apimodel.IPASIR ||
		target.Policies["soft-zero"] != "rejected" ||
		len(target.Settings) != 3 || target.Settings[2] != (replay.Setting{"seed", "4"}) || target.Lacks[0] != "terminate" {
		t.Errorf("%+v", target)
	}
	if target, err := targets.Resolve("mine", "ipamir", file); err != nil || target.Model != apimodel.IPAMIR {
		t.Errorf("%+v, %v", target, err)
	}
	t.Chdir(t.TempDir())
	if file, err := targets.ReadFile(""); err != nil || len(file.Names()) != 0 {
		t.Errorf("no targets file: %+v, %v", file, err)
	}
}
