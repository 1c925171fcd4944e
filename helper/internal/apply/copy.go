package apply

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
)

const (
	maxDepth = 512     // folders within folders that are copied
	maxCopy  = 200_000 // files and folders of one copy
)

var errSpecial = errors.New("a special file is in the way")
var errTooMuch = errors.New("too deep or too many files to copy")

// copyAcross moves a file or tree whose file system refuses to rename it (a folder of an image's layer):
// a copy under a temporary name, then its rename, then the removal of the old one.
func copyAcross(from, to target) error {
	name := root.TemporaryName()
	budget := maxCopy
	err := copyTree(from.fd, from.name, to.fd, name, maxDepth, &budget)
	if err == nil {
		err = moveInto(to.fd, name, to, &pb.Entry{})
	}
	if err != nil {
		_ = removeTree(to.fd, name, maxDepth)
		return err
	}
	return removeTree(from.fd, from.name, maxDepth)
}

func copyTree(fromFolder int, from string, toFolder int, to string, depth int, budget *int) error {
	*budget--
	if depth == 0 || *budget < 0 {
		return errTooMuch
	}
	var stat unix.Stat_t
	if err := unix.Fstatat(fromFolder, from, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return copyFile(fromFolder, from, toFolder, to)
	case unix.S_IFLNK:
		entry, err := root.EntryAt(fromFolder, from)
		if err != nil {
			return err
		}
		if err := unix.Symlinkat(entry.Target, toFolder, to); err != nil {
			return err
		}
		_ = unix.Fchownat(toFolder, to, int(stat.Uid), int(stat.Gid), unix.AT_SYMLINK_NOFOLLOW)
		times := []unix.Timespec{stat.Atim, stat.Mtim}
		return unix.UtimesNanoAt(toFolder, to, times, unix.AT_SYMLINK_NOFOLLOW)
	case unix.S_IFDIR:
		return copyFolder(fromFolder, from, toFolder, to, depth, budget)
	default:
		return errSpecial
	}
}

func copyFolder(fromFolder int, from string, toFolder int, to string, depth int, budget *int) error {
	source, err := openFolder(fromFolder, from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := unix.Mkdirat(toFolder, to, 0o700); err != nil {
		return err
	}
	copied, err := openFolder(toFolder, to)
	if err != nil {
		return err
	}
	defer copied.Close()
	names, err := source.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyTree(int(source.Fd()), name, int(copied.Fd()), name, depth-1, budget); err != nil {
			return err
		}
	}
	return dressLike(int(copied.Fd()), int(source.Fd()))
}

func copyFile(fromFolder int, from string, toFolder int, to string) error {
	fd, err := unix.Openat(fromFolder, from, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	source := os.NewFile(uintptr(fd), from)
	defer source.Close()
	fd, err = unix.Openat(toFolder, to, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	copied := os.NewFile(uintptr(fd), to)
	defer copied.Close()
	if _, err := io.Copy(copied, source); err != nil {
		return err
	}
	return dressLike(int(copied.Fd()), int(source.Fd()))
}

func dressLike(fd, model int) error {
	var stat unix.Stat_t
	if err := unix.Fstat(model, &stat); err != nil {
		return err
	}
	_ = unix.Fchown(fd, int(stat.Uid), int(stat.Gid))
	if err := unix.Fchmod(fd, stat.Mode&0o7777); err != nil {
		return err
	}
	return setTime(fd, stat.Mtim.Nano())
}

func removeTree(folder int, name string, depth int) error {
	err := unix.Unlinkat(folder, name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	if !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EPERM) || depth == 0 {
		return err
	}
	opened, err := openFolder(folder, name)
	if err != nil {
		return err
	}
	names, err := opened.Readdirnames(-1)
	for _, child := range names {
		if childErr := removeTree(int(opened.Fd()), child, depth-1); childErr != nil && err == nil {
			err = childErr
		}
	}
	opened.Close()
	if err != nil {
		return err
	}
	return unix.Unlinkat(folder, name, unix.AT_REMOVEDIR)
}

func openFolder(folder int, name string) (*os.File, error) {
	fd, err := unix.Openat(folder, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}
