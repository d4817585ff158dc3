package ref

import (
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// compile calls the C compiler on all files that match the patterns.
func compile(t *testing.T, name string, flags []string, patterns ...string) string {
	t.Helper()
	output := filepath.Join(t.TempDir(), name)
	arguments := append([]string{"-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror",
		"-I../exec", "-I.", "-o", output}, flags...)
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files match %s: %v", pattern, err)
		}
		arguments = append(arguments, files...)
	}
	if text, err := exec.Command("cc", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, text)
	}
	return output
}

// check runs testdata/check.c, which knows the right answers by brute force.
func check(t *testing.T, arguments ...string) {
	t.Helper()
	program := compile(t, "check", []string{"-Wl,--wrap=calloc,--wrap=realloc,--wrap=free"}, "*.c", "testdata/*.c")
	text, err := exec.Command(program, arguments...).CombinedOutput()
	if err != nil {
		t.Errorf("check %s: %v\n%s", strings.Join(arguments, " "), err, text)
	}
	t.Logf("%s", text)
}

func TestHealthy(t *testing.T) {
	sessions := "60000"
	if testing.Short() {
		sessions = "6000"
	}
	check(t, "sessions", sessions, fmt.Sprint(testseed.Of(t, 1)))
}

func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("solves large formulas: many seconds")
	}
	check(t, "large", fmt.Sprint(testseed.Of(t, 1)))
}

func TestDefectsShow(t *testing.T) {
	if testing.Short() {
		t.Skip("runs into hangs on purpose")
	}
	check(t, "defects", "20000", fmt.Sprint(testseed.Of(t, 1)))
}

func TestDefectTable(t *testing.T) {
	names := map[string]bool{}
	class := regexp.MustCompile(`^[1-6]\.[1-7]$`)
	for i, d := range Defects() {
		if d.Number != i+1 {
			t.Errorf("defect %s has number %d at place %d", d.Name, d.Number, i+1)
		}
		if names[d.Name] || !class.MatchString(d.Class) || d.Doc == "" ||
			!slices.Contains([]string{"ipasir", "ipamir", "both", "ipasir+cadical", "ipasir+enumerate"}, d.Model) {
			t.Errorf("bad row: %+v", d)
		}
		names[d.Name] = true
	}
	if len(names) < 44 {
		t.Errorf("only %d defects", len(names))
	}
}

func TestTargets(t *testing.T) {
	ipasir, ipamir := Target(apimodel.IPASIR.ID), Target(apimodel.IPAMIR.ID)
	if ipasir == nil || ipamir == nil || ipasir == ipamir {
		t.Error("two tables expected")
	}
}

// The shared library exports the interfaces and nothing else: whatever else it
// exported could meet a symbol of a library under test.
func TestExports(t *testing.T) {
	library := compile(t, "libreference.so", []string{"-shared", "-fPIC", "-DREF_SHARED"}, "*.c")
	file, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, symbol := range symbols {
		if symbol.Section == elf.SHN_UNDEF {
			continue
		}
		count++
		if !regexp.MustCompile(`^(ipasir|ipamir|ipafuzz)_[a-z_]+$`).MatchString(symbol.Name) {
			t.Errorf("exports %s", symbol.Name)
		}
	}
	if count != 22 {
		t.Errorf("exports %d symbols, not 22", count)
	}
}

func TestSourcesAreEmbedded(t *testing.T) {
	for _, name := range []string{"sat.c", "ipamir.c", "export.c", "ref.h", "defects.h"} {
		if _, err := Sources.ReadFile(name); err != nil {
			t.Error(err)
		}
	}
}
