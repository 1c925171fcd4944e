// Package restart runs programs for the app: the container's own below a supervisor that starts it anew after an
// upload, and commands that follow an upload.
package restart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Exit codes as shells have them.
const (
	codeNotRunnable = 126
	codeNotFound    = 127
	codeOfSignal    = 128
)

// Grace is how long a program may take to end after SIGTERM before SIGKILL follows.
const Grace = 5 * time.Second

// Exit is how a program ended.
type Exit struct{ Code int }

// child is one started program, the leader of a process group of its own.
type child struct{ pid int }

// startChild starts a program in a group and session of its own, so that all of it can be ended together.
func startChild(command []string, input *os.File) (*child, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil, err
	}
	pid, err := syscall.ForkExec(path, command, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{input.Fd(), 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, err
	}
	return &child{pid: pid}, nil
}

// signal reaches every process of the group that there still is.
func (c *child) signal(signal syscall.Signal) { _ = unix.Kill(-c.pid, signal) }

// groupAlive tells whether anything of the group is left, the leader's corpse included until it is reaped.
func (c *child) groupAlive() bool { return unix.Kill(-c.pid, 0) == nil }

func codeOf(status unix.WaitStatus) int {
	if status.Signaled() {
		return codeOfSignal + int(status.Signal())
	}
	return status.ExitStatus()
}

// codeOfStart is the exit code of a program that could not be started, as a shell gives it.
func codeOfStart(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return codeNotFound
	}
	return codeNotRunnable
}

func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "slipway: "+format+"\n", values...)
}
