package replay

import (
	"debug/elf"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// An Identity tells one build of a target from another.
type Identity struct {
	Path    string `json:"path,omitempty"`
	Size    int64  `json:"size,omitempty"`
	BuildID string `json:"build_id,omitempty"`
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "386": elf.EM_386, "riscv64": elf.EM_RISCV}

// inspectLibrary reads a shared library's headers without running any of it.
func inspectLibrary(t *Target) (models []*apimodel.Model, err error) {
	begins, err := beginsAsELF(t.Path)
	switch {
	case err != nil:
		return nil, unusable(t.Name, "%v", err)
	case !begins:
		return nil, unusable(t.Name, "%s is not a shared library (not an ELF file)", t.Path)
	}
	file, err := elf.Open(t.Path)
	if err != nil {
		return nil, broken(t, err)
	}
	defer file.Close()
	if file.Type != elf.ET_DYN {
		return nil, unusable(t.Name, "%s is not a shared library (its ELF type is %v)", t.Path, file.Type)
	}
	if want, ok := machines[runtime.GOARCH]; ok && file.Machine != want {
		return nil, unusable(t.Name, "%s is for another machine: it is built for %v, ipafuzz runs on %v", t.Path, file.Machine, want)
	}
	defined, err := definedSymbols(file)
	if err != nil {
		return nil, broken(t, err)
	}
	t.allocator = defined["malloc"] && defined["free"]
	for _, m := range apimodel.AllModels() {
		if defined[m.Interface().Name+"_init"] && (m.Extends == nil || extends(m, defined)) {
			models = append(models, m)
		}
	}
	return models, nil
}

// extends reports whether there is any of the functions that the model adds.
func extends(m *apimodel.Model, defined map[string]bool) bool {
	return slices.ContainsFunc(m.Calls, func(c apimodel.Call) bool { return m.Own(&c) && defined[c.Function] })
}

func beginsAsELF(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	begin := make([]byte, len(elf.ELFMAG))
	if _, err := io.ReadFull(file, begin); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return string(begin) == elf.ELFMAG, nil
}

// broken is the error for a library of which not even the headers can be read.
func broken(t *Target, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return unusable(t.Name, "%s is damaged or cut short: %v (build or copy it again)", t.Path, err)
}

func resolveLibrary(t *Target, wanted *apimodel.Model) error {
	path, err := filepath.Abs(t.Path)
	if err != nil {
		return unusable(t.Name, "%v", err)
	}
	t.Path = path
	models, err := inspectLibrary(t)
	if err != nil {
		return err
	}
	t.Model = wanted
	for _, m := range models {
		if wanted == nil && m.Extends == nil {
			t.Model = m // the last one: IPAMIR where there are both
		}
	}
	switch {
	case t.Model == nil:
		return unusable(t.Name, "%s exports neither ipasir_init nor ipamir_init", t.Path)
	case len(models) > 0 && !slices.Contains(models, t.Model): // with none, a library that it needs may have them
		return unusable(t.Name, "%s serves %s, not %s: it exports %s_init and no %s_init", t.Path,
			models[0].Name, t.Model.Name, models[0].Name, t.Model.Name)
	}
	return nil // a function that is missing is found, with its name, when the library is loaded
}

// Identify tells which build of the target this is.
func (t *Target) Identify() Identity {
	switch t.Kind {
	case BuiltIn:
		return Identity{}
	case Pipe, File:
		return Identity{Path: strings.Join(t.Command, " ")}
	}
	id := Identity{Path: t.Path}
	path := t.Path
	if t.program != "" {
		path = t.program
	}
	if stat, err := os.Stat(path); err == nil {
		id.Size = stat.Size()
	}
	if file, err := elf.Open(path); err == nil {
		defer file.Close()
		if section := file.Section(".note.gnu.build-id"); section != nil {
			if data, err := section.Data(); err == nil && len(data) > 16 {
				id.BuildID = hex.EncodeToString(data[16:])
			}
		}
	}
	return id
}
