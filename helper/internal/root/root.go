package root

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/gen/helperv1"
)

// Root is a folder held open: it stays the same folder when something else takes its name.
type Root struct {
	Path string
	// Own is the name of the helper's own folder, hidden wherever it lies below the root.
	Own       string
	fd        int
	identity  *helperv1.RootIdentity
	noOpenat2 atomic.Bool // openat2 is missing or forbidden here
}

// Open opens an absolute folder, making it with its parents where asked.
func Open(path, own string, create bool) (*Root, error) {
	if !filepath.IsAbs(path) || strings.IndexByte(path, 0) >= 0 {
		return nil, fmt.Errorf("%w: the root %q is not absolute", ErrPath, path)
	}
	if create {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
	}
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &Root{Path: path, Own: own, fd: fd, identity: identityOf(&stat)}, nil
}

// Close releases the folder.
func (r *Root) Close() error { return unix.Close(r.fd) }

// Identity is the folder that was opened.
func (r *Root) Identity() *helperv1.RootIdentity { return r.identity }

// IdentityNow is what lies at the root's path now: kind UNSPECIFIED when nothing does.
func (r *Root) IdentityNow() *helperv1.RootIdentity {
	var stat unix.Stat_t
	if err := unix.Stat(r.Path, &stat); err != nil {
		return &helperv1.RootIdentity{}
	}
	return identityOf(&stat)
}

// Same tells whether the root's path still leads to the folder that was opened.
func (r *Root) Same() bool {
	now := r.IdentityNow()
	return now.Device == r.identity.Device && now.Inode == r.identity.Inode && now.Kind == r.identity.Kind
}

func identityOf(stat *unix.Stat_t) *helperv1.RootIdentity {
	return &helperv1.RootIdentity{Device: stat.Dev, Inode: stat.Ino, Kind: kindOf(stat.Mode)}
}

// OpenAt opens a path below the root ("" is the root) without following any link in it.
// The caller closes the descriptor.
func (r *Root) OpenAt(path string, flags int) (int, error) {
	if path == "" {
		path = "."
	} else if err := CheckPath(path); err != nil {
		return -1, err
	}
	flags |= unix.O_CLOEXEC | unix.O_NOFOLLOW
	if !r.noOpenat2.Load() {
		fd, err := retry(func() (int, error) {
			return unix.Openat2(r.fd, path, &unix.OpenHow{
				Flags:   uint64(flags),
				Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
			})
		})
		if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
			return fd, err
		}
		if errors.Is(err, unix.ENOSYS) || !openat2Works(r.fd) {
			r.noOpenat2.Store(true)
		} else {
			return fd, err
		}
	}
	return r.openStepwise(path, flags)
}

func openat2Works(fd int) bool {
	probe, err := unix.Openat2(fd, ".", &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH,
	})
	if err == nil {
		unix.Close(probe)
	}
	return err == nil
}

// openStepwise is OpenAt for kernels without openat2: one part after the other, none of them a link.
func (r *Root) openStepwise(path string, flags int) (int, error) {
	parts := strings.Split(path, "/")
	at := r.fd
	for i, part := range parts {
		partFlags := unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
		if i == len(parts)-1 {
			partFlags = flags
		}
		next, err := retry(func() (int, error) { return unix.Openat(at, part, partFlags, 0) })
		if at != r.fd {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

// Folder opens a folder below the root for *at calls.
func (r *Root) Folder(path string) (int, error) {
	return r.OpenAt(path, unix.O_RDONLY|unix.O_DIRECTORY)
}

// Parent opens the folder that holds `path` and returns it with the path's last part.
func (r *Root) Parent(path string) (fd int, name string, err error) {
	if err := CheckPath(path); err != nil {
		return -1, "", err
	}
	folder, name := Split(path)
	fd, err = r.OpenAt(folder, unix.O_PATH|unix.O_DIRECTORY)
	return fd, name, err
}

// Stat is the entry at a path; kind UNSPECIFIED where nothing is, also when a parent is missing or no folder.
func (r *Root) Stat(path string) (*helperv1.Entry, error) {
	fd, name, err := r.Parent(path)
	if err != nil {
		if IsMissing(err) {
			return &helperv1.Entry{}, nil
		}
		return nil, err
	}
	defer unix.Close(fd)
	return EntryAt(fd, name)
}

// IsMissing is true for the errors of a path at which there can be nothing: gone, or below a file or a link.
func IsMissing(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// Hides is true for names of the helper's own: they are neither reported nor watched nor touched on request.
func (r *Root) Hides(name string) bool {
	return IsTemporary(name) || r.Own != "" && name == r.Own
}

// TemporaryName is a new name for a file on its way into place.
func TemporaryName() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return temporaryPrefix + hex.EncodeToString(random[:]) + temporarySuffix
}

// retry repeats a call that a signal or a concurrent rename interrupted; openat2 says EAGAIN for the latter.
func retry(call func() (int, error)) (int, error) {
	for range 128 {
		fd, err := call()
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return fd, err
		}
	}
	return -1, unix.EAGAIN
}
