// Package apply carries out operations below the root: each only when its target is what was expected.
package apply

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/frame"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/nudge"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/trash"
)

const (
	modeBits   = 0o777 // set-uid and its siblings never travel
	maxStaged  = 64    // files that are being received at once
	maxTarget  = 4095  // bytes of a link's target
	maxFolders = 256   // that are open at a time
)

// Options of an Applier; without Trash or Nudger their work is left out.
type Options struct {
	Root       *root.Root
	Trash      *trash.Trash
	Nudger     *nudge.Nudger
	SingleName string // only this name may be touched; empty: everything
	InPlace    bool   // write into existing files instead of renaming over them
	Staging    Staging
	UID, GID   int
}

// Applier holds what outlives a batch: files that arrive in several slices. Not for concurrent use.
type Applier struct {
	Options
	staged  map[string]*staged
	folders map[string]folder // open parents, for the length of one batch
	buffer  []byte
}

// New makes an applier.
func New(options Options) *Applier {
	return &Applier{Options: options, staged: map[string]*staged{}, folders: map[string]folder{}, buffer: make([]byte, 128<<10)}
}

// Close drops the files that have not arrived whole.
func (a *Applier) Close() {
	for name := range a.staged {
		a.discard(name)
	}
	a.closeFolders()
}

// ErrBatch says that a batch contradicts itself; nothing of it was applied.
var ErrBatch = errors.New("batch is not well formed")

// Batch applies operations in order and answers each. Only a batch that contradicts itself is an error.
func (a *Applier) Batch(operations []*pb.Operation, entries []frame.Entry) ([]*pb.OperationResult, error) {
	bodies := make([][]byte, len(operations))
	for _, entry := range entries {
		if entry.Index >= len(operations) || !hasBody(operations[entry.Index]) {
			return nil, fmt.Errorf("%w: a body without its operation", ErrBatch)
		}
		bodies[entry.Index] = entry.Content
		if entry.Content == nil {
			bodies[entry.Index] = []byte{}
		}
	}
	for i, operation := range operations {
		if hasBody(operation) && bodies[i] == nil {
			return nil, fmt.Errorf("%w: operation %d lacks its body", ErrBatch, i)
		}
	}
	defer a.closeFolders()
	results := make([]*pb.OperationResult, len(operations))
	for i, operation := range operations {
		results[i] = a.one(operation, bodies[i])
		a.trim()
	}
	return results, nil
}

func hasBody(operation *pb.Operation) bool {
	return operation.GetPut() != nil || operation.GetPatch() != nil
}

func (a *Applier) one(operation *pb.Operation, body []byte) *pb.OperationResult {
	path := operation.GetPath()
	if err := a.acceptable(path); err != nil {
		return refused(err.Error())
	}
	if operation.GetExpected() == nil {
		return refused("nothing said about what is expected")
	}
	at, err := a.target(path)
	if err != nil {
		if root.IsMissing(err) && operation.Expected.Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
			return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_MISMATCH, Now: &pb.Entry{}}
		}
		return failed(err, nil)
	}
	if put := operation.GetPut(); put != nil {
		return a.put(at, operation.Expected, put, body)
	}
	if patch := operation.GetPatch(); patch != nil {
		return a.patch(at, operation.Expected, patch, body)
	}
	now, same, err := a.compare(at, operation.Expected)
	if err != nil {
		return failed(err, now)
	}
	if !same {
		return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_MISMATCH, Now: now}
	}
	switch action := operation.Action.(type) {
	case *pb.Operation_MakeDirectory:
		return a.makeDirectory(at, now, action.MakeDirectory)
	case *pb.Operation_MakeSymlink:
		return a.makeSymlink(at, now, action.MakeSymlink)
	case *pb.Operation_Delete:
		return a.remove(at, now)
	case *pb.Operation_Chmod:
		return a.chmod(at, now, action.Chmod)
	case *pb.Operation_Rename:
		return a.rename(at, now, action.Rename)
	default:
		return refused("unknown action")
	}
}

// folder is an open folder and what is to be known of it.
type folder struct {
	fd       int
	mount    uint64
	uid, gid int
}

// target is a name in an open folder, and its whole path for messages and records.
type target struct {
	folder
	name string
	path string
}

func (a *Applier) acceptable(path string) error {
	if err := root.CheckPath(path); err != nil {
		return err
	}
	if a.SingleName != "" && path != a.SingleName {
		return fmt.Errorf("%w: only %q may be touched", root.ErrPath, a.SingleName)
	}
	for part := range strings.SplitSeq(path, "/") {
		if a.Root.Hides(part) {
			return fmt.Errorf("%w: %q is the helper's own", root.ErrPath, part)
		}
	}
	return nil
}

// target opens a path's folder, once per batch.
func (a *Applier) target(path string) (target, error) {
	parent, name := root.Split(path)
	if known, ok := a.folders[parent]; ok {
		return target{known, name, path}, nil
	}
	fd, err := a.Root.OpenAt(parent, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return target{}, err
	}
	opened, err := describe(fd)
	if err != nil {
		unix.Close(fd)
		return target{}, err
	}
	a.folders[parent] = opened
	return target{opened, name, path}, nil
}

// trim keeps the number of open folders bounded; between operations, since targets use them.
func (a *Applier) trim() {
	if len(a.folders) >= maxFolders {
		a.closeFolders()
	}
}

func describe(fd int) (folder, error) {
	var stat unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, &stat); err != nil {
		return folder{}, err
	}
	opened := folder{fd: fd, mount: stat.Mnt_id, uid: int(stat.Uid), gid: int(stat.Gid)}
	if stat.Mask&unix.STATX_MNT_ID == 0 {
		opened.mount = unix.Mkdev(stat.Dev_major, stat.Dev_minor)
	}
	return opened, nil
}

func (a *Applier) closeFolders() {
	for path, opened := range a.folders {
		unix.Close(opened.fd)
		delete(a.folders, path)
	}
}

// compare tells what is at a target and whether that is what was expected. A file whose times differ is read
// where the expected digest is known, so that a mere touch refuses nothing.
func (a *Applier) compare(at target, expected *pb.Entry) (now *pb.Entry, same bool, err error) {
	now, err = root.EntryAt(at.fd, at.name)
	if err != nil {
		return nil, false, err
	}
	if now.Kind != expected.Kind {
		return now, false, nil
	}
	switch now.Kind {
	case pb.EntryKind_ENTRY_KIND_UNSPECIFIED, pb.EntryKind_ENTRY_KIND_DIRECTORY:
		return now, true, nil
	case pb.EntryKind_ENTRY_KIND_SYMLINK:
		return now, now.Target == expected.Target, nil
	case pb.EntryKind_ENTRY_KIND_FILE:
		if sameFile(now, expected) && (len(expected.Digest) == 0 || !hidesWrites(now, time.Now())) {
			now.Digest = expected.Digest
			return now, true, nil
		}
		if len(expected.Digest) == 0 || now.Size != expected.Size {
			return now, false, nil
		}
		read, err := a.Root.Hash(at.path, a.buffer)
		if errors.Is(err, root.ErrChanged) {
			return read, false, nil
		}
		if err != nil {
			return now, false, err
		}
		return read, bytes.Equal(read.Digest, expected.Digest), nil
	default:
		return now, false, nil
	}
}

// coarse is how long another write may not show in the times of a file system that keeps whole seconds only.
const coarse = 2 * time.Second

// hidesWrites is true for a file that was changed so lately that its times could not show another change.
func hidesWrites(now *pb.Entry, at time.Time) bool {
	second := int64(time.Second)
	if now.MtimeNs%second != 0 || now.CtimeNs%second != 0 {
		return false
	}
	return at.Sub(time.Unix(0, max(now.MtimeNs, now.CtimeNs))).Abs() < coarse
}

// sameFile compares what a stat tells; fields that are not said count as equal, but size and time must be said.
func sameFile(now, expected *pb.Entry) bool {
	return expected.MtimeNs != 0 && now.Size == expected.Size && now.MtimeNs == expected.MtimeNs &&
		(expected.CtimeNs == 0 || now.CtimeNs == expected.CtimeNs) &&
		(expected.Inode == 0 || now.Inode == expected.Inode) &&
		(expected.Device == 0 || now.Device == expected.Device)
}

func refused(why string) *pb.OperationResult {
	return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_REFUSED, Error: why}
}

func failed(err error, now *pb.Entry) *pb.OperationResult {
	return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_FAILED, Error: root.Words(err), Now: now}
}

// applied answers with what is there after an operation.
func applied(at target, digest []byte) *pb.OperationResult {
	now, err := root.EntryAt(at.fd, at.name)
	if err != nil {
		return failed(err, nil)
	}
	if now.Kind == pb.EntryKind_ENTRY_KIND_FILE {
		now.Digest = digest
	}
	return &pb.OperationResult{Outcome: pb.OperationResult_OUTCOME_APPLIED, Now: now}
}
