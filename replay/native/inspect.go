package native

import (
	"debug/elf"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay"
)

var machines = map[string]elf.Machine{
	"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "386": elf.EM_386, "riscv64": elf.EM_RISCV,
}

// inspect reads a shared library's headers. It does not run any code of the library.
func (d *driver) inspect(t *replay.Target) (models []*apimodel.Model, err error) {
	begins, err := beginsAsELF(t.Path)
	switch {
	case err != nil:
		return nil, replay.Unusable(t.Name, "%v", err)
	case !begins:
		return nil, replay.Unusable(t.Name, "%s is not a shared library (not an ELF file); docs/targets.md says how to "+
			"name a program", t.Path)
	}
	file, err := elf.Open(t.Path)
	if err != nil {
		return nil, broken(t, err)
	}
	defer file.Close()
	if isProgram(file) {
		return nil, replay.Unusable(t.Name, "%s is a program, not a library; a targets file names one that reads a file, "+
			"with the keys command and format: docs/targets.md", t.Path)
	}
	if file.Type != elf.ET_DYN {
		return nil, replay.Unusable(t.Name, "%s is not a shared library (its ELF type is %v)", t.Path, file.Type)
	}
	if want, ok := machines[runtime.GOARCH]; ok && file.Machine != want {
		return nil, replay.Unusable(t.Name, "%s is for another machine: it is built for %v, ipafuzz runs on %v",
			t.Path, file.Machine, want)
	}
	defined, err := definedSymbols(file)
	if err != nil {
		return nil, broken(t, err)
	}
	d.allocator = defined["malloc"] && defined["free"]
	d.sanitizer = sanitizerOf(file)
	for _, m := range apimodel.Libraries() {
		if defined[m.Prefix()+"_init"] && (m.Standard() || extends(m, defined)) {
			models = append(models, m)
		}
	}
	return models, nil
}

// isProgram reports whether the file is an executable. Those that can be loaded at any address have the type of
// shared libraries.
func isProgram(file *elf.File) bool {
	flags, err := file.DynValue(elf.DT_FLAGS_1)
	return file.Type == elf.ET_EXEC || err == nil && len(flags) > 0 && elf.DynFlag1(flags[0])&elf.DF_1_PIE != 0
}

// withoutModel says which functions a library would have that serves the model, given the models that it serves.
func withoutModel(m *apimodel.Model, served []*apimodel.Model) string {
	if m.Extends == nil || !slices.Contains(served, m.Extends) {
		return "no " + m.Prefix() + "_init"
	}
	var own []string
	for i := range m.Calls {
		if c := &m.Calls[i]; m.Own(c) && c.Function != "" && !slices.Contains(own, c.Function) {
			own = append(own, c.Function)
		}
	}
	if len(own) == 1 {
		return "no " + own[0]
	}
	return "none of " + strings.Join(own, ", ")
}

// extends reports whether the library defines a function that the model adds.
func extends(m *apimodel.Model, defined map[string]bool) bool {
	return slices.ContainsFunc(m.Calls, func(c apimodel.Call) bool { return m.Own(&c) && defined[c.Function] })
}

func beginsAsELF(path string) (bool, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	begin := make([]byte, len(elf.ELFMAG))
	if _, err := io.ReadFull(file, begin); err != nil && !tooShort(err) {
		return false, err
	}
	return string(begin) == elf.ELFMAG, nil
}

func tooShort(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// broken returns the TargetError for a library whose headers cannot be read.
func broken(t *replay.Target, err error) error {
	if tooShort(err) {
		err = errors.New("it ends too early")
	}
	return replay.Unusable(t.Name, "%s is damaged or cut short: %v (build or copy it again)", t.Path, err)
}

// ResolveLibrary completes the target whose path is a shared library.
func ResolveLibrary(t *replay.Target, wanted *apimodel.Model) error {
	d := new(driver)
	t.Kind, t.Driver = replay.Library, d
	path, err := filepath.Abs(t.Path)
	if err != nil {
		return replay.Unusable(t.Name, "%v", err)
	}
	t.Path = path
	models, err := d.inspect(t)
	if err != nil {
		return err
	}
	t.Model = wanted
	for _, m := range models {
		if wanted == nil && (m.Extends == nil && (t.Model == nil || !m.Quantified()) || m.Standard() && t.Model == nil) {
			t.Model = m // prefers IPAMIR, and takes IPASIR-2 only if there is nothing else
		}
	}
	switch {
	case t.Model == nil:
		return replay.Unusable(t.Name, "%s exports none of ipasir_init, ipamir_init, ipasir2_init and qbf_init", t.Path)
	case len(models) > 0 && !slices.Contains(models, t.Model): // with none, a library that it needs may have them
		return replay.Unusable(t.Name, "%s serves %s, not %s: it exports %s_init and %s", t.Path, models[0].Name,
			t.Model.Name, models[0].Prefix(), withoutModel(t.Model, models))
	}
	return nil // loading the library reports a missing function by its name
}
