package root

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/gen/helperv1"
)

// EntryAt is the entry of a name in an open folder, links not followed; kind UNSPECIFIED where nothing is.
func EntryAt(folder int, name string) (*helperv1.Entry, error) {
	var stat unix.Stat_t
	if err := unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			return &helperv1.Entry{}, nil
		}
		return nil, err
	}
	entry := EntryOf(&stat)
	if entry.Kind == helperv1.EntryKind_ENTRY_KIND_SYMLINK {
		target, err := readLink(folder, name)
		if err != nil {
			return nil, err
		}
		entry.Target = target
	}
	return entry, nil
}

// EntryOf turns a stat into an entry, without a link's target.
func EntryOf(stat *unix.Stat_t) *helperv1.Entry {
	entry := &helperv1.Entry{
		Kind:    kindOf(stat.Mode),
		Mode:    stat.Mode & 0o7777,
		MtimeNs: stat.Mtim.Nano(),
		CtimeNs: stat.Ctim.Nano(),
		Inode:   stat.Ino,
		Device:  uint64(stat.Dev), //nolint:unconvert // 32 bits wide on some architectures
		Links:   uint32(stat.Nlink),
	}
	if entry.Kind == helperv1.EntryKind_ENTRY_KIND_FILE {
		entry.Size = uint64(stat.Size)
	}
	return entry
}

func kindOf(mode uint32) helperv1.EntryKind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return helperv1.EntryKind_ENTRY_KIND_FILE
	case unix.S_IFDIR:
		return helperv1.EntryKind_ENTRY_KIND_DIRECTORY
	case unix.S_IFLNK:
		return helperv1.EntryKind_ENTRY_KIND_SYMLINK
	default:
		return helperv1.EntryKind_ENTRY_KIND_OTHER
	}
}

func readLink(folder int, name string) (string, error) {
	buffer := make([]byte, unix.PathMax)
	length, err := unix.Readlinkat(folder, name, buffer)
	if err != nil {
		return "", err
	}
	// A message's strings are UTF-8; a target that is not cannot be carried, and must not be taken for another one.
	target := string(buffer[:length])
	if strings.ToValidUTF8(target, "") != target {
		return "", errors.New("the link's target is not valid UTF-8")
	}
	return target, nil
}

// Words are an error's name and text as results carry them: "ENOSPC: no space left on device".
func Words(err error) string {
	var number unix.Errno
	if errors.As(err, &number) {
		return fmt.Sprintf("%s: %s", unix.ErrnoName(number), number.Error())
	}
	return err.Error()
}
