package root

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/gen/helperv1"
)

// ErrChanged says that a file changed while it was being read: what was read is no version of it.
var ErrChanged = errors.New("changed while being read")

// ErrKind says that a path holds something that is not read.
var ErrKind = errors.New("not a regular file")

// OpenFile opens a regular file for reading, without ever blocking on a FIFO, and returns its entry.
func (r *Root) OpenFile(path string) (*os.File, *helperv1.Entry, error) {
	fd, err := r.OpenAt(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, nil, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		unix.Close(fd)
		return nil, nil, err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		return nil, nil, ErrKind
	}
	return os.NewFile(uintptr(fd), path), EntryOf(&stat), nil
}

// Unchanged compares an open file with the entry it had before.
func Unchanged(file *os.File, before *helperv1.Entry) bool {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return false
	}
	return SameStat(EntryOf(&stat), before)
}

// SameStat is true when two entries of a file cannot be told apart without reading it.
func SameStat(a, b *helperv1.Entry) bool {
	return a.Size == b.Size && a.MtimeNs == b.MtimeNs && a.CtimeNs == b.CtimeNs && a.Inode == b.Inode &&
		a.Device == b.Device
}

// Hash reads a file and returns its entry with the digest of its content.
// ErrChanged comes with the entry, without digest.
func (r *Root) Hash(path string, buffer []byte) (*helperv1.Entry, error) {
	file, entry, err := r.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hash := sha256.New()
	read, err := io.CopyBuffer(hash, struct{ io.Reader }{file}, buffer)
	if err != nil {
		return nil, err
	}
	if uint64(read) != entry.Size || !Unchanged(file, entry) {
		return entry, ErrChanged
	}
	entry.Digest = hash.Sum(nil)
	return entry, nil
}
