package apply

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"strconv"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
)

// staged is a file that is being received: without a name where the file system can do that (a crash leaves
// nothing), else under a temporary one beside its target.
type staged struct {
	path   string // of the target
	folder string // of the temporary name
	name   string // empty while there is none
	fd     int
	offset uint64
	hash   hash.Hash
}

func (a *Applier) put(at target, expected *pb.Entry, put *pb.Put, body []byte) *pb.OperationResult {
	file, result := a.receive(at, put, body)
	if result != nil || !put.Final {
		return result
	}
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

// receive appends a slice; a result means that the put ends here.
func (a *Applier) receive(at target, put *pb.Put, body []byte) (*staged, *pb.OperationResult) {
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
	}
	if file.path != at.path || file.offset != put.Offset || put.Offset+uint64(len(body)) > put.Size {
		a.discard(put.Staging)
		return nil, refused("slices that do not follow each other")
	}
	if err := writeAll(file.fd, body, int64(put.Offset)); err != nil {
		a.discard(put.Staging)
		return nil, failed(err, nil)
	}
	file.hash.Write(body)
	file.offset += uint64(len(body))
	if put.Final {
		return file, nil
	}
	return file, &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_STAGED}
}

// stage opens the file that slices go to. Where the folder takes no new files (a bind-mounted single file in a
// read-only folder), it lies in the helper's folder and its content is written in place at the end.
func (a *Applier) stage(at target) (*staged, error) {
	folder, _ := root.Split(at.path)
	file := &staged{path: at.path, folder: folder, hash: sha256.New()}
	fd, err := unix.Openat(at.folder, ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		file.fd = fd
		return file, nil
	}
	name := root.TemporaryName()
	fd, err = unix.Openat(at.folder, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err == nil {
		file.fd, file.name = fd, name
		return file, nil
	}
	if now, statErr := root.EntryAt(at.folder, at.name); statErr == nil && cannotRename(err) &&
		now.Kind == pb.EntryKind_ENTRY_KIND_FILE {
		if memory, memoryErr := unix.MemfdCreate("slipway", unix.MFD_CLOEXEC); memoryErr == nil {
			file.fd, file.folder = memory, ""
			file.name = inMemory
			return file, nil
		}
	}
	return nil, err
}

// inMemory marks a staged file that can only be copied into place. No file has this name.
const inMemory = "/"

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
	if file.name == inMemory {
		return a.overwrite(at, now, put, file)
	}
	if err := a.dress(at, now, put, file); err != nil {
		return failed(err, now)
	}
	if file.name == "" {
		name := root.TemporaryName()
		if err := link(file.fd, at.folder, name); err != nil {
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
		a.Nudger.BeforeRename(at.folder, at.name, at.path)
	}
	if err := moveInto(at.folder, file.name, at.name, now); err != nil {
		if replaces && cannotRename(err) {
			return a.overwrite(at, now, put, file)
		}
		if errors.Is(err, unix.EEXIST) {
			if found, statErr := root.EntryAt(at.folder, at.name); statErr == nil {
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

// moveInto renames a temporary name to its final one, over nothing where nothing was expected.
func moveInto(folder int, from, to string, now *pb.Entry) error {
	if now.Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		return unix.Renameat(folder, from, folder, to)
	}
	err := unix.Renameat2(folder, from, folder, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return unix.Renameat(folder, from, folder, to)
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
	var stat unix.Stat_t
	name, flags := at.name, unix.AT_SYMLINK_NOFOLLOW
	if now.Kind == pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		if a.UID != 0 {
			return nil
		}
		name, flags = "", unix.AT_EMPTY_PATH
	}
	if err := unix.Fstatat(at.folder, name, &stat, flags); err != nil {
		return err
	}
	if int(stat.Uid) == a.UID && int(stat.Gid) == unix.Getgid() {
		return nil
	}
	err := chown(int(stat.Uid), int(stat.Gid))
	if err != nil && (errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL)) {
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
	if err := a.Trash.Keep(at.folder, at.name, at.path, now); err != nil {
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
	if file.name == "" || file.name == inMemory {
		return
	}
	if fd, err := a.Root.OpenAt(file.folder, unix.O_PATH|unix.O_DIRECTORY); err == nil {
		_ = unix.Unlinkat(fd, file.name, 0)
		unix.Close(fd)
	}
}
