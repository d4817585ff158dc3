package native

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A directory target has the layout of the official IPAMIR and IPASIR
// repositories: maxsat/<name>/libipamir<name>.a (or sat/<name>/libipasir<name>.a, or
// lib, the name of another model and <name>.a), perhaps a file LINK with the command
// that links (see linkCommand for the default), and perhaps a file LIBS with further
// arguments for it. The worker is linked with the library, which runs exactly as its
// author submitted it.

// ResolveDirectory completes a target that is a directory: it links its worker.
func ResolveDirectory(t *replay.Target, wanted *apimodel.Model) error {
	d := new(driver)
	t.Kind, t.Driver = replay.Static, d
	dir, err := filepath.Abs(t.Path)
	if err != nil {
		return replay.Unusable(t.Name, "%v", err)
	}
	t.Path = dir
	var archive string
	var other *apimodel.Model
	base := filepath.Base(dir)
	for _, m := range []*apimodel.Model{apimodel.IPAMIR, apimodel.IPASIR, apimodel.QBF, apimodel.IPASIR2} {
		name := filepath.Join(dir, "lib"+m.Name+base+".a")
		if _, err := os.Stat(name); err != nil {
			continue
		}
		if wanted == nil || wanted.Prefix() == m.Prefix() {
			t.Model, archive = cmp.Or(wanted, m), name
			break
		}
		other = m
	}
	switch {
	case archive == "" && other != nil:
		return replay.Unusable(t.Name, "directory %s serves %s, not %s: it holds lib%s%s.a and no lib%s%s.a",
			dir, other.Name, wanted.Name, other.Name, base, wanted.Prefix(), base)
	case archive == "":
		return replay.Unusable(t.Name, "directory %s holds none of "+
			"libipamir%s.a, libipasir%s.a, libqbf%s.a and libipasir2%s.a%s", dir, base, base, base, base, archiveHint(dir))
	}
	d.archive = archive
	d.program, err = link(t, archive)
	return err
}

// archiveHint returns the likely reason why a directory has no archive of the right name.
func archiveHint(dir string) string {
	if found, _ := filepath.Glob(filepath.Join(dir, "*.a")); len(found) > 0 {
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
