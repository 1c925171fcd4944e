// Package epoch fences off the processes of earlier attaches: what a stalled stream delivers late is not applied.
package epoch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrSuperseded says that a process with a larger epoch is in charge, or that the helper's folder is gone.
var ErrSuperseded = errors.New("a newer attach is in charge")

// patience bounds the wait for an older process's batch; such a process may be stopped for good.
const patience = 5 * time.Second

// Fence is one pair's epoch file in the helper's folder.
type Fence struct {
	path  string
	epoch uint64
}

// Claim writes our epoch, after any older process has finished the batch it is in.
func Claim(folder, pair string, epoch uint64) (*Fence, error) {
	fence := &Fence{path: filepath.Join(folder, "epoch-"+pair), epoch: epoch}
	file, err := os.OpenFile(fence.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || time.Now().After(deadline) {
			break
		}
	}
	found, err := read(file)
	if err != nil {
		return nil, err
	}
	if found > epoch {
		return nil, ErrSuperseded
	}
	// One write of a fixed width: a reader sees the old or the new number.
	if _, err := file.WriteAt(fmt.Appendf(nil, "%020d\n", epoch), 0); err != nil {
		return nil, err
	}
	return fence, nil
}

// Hold checks that we are still in charge and keeps a newer process from taking over until released.
func (f *Fence) Hold() (release func(), err error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSuperseded, err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("%w: it is taking over", ErrSuperseded)
	}
	found, err := read(file)
	if err != nil || found != f.epoch {
		file.Close()
		return nil, ErrSuperseded
	}
	return func() { file.Close() }, nil
}

func read(file *os.File) (uint64, error) {
	buffer := make([]byte, 32)
	length, _ := file.ReadAt(buffer, 0)
	text := strings.TrimSpace(string(buffer[:length]))
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 64)
}
