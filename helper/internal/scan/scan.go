// Package scan walks the root and tells what is there, without reading contents.
package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/rules"
)

// namesAtOnce bounds what of one folder's names is in memory.
const namesAtOnce = 4096

// Found is what a walk comes upon: an entry, or why there is none.
type Found struct {
	Path    string
	Entry   *pb.Entry
	Problem string // not empty: the path could not be read
}

// Walker walks one root by one set of rules.
type Walker struct {
	Root       *root.Root
	Rules      *rules.Set
	SingleName string // only this name below the root; empty: everything
	// Folder, when set, is called with each folder before it is read: what happens later is seen by whoever watches it.
	Folder func(path string) error
}

// Walk visits everything that is not excluded at and below `start` ("" is the root, which is not visited itself).
// An unreadable folder is a problem, never an empty one; a folder that vanished meanwhile is nothing.
// `moved` tells that something vanished under the walk.
func (w *Walker) Walk(ctx context.Context, start string, visit func(Found) error) (moved bool, err error) {
	folders := []string{start}
	if start != "" {
		entry, err := w.Root.Stat(start)
		if err != nil {
			return false, visit(Found{Path: start, Problem: root.Words(err)})
		}
		if entry.Kind == pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
			return false, nil
		}
		if w.Rules.ExcludesBelow(start, entry.Kind == pb.EntryKind_ENTRY_KIND_DIRECTORY) {
			return false, nil
		}
		if err := visit(Found{Path: start, Entry: entry}); err != nil {
			return false, err
		}
		if entry.Kind != pb.EntryKind_ENTRY_KIND_DIRECTORY {
			return false, nil
		}
	}
	for len(folders) > 0 {
		if err := ctx.Err(); err != nil {
			return moved, err
		}
		folder := folders[len(folders)-1]
		below, err := w.folder(ctx, folder, visit)
		folders = append(folders[:len(folders)-1], below...)
		switch {
		case err == nil:
		case errors.As(err, new(stopped)):
			return moved, errors.Unwrap(err)
		case root.IsMissing(err) && folder != "":
			moved = true
		case folder == "":
			return moved, err
		default:
			if err := visit(Found{Path: folder, Problem: root.Words(err)}); err != nil {
				return moved, err
			}
		}
	}
	return moved, nil
}

// stopped wraps an error of the visitor, which ends the walk.
type stopped struct{ error }

func (s stopped) Unwrap() error { return s.error }

func (w *Walker) folder(ctx context.Context, folder string, visit func(Found) error) (below []string, err error) {
	if w.Folder != nil && w.SingleName == "" {
		if err := w.Folder(folder); err != nil {
			return nil, err
		}
	}
	fd, err := w.Root.Folder(folder)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), folder)
	defer file.Close()
	if w.SingleName != "" {
		_, err := w.name(fd, folder, w.SingleName, visit)
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, stopped{err}
		}
		names, err := file.Readdirnames(namesAtOnce)
		for _, name := range names {
			descend, visitErr := w.name(fd, folder, name, visit)
			if visitErr != nil {
				return nil, visitErr
			}
			if descend {
				below = append(below, root.Join(folder, name))
			}
		}
		if len(names) == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return below, err
		}
	}
}

func (w *Walker) name(fd int, folder, name string, visit func(Found) error) (descend bool, err error) {
	if w.Root.Hides(name) {
		removeStale(fd, name)
		return false, nil
	}
	path := root.Join(folder, name)
	if !utf8.ValidString(name) || root.CheckPath(path) != nil {
		return false, stop(visit(Found{Path: Escape(path), Problem: "the name is not valid UTF-8 or too long"}))
	}
	entry, err := root.EntryAt(fd, name)
	if err != nil {
		return false, stop(visit(Found{Path: path, Problem: root.Words(err)}))
	}
	directory := entry.Kind == pb.EntryKind_ENTRY_KIND_DIRECTORY
	if entry.Kind == pb.EntryKind_ENTRY_KIND_UNSPECIFIED || w.Rules.Excludes(path, directory) {
		return false, nil
	}
	if err := visit(Found{Path: path, Entry: entry}); err != nil {
		return false, stopped{err}
	}
	return directory, nil
}

// staleAfter is longer than any file in use lies untouched under a temporary name.
const staleAfter = 10 * time.Minute

// removeStale removes what a killed process left under a temporary name.
func removeStale(fd int, name string) {
	if !root.IsTemporary(name) {
		return
	}
	entry, err := root.EntryAt(fd, name)
	if err == nil && entry.Kind == pb.EntryKind_ENTRY_KIND_FILE && time.Since(time.Unix(0, entry.CtimeNs)) > staleAfter {
		_ = unix.Unlinkat(fd, name, 0)
	}
}

func stop(err error) error {
	if err == nil {
		return nil
	}
	return stopped{err}
}

// Escape writes a path's bytes that are no UTF-8 as \xNN, so that it can be named in a message.
func Escape(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	var text strings.Builder
	for len(path) > 0 {
		r, size := utf8.DecodeRuneInString(path)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&text, `\x%02x`, path[0])
		} else {
			text.WriteRune(r)
		}
		path = path[size:]
	}
	return text.String()
}
