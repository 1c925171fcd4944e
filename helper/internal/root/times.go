package root

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// SetTimes sets access and modification time of an open file. x/sys has this call by path only.
func SetTimes(fd int, times *[2]unix.Timespec) error {
	_, _, number := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(times)), 0, 0, 0)
	if number != 0 {
		return number
	}
	return nil
}
