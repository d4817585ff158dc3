// Package atomicfile writes files so that readers always see them whole: in their old or in
// their new version. That holds even if the machine crashes: a file is on the disk before
// it takes its place, and its place is on the disk before Write returns.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/userfile"
)

// Write replaces the file, or makes it. It writes into devices, pipes and links instead of
// replacing them, since root could replace even /dev/null.
func Write(path string, text []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return writeThrough(path, text)
	}
	file, err := Create(path)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return errors.Join(err, file.Abandon())
	}
	return file.Commit()
}

func writeThrough(path string, text []byte) error {
	file, err := userfile.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// A File is written beside its place until Commit moves it there.
type File struct {
	*os.File
	path string
}

// Create makes a file that Commit will put at path. The file is locked until then, so that
// Orphaned recognizes the files of live processes.
func Create(path string) (*File, error) {
	for {
		file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
		if err != nil {
			return nil, err
		}
		if lock(file) == nil && !gone(file) {
			return &File{file, path}, nil
		}
		file.Close() // another process took it for an orphan, before the lock
	}
}

// lock fails only if another process has locked the file: not all file systems have locks.
func lock(file *os.File) error {
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return err
	}
	return nil
}

func gone(file *os.File) bool {
	var status unix.Stat_t
	return unix.Fstat(int(file.Fd()), &status) == nil && status.Nlink == 0
}

var beside = regexp.MustCompile(`^\.(.+)\.[0-9]+$`)

// Beside takes the name of a file that Create made, and returns the name after Commit. ok is
// false if Create does not make files with such a name.
func Beside(name string) (target string, ok bool) {
	if parts := beside.FindStringSubmatch(name); parts != nil {
		return parts[1], true
	}
	return "", false
}

// Orphaned reports whether the process that made a file with Create was killed before it
// put the file in its place. On a file system without locks it returns false.
func Orphaned(path string) bool {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	return err == nil && info.Mode().IsRegular() && unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// Commit closes the file and puts it in its place, where everybody may read it. If
// that fails, the file is gone and its place is as before.
func (f *File) Commit() error {
	err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return SyncDir(filepath.Dir(f.path))
}

// Abandon closes and removes the file; its place is as before.
func (f *File) Abandon() error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// SyncDir waits until the names in a directory are on the disk. It succeeds if the
// directory is gone.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
