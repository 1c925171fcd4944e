package restart

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// restartSignal asks the supervisor to start its program anew. A real-time signal, so that all ordinary ones reach the
// program.
const restartSignal = syscall.Signal(50)

const (
	firstPause = time.Second
	longPause  = 30 * time.Second
	// A program that ran for this long has started well: the pauses begin from the first again.
	steady = 10 * time.Second
)

// forwarded are the signals that the program gets as if it were in the supervisor's place.
var forwarded = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
	syscall.SIGWINCH, syscall.SIGCONT,
}

// Supervisor runs one program, again and again, until it is told to end.
type Supervisor struct {
	Folder  string
	Command []string
	// EndWithProgram ends the supervisor with the program's exit code instead of starting it again.
	EndWithProgram bool
	Grace          time.Duration

	events   chan os.Signal
	running  *child
	began    time.Time
	pause    time.Duration
	starts   int
	ending   bool
	killAt   <-chan time.Time
	again    <-chan time.Time
	restart  bool
	exitCode int
}

// Run returns the exit code to end with.
func (s *Supervisor) Run() int {
	s.events = make(chan os.Signal, 64)
	signal.Notify(s.events, append([]os.Signal{syscall.SIGCHLD, restartSignal}, forwarded...)...)
	s.pause = firstPause
	if err := s.claim(); err != nil {
		say("%v", err)
		return codeNotRunnable
	}
	s.start()
	_ = os.Remove(filepath.Join(s.Folder, startFile))
	for !s.ending || s.running != nil {
		select {
		case received := <-s.events:
			s.take(received.(syscall.Signal))
		case <-s.killAt:
			s.killAt = nil
			if s.running != nil {
				say("it does not end: killing it")
				s.running.signal(syscall.SIGKILL)
			}
		case <-s.again:
			s.again = nil
			s.start()
		}
	}
	return s.exitCode
}

func (s *Supervisor) take(received syscall.Signal) {
	switch received {
	case syscall.SIGCHLD:
		s.reap()
	case restartSignal:
		if s.ending {
			return
		}
		if s.running == nil {
			s.start()
			return
		}
		s.restart = true
		s.stop(syscall.SIGTERM)
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT:
		s.ending = true
		s.exitCode = codeOfSignal + int(received)
		s.again = nil
		s.stop(received)
	default:
		if s.running != nil {
			s.running.signal(received)
		}
	}
}

// stop asks the program to end; one that was asked already is killed when its time is up.
func (s *Supervisor) stop(by syscall.Signal) {
	if s.running == nil {
		return
	}
	s.running.signal(by)
	if s.killAt == nil {
		s.killAt = time.After(s.Grace)
	}
}

// reap collects every child: the first process of a container inherits those that nobody else waits for.
func (s *Supervisor) reap() {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if s.running != nil && pid == s.running.pid {
			s.ended(codeOf(status))
		}
	}
}

func (s *Supervisor) ended(code int) {
	// What the program left behind in its group would hold its ports.
	s.running.signal(syscall.SIGKILL)
	s.running = nil
	s.killAt = nil
	if s.ending {
		s.exitCode = code
		return
	}
	if s.restart {
		s.restart = false
		s.start()
		return
	}
	s.fail(code, "the program ended")
}

// fail waits before the next start, longer each time, or ends with the program.
func (s *Supervisor) fail(code int, what string) {
	if s.EndWithProgram {
		s.ending = true
		s.exitCode = code
		return
	}
	if !s.began.IsZero() && time.Since(s.began) > steady {
		s.pause = firstPause
	}
	say("%s with exit code %d; it starts again after the next upload, or in %s", what, code, s.pause)
	s.again = time.After(s.pause)
	s.pause = min(2*s.pause, longPause)
	s.tell("waiting", code)
}

func (s *Supervisor) start() {
	s.again = nil
	s.starts++
	s.began = time.Now()
	started, err := startChild(s.Command, os.Stdin)
	if err != nil {
		say("%v", err)
		s.fail(codeOfStart(err), "the program could not be started")
		return
	}
	s.running = started
	s.tell("running", 0)
}
