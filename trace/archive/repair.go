package archive

import (
	"errors"
	"fmt"
	"os"
)

// A Repaired tells what Repair found in a file.
type Repaired struct {
	Traces int   // number of traces in the file
	Torn   *Torn // the torn end before the repair; nil if the archive was whole
}

// Repair completes an archive whose writer was killed: an end mark replaces what follows the last whole section. Repair
// removes a file without any whole trace. It does not change an archive to which another process is adding (ErrBusy),
// or one with damage that the death of a writer does not explain.
func Repair(path string) (Repaired, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return Repaired{}, err
	}
	defer file.Close()
	if err := lock(file); err != nil {
		return Repaired{}, fmt.Errorf("%s: %w", path, err)
	}
	if !isAt(file, path) { // another process replaced it between open and lock
		return Repaired{}, fmt.Errorf("%s: %w", path, ErrBusy)
	}
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		return Repaired{Torn: &Torn{Why: "the file is empty", Lost: -1}}, os.Remove(path)
	}
	r, err := openFile(file, path)
	if err != nil {
		return Repaired{}, err
	}
	defer r.decoder.Close()
	done := Repaired{Traces: r.Len(), Torn: r.Torn}
	switch {
	case r.Torn == nil:
		return done, nil
	case r.Torn.unsure:
		return done, r.damage(r.Torn.Offset, "%s; this is damage and not a torn end", r.Torn.Why)
	case r.Len() == 0:
		return done, os.Remove(path)
	}
	if err := file.Truncate(r.end); err != nil {
		return done, err
	}
	if _, err := file.WriteAt(endMark, r.end); err != nil {
		return done, errors.Join(err, file.Truncate(r.end))
	}
	return done, file.Sync()
}
