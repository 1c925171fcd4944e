package apply

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/trash"
)

func (a *Applier) makeDirectory(at target, now *pb.Entry, action *pb.MakeDirectory) *pb.OperationResult {
	mode := action.GetMode() & modeBits
	switch now.Kind {
	case pb.EntryKind_ENTRY_KIND_DIRECTORY:
	case pb.EntryKind_ENTRY_KIND_UNSPECIFIED:
		if err := unix.Mkdirat(at.fd, at.name, mode); err != nil {
			return failed(err, now)
		}
	default:
		return refused("a file is not replaced by a folder")
	}
	err := a.withPath(at, unix.O_DIRECTORY, func(path string) error {
		if err := a.own(at, now, func(uid, gid int) error { return unix.Chown(path, uid, gid) }); err != nil {
			return err
		}
		return unix.Chmod(path, mode)
	})
	if err != nil {
		return failed(err, now)
	}
	return applied(at, nil)
}

func (a *Applier) makeSymlink(at target, now *pb.Entry, action *pb.MakeSymlink) *pb.OperationResult {
	link := action.GetTarget()
	if link == "" || len(link) > maxTarget || strings.IndexByte(link, 0) >= 0 {
		return refused("a link's target that is not acceptable")
	}
	if now.Kind == pb.EntryKind_ENTRY_KIND_DIRECTORY {
		return refused("a folder is not replaced by a link")
	}
	name := root.TemporaryName()
	if err := unix.Symlinkat(link, at.fd, name); err != nil {
		return failed(err, now)
	}
	_ = a.own(at, now, func(uid, gid int) error {
		return unix.Fchownat(at.fd, name, uid, gid, unix.AT_SYMLINK_NOFOLLOW)
	})
	trashed, err := a.keep(at, now)
	if err == nil {
		err = moveInto(at.fd, name, at, now)
	}
	if err != nil {
		_ = unix.Unlinkat(at.fd, name, 0)
		return failed(err, now)
	}
	result := applied(at, nil)
	result.Trashed = trashed
	return result
}

// remove deletes a file or link by way of the trash, or an empty folder.
func (a *Applier) remove(at target, now *pb.Entry) *pb.OperationResult {
	switch now.Kind {
	case pb.EntryKind_ENTRY_KIND_UNSPECIFIED:
		return applied(at, nil)
	case pb.EntryKind_ENTRY_KIND_DIRECTORY:
		a.forget(at.path)
		if err := unix.Unlinkat(at.fd, at.name, unix.AT_REMOVEDIR); err != nil {
			return failed(err, now)
		}
		return applied(at, nil)
	}
	var taken trash.Taken
	if a.Trash != nil {
		var err error
		taken, err = a.Trash.Take(at.fd, at.name, at.path, now, func(moved *pb.Entry) bool {
			return moved.Size == now.Size && moved.Inode == now.Inode && moved.MtimeNs == now.MtimeNs
		})
		if errors.Is(err, trash.ErrExchanged) {
			found, _ := root.EntryAt(at.fd, at.name)
			return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_MISMATCH, Now: found}
		}
		if err != nil {
			return failed(fmt.Errorf("it could not be kept: %w", err), now)
		}
	}
	if !taken.Gone {
		if err := unix.Unlinkat(at.fd, at.name, 0); err != nil {
			return failed(err, now)
		}
	}
	result := applied(at, nil)
	result.Trashed = taken.Kept
	return result
}

func (a *Applier) chmod(at target, now *pb.Entry, action *pb.Chmod) *pb.OperationResult {
	if now.Kind != pb.EntryKind_ENTRY_KIND_FILE && now.Kind != pb.EntryKind_ENTRY_KIND_DIRECTORY {
		return refused("only files and folders have a mode")
	}
	err := a.withPath(at, 0, func(path string) error { return unix.Chmod(path, action.GetMode()&modeBits) })
	if err != nil {
		return failed(err, now)
	}
	return applied(at, now.Digest)
}

// withPath runs a call that takes a path on exactly the file or folder at a target, never through a link:
// the path leads by way of a descriptor.
func (a *Applier) withPath(at target, flags int, call func(path string) error) error {
	fd, err := unix.Openat(at.fd, at.name, flags|unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		return unix.ELOOP
	}
	return call("/proc/self/fd/" + strconv.Itoa(fd))
}

func (a *Applier) rename(at target, now *pb.Entry, action *pb.Rename) *pb.OperationResult {
	if err := a.acceptable(action.GetTo()); err != nil {
		return refused(err.Error())
	}
	switch now.Kind {
	case pb.EntryKind_ENTRY_KIND_UNSPECIFIED, pb.EntryKind_ENTRY_KIND_OTHER:
		return refused("nothing there that can be renamed")
	}
	a.forget(at.path)
	to, err := a.target(action.GetTo())
	if err != nil {
		return failed(err, now)
	}
	found, err := root.EntryAt(to.fd, to.name)
	if err != nil {
		return failed(err, now)
	}
	if found.Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		return refused("something is at the new name")
	}
	err = unix.Renameat2(at.fd, at.name, to.fd, to.name, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) && !strings.HasPrefix(to.path, at.path+"/") || errors.Is(err, unix.ENOSYS) {
		err = unix.Renameat(at.fd, at.name, to.fd, to.name)
	}
	if errors.Is(err, unix.EXDEV) {
		err = copyAcross(at, to)
	}
	if err != nil {
		return failed(err, now)
	}
	return applied(to, now.Digest)
}

// forget drops open folders at and below a path that is about to become another one.
func (a *Applier) forget(path string) {
	for folder, opened := range a.folders {
		if folder == path || strings.HasPrefix(folder, path+"/") {
			unix.Close(opened.fd)
			delete(a.folders, folder)
		}
	}
}
