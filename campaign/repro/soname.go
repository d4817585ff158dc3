package repro

import (
	"debug/elf"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay"
)

// preload returns the setting of LD_PRELOAD with which the loader finds the library of a program. A library
// that is not installed often lacks a link with the name (SONAME) that programs are linked with. preload
// returns "" if the loader finds the library without it.
func preload(target *replay.Target) string {
	if target == nil || target.Kind != replay.Library {
		return ""
	}
	file, err := elf.Open(target.Path)
	if err != nil {
		return ""
	}
	defer file.Close()
	names, err := file.DynString(elf.DT_SONAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(target.Path), names[0])); err == nil {
		return ""
	}
	path, err := filepath.Abs(target.Path)
	if err != nil {
		path = target.Path
	}
	return "LD_PRELOAD=" + shell.Quote(path)
}
