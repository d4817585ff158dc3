package native

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A static target is a static library (archive), or a directory with one that has the layout
// of the official IPAMIR and IPASIR repositories: maxsat/<name>/libipamir<name>.a (or
// sat/<name>/libipasir<name>.a, or lib, the name of another model and <name>.a). A file LINK
// beside it may hold the command that links (see linkCommand for the default), and a file LIBS
// further arguments for it. The worker is linked with the library, which runs exactly as its
// author submitted it.

// staticModels are the models that an archive may serve, in the order of preference.
var staticModels = []*apimodel.Model{apimodel.IPAMIR, apimodel.IPASIR, apimodel.QBF, apimodel.IPASIR2}

// ResolveStatic completes a target that is an archive, or a directory with one: it links its worker.
func ResolveStatic(t *replay.Target, wanted *apimodel.Model) error {
	d := new(driver)
	t.Kind, t.Driver = replay.Static, d
	path, err := filepath.Abs(t.Path)
	if err != nil {
		return replay.Unusable(t.Name, "%v", err)
	}
	t.Path = path
	if IsArchive(path) {
		d.archive = path
		err = serveSymbols(t, wanted)
	} else {
		d.archive, err = archiveIn(t, wanted)
	}
	if err != nil {
		return err
	}
	d.program, err = link(t, d.archive)
	return err
}

// IsArchive reports whether the file is a static library.
func IsArchive(path string) bool {
	file, err := userfile.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	magic := make([]byte, len(archiveMagic))
	_, err = io.ReadFull(file, magic)
	return err == nil && (string(magic) == archiveMagic || string(magic) == thinMagic)
}

// serveSymbols sets the model of a target that is an archive: the one whose functions the archive defines.
func serveSymbols(t *replay.Target, wanted *apimodel.Model) error {
	served, err := modelsOf(t.Path)
	if err != nil {
		return replay.Unusable(t.Name, "%v", err)
	}
	if len(served) == 0 {
		return replay.Unusable(t.Name, "the archive exports none of ipasir_init, ipamir_init, ipasir2_init and qbf_init")
	}
	if wanted == nil {
		t.Model = served[0]
		return nil
	}
	for _, m := range served {
		if m.Prefix() == wanted.Prefix() {
			t.Model = wanted
			return nil
		}
	}
	return replay.Unusable(t.Name, "the archive serves %s, not %s: it defines no %s_init",
		served[0].Name, wanted.Name, wanted.Prefix())
}

// modelsOf returns the models whose init function an archive defines.
func modelsOf(archive string) (served []*apimodel.Model, err error) {
	defined, err := archiveSymbols(archive)
	if err != nil {
		return nil, err
	}
	for _, m := range staticModels {
		if defined[m.Prefix()+"_init"] {
			served = append(served, m)
		}
	}
	return served, nil
}

// archiveIn finds the archive of a directory by its name, which also names the model.
func archiveIn(t *replay.Target, wanted *apimodel.Model) (archive string, err error) {
	dir, base := t.Path, filepath.Base(t.Path)
	var other *apimodel.Model
	for _, m := range staticModels {
		name := filepath.Join(dir, "lib"+m.Name+base+".a")
		if _, err := os.Stat(name); err != nil {
			continue
		}
		if wanted == nil || wanted.Prefix() == m.Prefix() {
			t.Model = cmp.Or(wanted, m)
			return name, nil
		}
		other = m
	}
	if other != nil {
		return "", replay.Unusable(t.Name, "directory %s serves %s, not %s: it holds lib%s%s.a and no lib%s%s.a",
			dir, other.Name, wanted.Name, other.Name, base, wanted.Prefix(), base)
	}
	return "", replay.Unusable(t.Name, "directory %s holds none of "+
		"libipamir%s.a, libipasir%s.a, libqbf%s.a and libipasir2%s.a%s", dir, base, base, base, base, archiveHint(dir))
}

// archiveHint returns the likely reason why a directory has no archive of the right name.
func archiveHint(dir string) string {
	found, _ := filepath.Glob(filepath.Join(dir, "*.a"))
	for _, archive := range found {
		if served, _ := modelsOf(archive); len(served) > 0 {
			return "; it holds " + filepath.Base(archive) + ", which can be the target itself"
		}
	}
	if len(found) > 0 {
		return "; it holds " + filepath.Base(found[0]) + ", and the name must be the directory's"
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "[Mm]akefile")); len(found) > 0 {
		return "; it holds a makefile: run make there first"
	}
	return ""
}

func cacheDir() (string, error) {
	if dir := os.Getenv("IPAFUZZ_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for the cache in which it is linked: %w (set IPAFUZZ_CACHE to a directory)", err)
	}
	return filepath.Join(dir, "ipafuzz"), nil
}
