package apply

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
)

// staged is a file that is being received. It lies in the helper's own folder where that is on the target's mount,
// so that whoever watches the target's folder sees one move and nothing else. Otherwise it has no name (a crash
// leaves nothing) or, where the file system cannot do that, a temporary one beside its target.
type staged struct {
	path   string // of the target
	fd     int
	place  place
	name   string // in the staging folder or beside the target; empty while there is none
	offset uint64
	hash   hash.Hash
	base   *int // descriptor of the file that a patch copies from
	noCopy bool // the kernel does not copy from the base
}

type place int

const (
	inStaging place = iota
	besideTarget
	inMemory // can only be copied into a file that is there
)

func (a *Applier) put(at target, expected *pb.Entry, put *pb.Put, body []byte) *pb.OperationResult {
	file, result := a.receive(at, put, uint64(len(body)), func(file *staged) error {
		if err := writeAll(file.fd, body, int64(put.Offset)); err != nil {
			return err
		}
		file.hash.Write(body)
		return nil
	}, nil)
	if result != nil || !put.Final {
		return result
	}
	return a.land(at, expected, put, file)
}

// land verifies a file that has arrived whole and makes it visible.
func (a *Applier) land(at target, expected *pb.Entry, put *pb.Put, file *staged) *pb.OperationResult {
	delete(a.staged, put.Staging)
	defer a.release(file)
	digest := file.hash.Sum(nil)
	if file.offset != put.Size || !bytes.Equal(digest, put.Digest) {
		return refused(fmt.Sprintf("%d bytes with another digest arrived instead of %d", file.offset, put.Size))
	}
	now, same, err := a.compare(at, expected)
	if err != nil {
		return failed(err, now)
	}
	if !same {
		return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_MISMATCH, Now: now}
	}
	if now.Kind == pb.EntryKind_ENTRY_KIND_DIRECTORY || now.Kind == pb.EntryKind_ENTRY_KIND_OTHER {
		return refused("a folder or special file is not replaced by a file")
	}
	if a.InPlace && now.Kind == pb.EntryKind_ENTRY_KIND_FILE {
		return a.overwrite(at, now, put, file)
	}
	return a.replace(at, now, put, file, digest)
}

// receive appends a slice of a length; a result means that the put ends here. `begin` is asked about a new file.
func (a *Applier) receive(
	at target, put *pb.Put, length uint64, write func(*staged) error, begin func(*staged) *pb.OperationResult,
) (*staged, *pb.OperationResult) {
	file, known := a.staged[put.Staging]
	if !known {
		if put.Offset != 0 {
			return nil, refused("a slice without its beginning")
		}
		if len(a.staged) >= maxStaged {
			return nil, refused("too many files at once")
		}
		opened, err := a.stage(at)
		if err != nil {
			return nil, failed(err, nil)
		}
		file = opened
		a.staged[put.Staging] = file
		if begin != nil {
			if result := begin(file); result != nil {
				a.discard(put.Staging)
				return nil, result
			}
		}
	}
	if file.path != at.path || file.offset != put.Offset || put.Offset > put.Size || length > put.Size-put.Offset ||
		put.Size > math.MaxInt64 {
		a.discard(put.Staging)
		return nil, refused("slices that do not follow each other")
	}
	if err := write(file); err != nil {
		a.discard(put.Staging)
		if errors.Is(err, errPieces) || errors.Is(err, errShort) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, refused(err.Error())
		}
		return nil, failed(err, nil)
	}
	file.offset += length
	if put.Final {
		return file, nil
	}
	return file, &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_STAGED}
}

// stage opens the file that slices go to. Where the folder takes no new files (a bind-mounted single file in a
// read-only folder), it is held in memory and its content is written in place at the end.
func (a *Applier) stage(at target) (*staged, error) {
	const flags = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	file := &staged{path: at.path, hash: sha256.New()}
	if a.Staging.fd > 0 && at.mount == a.Staging.mount {
		name := root.TemporaryName()
		if fd, err := unix.Openat(a.Staging.fd, name, flags, 0o600); err == nil {
			file.fd, file.place, file.name = fd, inStaging, name
			return file, nil
		}
	}
	file.place = besideTarget
	fd, err := unix.Openat(at.fd, ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		file.fd = fd
		return file, nil
	}
	name := root.TemporaryName()
	fd, err = unix.Openat(at.fd, name, flags, 0o600)
	if err == nil {
		file.fd, file.name = fd, name
		return file, nil
	}
	if now, statErr := root.EntryAt(at.fd, at.name); statErr == nil && cannotRename(err) &&
		now.Kind == pb.EntryKind_ENTRY_KIND_FILE {
		if memory, memoryErr := unix.MemfdCreate("slipway", unix.MFD_CLOEXEC); memoryErr == nil {
			file.fd, file.place = memory, inMemory
			return file, nil
		}
	}
	return nil, err
}

// cannotRename is true for errors that say: the folder, not the file, is what cannot be written.
func cannotRename(err error) bool {
	for _, number := range []unix.Errno{unix.EBUSY, unix.EXDEV, unix.EROFS, unix.EACCES, unix.EPERM} {
		if errors.Is(err, number) {
			return true
		}
	}
	return false
}

func (a *Applier) replace(at target, now *pb.Entry, put *pb.Put, file *staged, digest []byte) *pb.OperationResult {
	if file.place == inMemory {
		return a.overwrite(at, now, put, file)
	}
	if err := a.dress(at, now, put, file); err != nil {
		return failed(err, now)
	}
	from := at.fd
	if file.place == inStaging {
		from = a.Staging.fd
	} else if file.name == "" {
		name := root.TemporaryName()
		if err := link(file.fd, at.fd, name); err != nil {
			return failed(err, now)
		}
		file.name = name
	}
	trashed, err := a.keep(at, now)
	if err != nil {
		return failed(err, now)
	}
	replaces := now.Kind == pb.EntryKind_ENTRY_KIND_FILE
	if replaces && a.Nudger != nil {
		a.Nudger.BeforeRename(at.fd, at.name, at.path)
	}
	err = moveInto(from, file.name, at, now)
	if errors.Is(err, unix.EXDEV) && file.place == inStaging {
		if err = a.restage(at, now, put, file); err == nil {
			err = moveInto(at.fd, file.name, at, now)
		}
	}
	if err != nil {
		if replaces && cannotRename(err) {
			return a.overwrite(at, now, put, file)
		}
		if errors.Is(err, unix.EEXIST) {
			if found, statErr := root.EntryAt(at.fd, at.name); statErr == nil {
				return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_MISMATCH, Now: found}
			}
		}
		return failed(err, now)
	}
	file.name = "" // it is in place now
	if replaces && a.Nudger != nil {
		a.Nudger.AfterRename(at.path)
	}
	result := applied(at, digest)
	result.Trashed = trashed
	return result
}

// restage copies a file to beside its target: its mount could not be told from the staging folder's.
func (a *Applier) restage(at target, now *pb.Entry, put *pb.Put, file *staged) error {
	name := root.TemporaryName()
	fd, err := unix.Openat(at.fd, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	copied := os.NewFile(uintptr(fd), name)
	if err := fill(copied, file.fd, 0, put.Size, a.buffer); err != nil {
		copied.Close()
		_ = unix.Unlinkat(at.fd, name, 0)
		return err
	}
	_ = unix.Unlinkat(a.Staging.fd, file.name, 0)
	unix.Close(file.fd)
	file.fd, err = unix.Dup(fd)
	copied.Close()
	file.place, file.name = besideTarget, name
	if err != nil {
		return err
	}
	return a.dress(at, now, put, file)
}

// moveInto renames a temporary name to its final one, over nothing where nothing was expected.
func moveInto(folder int, name string, to target, now *pb.Entry) error {
	if now.Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		return unix.Renameat(folder, name, to.fd, to.name)
	}
	err := unix.Renameat2(folder, name, to.fd, to.name, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return unix.Renameat(folder, name, to.fd, to.name)
	}
	return err
}

// link gives a nameless file a name. Without the right to do so by descriptor it goes through /proc.
func link(fd, folder int, name string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), folder, name, unix.AT_SYMLINK_FOLLOW)
}

// dress gives a new file its owner, mode and time. The owner stays that of the replaced file; a new file of root's
// belongs to whom its folder belongs to.
func (a *Applier) dress(at target, now *pb.Entry, put *pb.Put, file *staged) error {
	if err := a.own(at, now, func(uid, gid int) error { return unix.Fchown(file.fd, uid, gid) }); err != nil {
		return err
	}
	if err := unix.Fchmod(file.fd, put.Mode&modeBits); err != nil {
		return err
	}
	return setTime(file.fd, put.MtimeNs)
}

func (a *Applier) own(at target, now *pb.Entry, chown func(uid, gid int) error) error {
	uid, gid := at.uid, at.gid
	if now.Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		var stat unix.Stat_t
		if err := unix.Fstatat(at.fd, at.name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		uid, gid = int(stat.Uid), int(stat.Gid)
	} else if a.UID != 0 {
		return nil
	}
	if uid == a.UID && gid == a.GID {
		return nil
	}
	err := chown(uid, gid)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
		return nil // not permitted: the file is ours then
	}
	return err
}

func setTime(fd int, mtimeNs int64) error {
	times := [2]unix.Timespec{{Nsec: unix.UTIME_OMIT}, unix.NsecToTimespec(mtimeNs)}
	return root.SetTimes(fd, &times)
}

// keep puts what is about to be replaced into the trash, unless a version of the path went there just now.
func (a *Applier) keep(at target, now *pb.Entry) (bool, error) {
	if a.Trash == nil || now.Kind == pb.EntryKind_ENTRY_KIND_UNSPECIFIED || !a.Trash.Due(at.path, now) {
		return false, nil
	}
	if err := a.Trash.Keep(at.fd, at.name, at.path, now); err != nil {
		return false, fmt.Errorf("the old version could not be kept: %w", err)
	}
	return true, nil
}

func writeAll(fd int, content []byte, offset int64) error {
	for len(content) > 0 {
		written, err := unix.Pwrite(fd, content, offset)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		content = content[written:]
		offset += int64(written)
	}
	return nil
}

// discard drops a file that will not be put.
func (a *Applier) discard(staging string) {
	if file, ok := a.staged[staging]; ok {
		delete(a.staged, staging)
		a.release(file)
	}
}

func (a *Applier) release(file *staged) {
	unix.Close(file.fd)
	if file.base != nil {
		unix.Close(*file.base)
	}
	switch {
	case file.name == "":
	case file.place == inStaging:
		_ = unix.Unlinkat(a.Staging.fd, file.name, 0)
	case file.place == besideTarget:
		folder, _ := root.Split(file.path)
		if fd, err := a.Root.OpenAt(folder, unix.O_PATH|unix.O_DIRECTORY); err == nil {
			_ = unix.Unlinkat(fd, file.name, 0)
			unix.Close(fd)
		}
	}
}
