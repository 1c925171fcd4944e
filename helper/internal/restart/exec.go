package restart

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// CodeDoneBefore is the exit code of a command of --once that has succeeded in this container before.
const CodeDoneBefore = 76

var onceKey = regexp.MustCompile(`^[0-9a-f]{16,64}$`)

// Exec runs one command to its end and gives its exit code. When standard input ends, whoever asked is gone, and the
// command is ended with all that it started. A once key names a mark beside the helper's folder, which outlives it.
func Exec(folder, once string, command []string) int {
	mark := ""
	if once != "" {
		if !onceKey.MatchString(once) {
			say("%q is no key", once)
			return 2
		}
		mark = filepath.Join(filepath.Dir(folder), ".slipway-once-"+once)
		if _, err := os.Lstat(mark); err == nil {
			return CodeDoneBefore
		}
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		say("%v", err)
		return codeNotRunnable
	}
	started, err := startChild(command, nothing)
	if err != nil {
		say("%v", err)
		return codeOfStart(err)
	}
	ended := make(chan int, 1)
	go func() {
		var status unix.WaitStatus
		for {
			if _, err := unix.Wait4(started.pid, &status, 0, nil); err != unix.EINTR {
				break
			}
		}
		ended <- codeOf(status)
	}()
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(gone)
	}()
	select {
	case code := <-ended:
		if code == 0 && mark != "" {
			if file, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
				_ = file.Close()
			}
		}
		return code
	case <-gone:
		started.signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(Grace):
		}
		started.signal(syscall.SIGKILL)
		return codeOfSignal + int(syscall.SIGTERM)
	}
}
