package main

import (
	"fmt"
	"path"
	"sort"
	"strings"
)

// packageRows gives a row for each folder with Go code, and first the number of those over a limit.
func (m *module) packageRows() []figure {
	t := m.tree
	type size struct{ files, lines int }
	sizes := map[string]*size{}
	for _, f := range t.files {
		if f.isCode() && !strings.Contains(f.path, "testdata/") {
			folder := path.Dir(f.path)
			if sizes[folder] == nil {
				sizes[folder] = &size{}
			}
			sizes[folder].files++
			sizes[folder].lines += len(f.lines)
		}
	}
	var names []string
	for name := range sizes {
		names = append(names, name)
	}
	sort.Strings(names)
	var rows []figure
	over := 0
	for _, name := range names {
		s := sizes[name]
		value := fmt.Sprintf("%d files, %s lines", s.files, thousands(s.lines))
		if s.files > maxFiles || s.lines > maxPackageLines {
			over++
			value = "**" + value + "**"
		}
		if sites, files := t.locks(name); sites > 0 {
			value += fmt.Sprintf("; %d lock sites in %d files", sites, files)
		}
		if all, up, cyclic := m.arrows(name); all > 0 {
			value += fmt.Sprintf("; %d arrows, %d up, %d in cycles", all, up, cyclic)
		}
		rows = append(rows, figure{"package " + name, value})
	}
	label := fmt.Sprintf("packages over %d files or %s lines", maxFiles, thousands(maxPackageLines))
	return append([]figure{{label, fmt.Sprintf("%d of %d", over, len(names))}}, rows...)
}
