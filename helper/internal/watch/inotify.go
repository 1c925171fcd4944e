package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/root"
)

const mask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_CLOSE_WRITE |
	unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK

// errLimit says that the system grants no more watches.
var errLimit = errors.New("no more watches")

// notifier is one inotify instance and the folders (by path below the root) that it watches.
type notifier struct {
	file  *os.File
	root  *root.Root
	paths map[int32]string
	marks map[string]int32
}

func newNotifier(folder *root.Root) (*notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &notifier{os.NewFile(uintptr(fd), "inotify"), folder, map[int32]string{}, map[string]int32{}}, nil
}

// add watches a folder. It is opened beneath the root first and watched by way of its descriptor.
func (n *notifier) add(path string) error {
	fd, err := n.root.OpenAt(path, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	mark, err := n.watch("/proc/self/fd/" + strconv.Itoa(fd))
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.ENOMEM) {
		return errLimit
	}
	if err != nil {
		return err
	}
	if old, ok := n.paths[mark]; ok && old != path {
		delete(n.marks, old)
	}
	n.paths[mark] = path
	n.marks[path] = mark
	return nil
}

func (n *notifier) watch(path string) (int32, error) {
	raw, err := n.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	var mark int
	var watchErr error
	if err := raw.Control(func(fd uintptr) { mark, watchErr = unix.InotifyAddWatch(int(fd), path, mask) }); err != nil {
		return 0, err
	}
	return int32(mark), watchErr
}

// remove forgets a folder and all below it.
func (n *notifier) remove(path string) {
	for folder, mark := range n.marks {
		if folder == path || strings.HasPrefix(folder, path+"/") {
			delete(n.marks, folder)
			delete(n.paths, mark)
			n.unwatch(mark)
		}
	}
}

func (n *notifier) unwatch(mark int32) {
	raw, err := n.file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.InotifyRmWatch(int(fd), uint32(mark)) })
}

type event struct {
	mark int32
	mask uint32
	name string
}

// decode takes a buffer of events apart.
func decode(buffer []byte) []event {
	var events []event
	for len(buffer) >= unix.SizeofInotifyEvent {
		length := int(binary.NativeEndian.Uint32(buffer[12:]))
		if unix.SizeofInotifyEvent+length > len(buffer) {
			break
		}
		name := buffer[unix.SizeofInotifyEvent : unix.SizeofInotifyEvent+length]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		events = append(events, event{
			mark: int32(binary.NativeEndian.Uint32(buffer)), mask: binary.NativeEndian.Uint32(buffer[4:]), name: string(name),
		})
		buffer = buffer[unix.SizeofInotifyEvent+length:]
	}
	return events
}
