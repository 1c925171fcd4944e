package apply

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
)

const (
	maxPieces = 4096
	maxPatch  = 32 << 20 // bytes that one slice of a patch makes
)

// patch receives a slice whose bytes are partly in the file that is there. The base is opened with the first slice and
// held: whatever takes its name meanwhile is not read. That the base still was what the app thinks is decided in the
// end by the digest of the whole.
func (a *Applier) patch(at target, expected *pb.Entry, patch *pb.Patch, body []byte) *pb.OperationResult {
	put := patch.GetPut()
	if put == nil || expected.Kind != pb.EntryKind_ENTRY_KIND_FILE {
		return refused("a patch of nothing")
	}
	length, err := lengthOf(patch.Pieces, expected.Size, uint64(len(body)))
	if err != nil {
		a.discard(put.Staging)
		return refused(err.Error())
	}
	file, result := a.receive(at, put, length, func(file *staged) error {
		if file.base == nil {
			return errPieces
		}
		return a.assemble(file, patch.Pieces, body)
	}, func(file *staged) *pb.OperationResult { return openBase(at, expected, file) })
	if result != nil || !put.Final {
		return result
	}
	return a.land(at, expected, put, file)
}

var errPieces = errors.New("pieces that are not acceptable")

// lengthOf adds up what pieces make, and checks that each is where it says.
func lengthOf(pieces []*pb.Piece, base, body uint64) (uint64, error) {
	if len(pieces) > maxPieces {
		return 0, errPieces
	}
	total, literal := uint64(0), uint64(0)
	for _, piece := range pieces {
		length := piece.GetLength()
		if length == 0 || length > maxPatch || total+length > maxPatch {
			return 0, errPieces
		}
		total += length
		if !piece.Copied {
			literal += length
		} else if piece.From > base || length > base-piece.From {
			return 0, errPieces
		}
	}
	if literal != body {
		return 0, errPieces
	}
	return total, nil
}

// openBase opens the file that is to be changed; a result means that it is not what was expected.
func openBase(at target, expected *pb.Entry, file *staged) *pb.OperationResult {
	fd, err := unix.Openat(at.fd, at.name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil && !root.IsMissing(err) {
		return failed(err, nil)
	}
	now := &pb.Entry{}
	if err == nil {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			unix.Close(fd)
			return failed(err, nil)
		}
		now = root.EntryOf(&stat)
	}
	if now.Kind != pb.EntryKind_ENTRY_KIND_FILE || !sameFile(now, expected) {
		if err == nil {
			unix.Close(fd)
		}
		return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_MISMATCH, Now: now}
	}
	file.base = &fd
	return nil
}

// assemble appends pieces to a staged file. What is copied is hashed as it lies in the new file.
func (a *Applier) assemble(file *staged, pieces []*pb.Piece, body []byte) error {
	offset := file.offset
	for _, piece := range pieces {
		length := piece.GetLength()
		if !piece.Copied {
			if err := writeAll(file.fd, body[:length], int64(offset)); err != nil {
				return err
			}
			file.hash.Write(body[:length])
			body = body[length:]
		} else if err := a.copyRange(file, piece.From, offset, length); err != nil {
			return err
		}
		offset += length
	}
	return nil
}

// copyRange copies within the kernel where that is possible (by sharing blocks where the file system can), else here.
func (a *Applier) copyRange(file *staged, from, to, length uint64) error {
	if !file.noCopy {
		err := copyInKernel(*file.base, file.fd, int64(from), int64(to), int(length))
		if err == nil {
			return a.readBack(file, to, length)
		}
		if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, errShort) {
			return err
		}
		file.noCopy = true
	}
	for length > 0 {
		part := a.buffer[:min(uint64(len(a.buffer)), length)]
		if err := readFull(*file.base, part, int64(from)); err != nil {
			return err
		}
		if err := writeAll(file.fd, part, int64(to)); err != nil {
			return err
		}
		file.hash.Write(part)
		from, to, length = from+uint64(len(part)), to+uint64(len(part)), length-uint64(len(part))
	}
	return nil
}

var errShort = errors.New("the file that is to be changed became shorter")

func copyInKernel(base, into int, from, to int64, length int) error {
	for length > 0 {
		copied, err := unix.CopyFileRange(base, &from, into, &to, length, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if copied == 0 {
			return errShort
		}
		length -= copied
	}
	return nil
}

func (a *Applier) readBack(file *staged, at, length uint64) error {
	for length > 0 {
		part := a.buffer[:min(uint64(len(a.buffer)), length)]
		if err := readFull(file.fd, part, int64(at)); err != nil {
			return err
		}
		file.hash.Write(part)
		at, length = at+uint64(len(part)), length-uint64(len(part))
	}
	return nil
}

func readFull(fd int, buffer []byte, offset int64) error {
	for len(buffer) > 0 {
		read, err := unix.Pread(fd, buffer, offset)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if read == 0 {
			return io.ErrUnexpectedEOF
		}
		buffer = buffer[read:]
		offset += int64(read)
	}
	return nil
}
