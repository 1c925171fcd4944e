package apply

import (
	"os"

	"golang.org/x/sys/unix"
)

// Staging is a private folder of the helper's for files that have not arrived whole.
type Staging struct{ folder }

// OpenStaging makes the folder, empty: what an earlier process of the pair left there is removed.
func OpenStaging(path string) (Staging, error) {
	if err := os.RemoveAll(path); err != nil {
		return Staging{}, err
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return Staging{}, err
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return Staging{}, err
	}
	opened, err := describe(fd)
	return Staging{opened}, err
}
