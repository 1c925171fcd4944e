// Package trash keeps what was replaced or deleted in the container, in the helper's private folder, up to a cap.
package trash

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"
	"slipway.dev/helper/internal/frame"
	"slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
)

// oncePer bounds how often an overwritten path is kept: of a burst of saves the version before it survives.
const oncePer = time.Minute

// maxItems bounds the list in memory and in one answer.
const maxItems = 50_000

// Trash is one pair's folder of old versions, each a file named by its id, and a log of what they were.
type Trash struct {
	folder string
	fd     int
	log    *os.File
	limit  uint64
	total  uint64
	next   uint64
	items  []*helperv1.TrashItem // oldest first
	recent map[string]time.Time  // when a path was last kept
}

// Open opens or makes a pair's trash; a limit of 0 bytes keeps nothing.
func Open(helperFolder, pair string, limit uint64) (*Trash, error) {
	folder := filepath.Join(helperFolder, "trash-"+pair)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	fd, err := unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(folder, "log"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	t := &Trash{folder: folder, fd: fd, log: log, limit: limit, next: 1, recent: map[string]time.Time{}}
	t.load()
	return t, nil
}

// load reads the log as far as it is whole; what it names and is gone was evicted.
func (t *Trash) load() {
	for {
		content, err := frame.Read(t.log)
		if err != nil {
			return
		}
		item := &helperv1.TrashItem{}
		if proto.Unmarshal(content, item) != nil || item.GetEntry() == nil {
			return
		}
		t.next = max(t.next, item.Id+1)
		if item.Entry.Kind == helperv1.EntryKind_ENTRY_KIND_FILE {
			if _, err := os.Lstat(t.file(item.Id)); err != nil {
				continue
			}
		}
		t.items = append(t.items, item)
		t.total += item.Entry.Size
	}
}

func (t *Trash) file(id uint64) string { return filepath.Join(t.folder, strconv.FormatUint(id, 10)) }

// Items is what is kept, oldest first, and how many bytes it holds.
func (t *Trash) Items() ([]*helperv1.TrashItem, uint64) { return t.items, t.total }

// Due tells whether an overwritten version of a path is to be kept now.
func (t *Trash) Due(path string, entry *helperv1.Entry) bool {
	if t.limit == 0 || entry.Size > t.limit {
		return false
	}
	last, known := t.recent[path]
	return !known || time.Since(last) >= oncePer
}

// Keep keeps a second name for (or a copy of) a file or link that is about to be replaced.
func (t *Trash) Keep(folder int, name, path string, entry *helperv1.Entry) error {
	id := t.reserve(entry)
	if entry.Kind == helperv1.EntryKind_ENTRY_KIND_FILE {
		idName := strconv.FormatUint(id, 10)
		if err := unix.Linkat(folder, name, t.fd, idName, 0); err != nil {
			if err := copyFile(folder, name, t.file(id)); err != nil {
				return err
			}
		}
	}
	return t.record(id, path, entry)
}

// Copy keeps a copy: for a file that is about to be written in place.
func (t *Trash) Copy(folder int, name, path string, entry *helperv1.Entry) (string, error) {
	id := t.reserve(entry)
	if err := copyFile(folder, name, t.file(id)); err != nil {
		return "", err
	}
	return t.file(id), t.record(id, path, entry)
}

// Taken says what became of a file that was to go to the trash.
type Taken struct {
	Gone bool // from its place; otherwise the caller removes it
	Kept bool
}

// Take moves a file here, atomically where the file system allows. `same` decides about what was moved:
// when it refuses, the file goes back.
func (t *Trash) Take(folder int, name, path string, entry *helperv1.Entry, same func(*helperv1.Entry) bool) (Taken, error) {
	if t.limit == 0 || entry.Size > t.limit {
		return Taken{}, nil
	}
	if entry.Kind != helperv1.EntryKind_ENTRY_KIND_FILE {
		return Taken{Kept: true}, t.Keep(folder, name, path, entry)
	}
	id := t.reserve(entry)
	idName := strconv.FormatUint(id, 10)
	if err := unix.Renameat(folder, name, t.fd, idName); err != nil {
		if err := copyFile(folder, name, t.file(id)); err != nil {
			return Taken{}, err
		}
		return Taken{Kept: true}, t.record(id, path, entry)
	}
	if moved, err := root.EntryAt(t.fd, idName); err != nil || !same(moved) {
		if err := unix.Renameat2(t.fd, idName, folder, name, unix.RENAME_NOREPLACE); err == nil {
			return Taken{}, ErrExchanged
		}
	}
	return Taken{Gone: true, Kept: true}, t.record(id, path, entry)
}

// ErrExchanged says that another file had taken the place of the one to be taken; nothing was changed.
var ErrExchanged = errors.New("another file took its place")

// reserve makes room for an entry, oldest out, and names it.
func (t *Trash) reserve(entry *helperv1.Entry) uint64 {
	for len(t.items) > 0 && (t.total+entry.Size > t.limit || len(t.items) >= maxItems) {
		oldest := t.items[0]
		t.items = t.items[1:]
		t.total -= oldest.Entry.Size
		_ = os.Remove(t.file(oldest.Id))
	}
	id := t.next
	t.next++
	return id
}

func (t *Trash) record(id uint64, path string, entry *helperv1.Entry) error {
	item := &helperv1.TrashItem{Id: id, Path: path, Entry: entry, TrashedAtNs: time.Now().UnixNano()}
	t.items = append(t.items, item)
	t.total += entry.Size
	if len(t.recent) >= maxItems {
		clear(t.recent)
	}
	t.recent[path] = time.Now()
	return frame.Write(t.log, item)
}

// copyFile copies a regular file without following links; what it leaves on failure it removes.
func copyFile(folder int, name, target string) error {
	fd, err := unix.Openat(folder, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	source := os.NewFile(uintptr(fd), name)
	defer source.Close()
	copied, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer copied.Close()
	if _, err := io.Copy(copied, source); err != nil {
		_ = os.Remove(target)
		return err
	}
	return nil
}
