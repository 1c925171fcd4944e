// Package nudge wakes programs that watch a file by its inode: after a rename over it they would look at the
// old inode for ever. The old inode is kept open and its modification time set after each later rename.
package nudge

import (
	"bufio"
	"container/list"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/root"
)

const (
	maxHeld = 256 // descriptors of old inodes kept open
	// The look through /proc takes at most this share of the time.
	share      = 20
	maxFds     = 4096 // descriptors looked at per process
	maxWatches = 100_000
)

// inode names a file as stat does.
type inode struct{ device, number uint64 }

type held struct {
	path string
	inode
	fd int
}

// Nudger knows which inodes are watched and which old ones it holds. Not for concurrent use.
type Nudger struct {
	proc    string
	watched map[inode]struct{}
	looked  time.Time
	took    time.Duration
	byPath  map[string][]*list.Element
	order   *list.List // of *held, least recently renamed first
}

// New makes a nudger that looks through /proc.
func New() *Nudger {
	return &Nudger{proc: "/proc", byPath: map[string][]*list.Element{}, order: list.New()}
}

// BeforeRename is told of a file that is about to be renamed over. Opened for writing it is on the writable
// layer of an overlay, which is where its time can be set later.
func (n *Nudger) BeforeRename(folder int, name, path string) {
	n.look()
	if len(n.watched) == 0 {
		return
	}
	var stat unix.Stat_t
	if unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	id := inode{uint64(stat.Dev), stat.Ino} //nolint:unconvert // 32 bits wide on some architectures
	if _, ok := n.watched[id]; !ok {
		return
	}
	fd, err := unix.Openat(folder, name, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	n.byPath[path] = append(n.byPath[path], n.order.PushBack(&held{path, id, fd}))
	for n.order.Len() > maxHeld {
		n.drop(n.order.Front())
	}
}

// AfterRename wakes whoever still watches an old inode of this path.
func (n *Nudger) AfterRename(path string) {
	for _, element := range append([]*list.Element(nil), n.byPath[path]...) {
		old := element.Value.(*held)
		if _, ok := n.watched[old.inode]; !ok {
			n.drop(element)
			continue
		}
		n.order.MoveToBack(element)
		// The modification time alone is reported as a modification; both times only as a change of attributes.
		times := [2]unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Nsec: unix.UTIME_NOW}}
		_ = root.SetTimes(old.fd, &times)
	}
}

func (n *Nudger) drop(element *list.Element) {
	old := n.order.Remove(element).(*held)
	unix.Close(old.fd)
	elements := n.byPath[old.path]
	for i, other := range elements {
		if other == element {
			elements = append(elements[:i], elements[i+1:]...)
			break
		}
	}
	if len(elements) == 0 {
		delete(n.byPath, old.path)
	} else {
		n.byPath[old.path] = elements
	}
}

// look refreshes the watched inodes unless that was done just now.
func (n *Nudger) look() {
	begin := time.Now()
	if begin.Sub(n.looked) < min(share*n.took, 200*time.Millisecond) {
		return
	}
	n.watched = map[inode]struct{}{}
	processes, _ := os.ReadDir(n.proc)
	for _, process := range processes {
		if process.Name()[0] >= '0' && process.Name()[0] <= '9' && process.Name() != strconv.Itoa(os.Getpid()) {
			n.lookAt(n.proc + "/" + process.Name())
		}
	}
	n.looked = time.Now()
	n.took = n.looked.Sub(begin)
}

func (n *Nudger) lookAt(process string) {
	folder, err := os.Open(process + "/fd")
	if err != nil {
		return
	}
	names, _ := folder.Readdirnames(maxFds)
	folder.Close()
	for _, name := range names {
		target, err := os.Readlink(process + "/fd/" + name)
		if err == nil && strings.HasSuffix(target, "inotify") {
			n.readInfo(process + "/fdinfo/" + name)
		}
	}
}

// readInfo takes the lines `inotify wd:1 ino:2a sdev:800013 mask:…`, numbers in hexadecimal and the device
// as the kernel packs it (12 bits, then 20).
func (n *Nudger) readInfo(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan() && len(n.watched) < maxWatches; {
		if id, ok := parseLine(lines.Text()); ok {
			n.watched[id] = struct{}{}
		}
	}
}

func parseLine(line string) (inode, bool) {
	if !strings.HasPrefix(line, "inotify ") {
		return inode{}, false
	}
	var id inode
	found := 0
	for field := range strings.FieldsSeq(line) {
		if text, ok := strings.CutPrefix(field, "ino:"); ok {
			number, err := strconv.ParseUint(text, 16, 64)
			if err != nil {
				return inode{}, false
			}
			id.number = number
			found++
		} else if text, ok := strings.CutPrefix(field, "sdev:"); ok {
			packed, err := strconv.ParseUint(text, 16, 32)
			if err != nil {
				return inode{}, false
			}
			id.device = unix.Mkdev(uint32(packed>>20), uint32(packed&0xfffff))
			found++
		}
	}
	return id, found == 2
}

// Close lets go of everything.
func (n *Nudger) Close() {
	for n.order.Len() > 0 {
		n.drop(n.order.Front())
	}
}
