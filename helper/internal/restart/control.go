package restart

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

const (
	startFile = "start"
	stateFile = "run"
	lockFile  = "run.lock"
)

// ErrNoProgram says that nothing runs below a supervisor of this folder.
var ErrNoProgram = errors.New("no program runs below the restart helper in this container")

// state is what the supervisor writes for those who ask it for something.
type state struct {
	supervisor int
	starts     int
	phase      string
	program    int
	code       int
}

func (s *Supervisor) claim() error {
	file, err := os.OpenFile(filepath.Join(s.Folder, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	// Held by being open until the process ends; never inherited.
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("another program runs below the restart helper already: %w", err)
	}
	keptOpen = file
	return nil
}

// beginning is how long a waiting shell may take to become the supervisor.
const beginning = 3 * time.Second

var keptOpen *os.File

// tell replaces the state, so that no reader sees half of one.
func (s *Supervisor) tell(phase string, code int) {
	program := 0
	if s.running != nil {
		program = s.running.pid
	}
	text := fmt.Sprintf("%d %d %s %d %d\n", os.Getpid(), s.starts, phase, program, code)
	path := filepath.Join(s.Folder, stateFile)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err == nil {
		_ = os.Rename(path+".new", path)
	}
}

func readState(folder string) (state, error) {
	content, err := os.ReadFile(filepath.Join(folder, stateFile))
	if err != nil {
		return state{}, ErrNoProgram
	}
	var found state
	if _, err := fmt.Sscanf(string(content), "%d %d %s %d %d", &found.supervisor, &found.starts, &found.phase, &found.program, &found.code); err != nil {
		return state{}, ErrNoProgram
	}
	return found, nil
}

// isSupervisor tells whether a process is one of this folder's: its number may belong to somebody else by now.
func isSupervisor(folder string, pid int) bool {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil || pid <= 0 {
		return false
	}
	words := strings.Split(string(content), "\x00")
	if len(words) < 2 || words[1] != "run" {
		return false
	}
	// The folder may have been named by way of a link.
	theirs, err := os.Stat(filepath.Dir(words[0]))
	if err != nil {
		return false
	}
	ours, err := os.Stat(folder)
	return err == nil && os.SameFile(theirs, ours)
}

// Start lets the waiting container begin its program; nothing where it runs already. The mark names this helper, whom
// the waiting shell becomes, and is gone once that has happened: a volume may keep it beyond the container.
func Start(folder, helper string) (told string, err error) {
	if now, err := readState(folder); err == nil && isSupervisor(folder, now.supervisor) {
		return "runs", nil
	}
	path := filepath.Join(folder, startFile)
	if err := os.WriteFile(path+".new", []byte(helper+"\n"), 0o600); err != nil {
		return "", err
	}
	return "started", os.Rename(path+".new", path)
}

// Restart asks the supervisor for a new start and waits until there is one. Several who ask at once share it.
func Restart(folder string, wait time.Duration) (string, error) {
	deadline := time.Now().Add(wait)
	begun := time.Now().Add(beginning)
	before, err := readState(folder)
	// The container may be between its waiting shell and the supervisor.
	for err != nil || !isSupervisor(folder, before.supervisor) {
		if _, missing := os.Stat(filepath.Join(folder, startFile)); missing != nil || time.Now().After(begun) {
			return "", ErrNoProgram
		}
		time.Sleep(20 * time.Millisecond)
		before, err = readState(folder)
	}
	if err := unix.Kill(before.supervisor, unix.Signal(restartSignal)); err != nil {
		return "", fmt.Errorf("the restart helper cannot be reached: %w", err)
	}
	for time.Now().Before(deadline) {
		now, err := readState(folder)
		if err == nil && now.starts > before.starts {
			if now.phase == "running" {
				return fmt.Sprintf("restarted pid=%d", now.program), nil
			}
			return "", fmt.Errorf("the program ended at once with exit code %d", now.code)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "", errors.New("the program was not restarted in time")
}
