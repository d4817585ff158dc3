package ref

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// compile calls the C compiler on all files that match the patterns.
func compile(output string, flags []string, patterns ...string) error {
	arguments := append([]string{"-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I../exec", "-I.",
		"-o", output}, flags...)
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			return fmt.Errorf("no files match %s: %v", pattern, err)
		}
		arguments = append(arguments, files...)
	}
	if text, err := exec.Command("cc", arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("cc: %w\n%s", err, text)
	}
	return nil
}

// built is a directory for files that several tests use.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "ipafuzz-ref-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// checker builds testdata/check.c, which finds the right answers by brute force.
var checker = sync.OnceValues(func() (program string, err error) {
	program = filepath.Join(built, "check")
	return program, compile(program, []string{"-O2", "-Wl,--wrap=calloc,--wrap=realloc,--wrap=free"}, "*.c",
		"testdata/*.c")
})

func check(t *testing.T, arguments ...string) {
	t.Helper()
	program, err := checker()
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(program, arguments...).CombinedOutput()
	if err != nil {
		t.Errorf("check %s: %v\n%s", strings.Join(arguments, " "), err, text)
	}
	t.Logf("%s", text)
}

func TestHealthy(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	check(t, "large", fmt.Sprint(testseed.Of(t, 1)))
}

func TestDefectsShow(t *testing.T) {
	if testing.Short() {
		t.Skip("runs into hangs on purpose")
	}
	t.Parallel()
	check(t, "defects", "20000", fmt.Sprint(testseed.Of(t, 1)))
}

func TestDefectTable(t *testing.T) {
	names := map[string]bool{}
	class := regexp.MustCompile(`^[1-6]\.[1-8]$`)
	for i, d := range Defects() {
		if d.Number != i+1 {
			t.Errorf("defect %s has number %d at place %d", d.Name, d.Number, i+1)
		}
		if names[d.Name] || !class.MatchString(d.Class) || d.Doc == "" ||
			!slices.Contains([]string{"ipasir", "ipamir", "both", "ipasir+cadical", "ipasir+enumerate", "qbf", "ipasir2"},
				d.Model) {
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

// TestExports: the shared library exports the interfaces and nothing else, since any other symbol could clash
// with one of a library under test.
func TestExports(t *testing.T) {
	t.Parallel()
	library := filepath.Join(built, "libreference.so")
	if err := compile(library, []string{"-O0", "-shared", "-fPIC", "-DREF_SHARED"}, "*.c"); err != nil {
		t.Fatal(err)
	}
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
		if !regexp.MustCompile(`^(ipasir2?|ipamir|qbf|ipafuzz)_[a-z_]+$`).MatchString(symbol.Name) {
			t.Errorf("exports %s", symbol.Name)
		}
	}
	if count != 56 {
		t.Errorf("exports %d symbols, not 56", count)
	}
}
