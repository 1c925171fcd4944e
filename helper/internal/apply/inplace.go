package apply

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
)

// maxUndo bounds what is kept in memory of a file that is written in place and has no copy in the trash.
const maxUndo = 64 << 20

// overwrite writes a staged file's content into the file that is there. A reader may see a mix meanwhile, which is
// why this is only done where nothing may be renamed over it; a failed write puts the old content back.
func (a *Applier) overwrite(at target, now *pb.Entry, put *pb.Put, file *staged) *pb.OperationResult {
	fd, err := unix.Openat(at.fd, at.name, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return failed(err, now)
	}
	place := os.NewFile(uintptr(fd), at.name)
	defer place.Close()
	trashed, undo, err := a.keepCopy(at, now, place)
	if err != nil {
		return failed(err, now)
	}
	defer undo.Close()
	if err := fill(place, file.fd, now.Size, put.Size, a.buffer); err != nil {
		if undoErr := fill(place, int(undo.Fd()), put.Size, now.Size, a.buffer); undoErr != nil {
			err = fmt.Errorf("%w; the old content could not be put back: %w", err, undoErr)
		} else {
			_ = setTime(fd, now.MtimeNs)
		}
		return failed(err, now)
	}
	if now.Mode&modeBits != put.Mode&modeBits {
		_ = unix.Fchmod(fd, put.Mode&modeBits) // not ours: the mode is not either
	}
	if err := setTime(fd, put.MtimeNs); err != nil && !errors.Is(err, unix.EPERM) {
		return failed(err, now)
	}
	result := applied(at, put.Digest)
	result.InPlace = true
	result.Trashed = trashed
	return result
}

// keepCopy copies the old content into the trash, or for the length of the write into memory.
func (a *Applier) keepCopy(at target, now *pb.Entry, place *os.File) (trashed bool, undo *os.File, err error) {
	if a.Trash != nil && a.Trash.Due(at.path, now) {
		name, err := a.Trash.Copy(at.fd, at.name, at.path, now)
		if err != nil {
			return false, nil, fmt.Errorf("the old version could not be kept: %w", err)
		}
		undo, err = os.Open(name)
		return true, undo, err
	}
	if now.Size > maxUndo {
		return false, nil, unix.EFBIG
	}
	memory, err := unix.MemfdCreate("slipway", unix.MFD_CLOEXEC)
	if err != nil {
		return false, nil, err
	}
	undo = os.NewFile(uintptr(memory), "undo")
	if err := fill(undo, int(place.Fd()), 0, now.Size, a.buffer); err != nil {
		undo.Close()
		return false, nil, err
	}
	return false, undo, nil
}

// fill makes `into` (of size `before`) hold exactly the `size` bytes of `from`. Room is made first, and the end cut
// last, so that a full disk is found before anything is overwritten and a reader never finds an empty file.
func fill(into *os.File, from int, before, size uint64, buffer []byte) error {
	fd := int(into.Fd())
	if size > before {
		err := unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, int64(before), int64(size-before))
		if err != nil && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	for offset := int64(0); offset < int64(size); {
		length := min(int64(len(buffer)), int64(size)-offset)
		read, err := unix.Pread(from, buffer[:length], offset)
		if err != nil {
			return err
		}
		if read == 0 {
			return errors.New("the content ended early")
		}
		if err := writeAll(fd, buffer[:read], offset); err != nil {
			return err
		}
		offset += int64(read)
	}
	return unix.Ftruncate(fd, int64(size))
}
