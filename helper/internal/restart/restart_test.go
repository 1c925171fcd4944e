package restart

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is the helper when it is called by the helper's name.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "helper-") {
		code, known := Run(filepath.Dir(os.Args[0]), os.Args[1:])
		if !known {
			code = 99
		}
		os.Exit(code)
	}
	os.Exit(m.Run())
}

type place struct {
	t      *testing.T
	folder string
	helper string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	folder := filepath.Join(t.TempDir(), ".slipway-test")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	helper := filepath.Join(folder, "helper-test")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(own, helper); err != nil {
		content, _ := os.ReadFile(own)
		if err := os.WriteFile(helper, content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &place{t, folder, helper}
}

func (p *place) file(name string) string { return filepath.Join(filepath.Dir(p.folder), name) }

func (p *place) read(name string) string {
	content, _ := os.ReadFile(p.file(name))
	return string(content)
}

func (p *place) eventually(what string, check func() bool) {
	p.t.Helper()
	for end := time.Now().Add(15 * time.Second); !check(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("not in time: %s", what)
		}
	}
}

// supervise starts a shell line below the supervisor.
func (p *place) supervise(line string, flags ...string) (*exec.Cmd, func() string) {
	p.t.Helper()
	words := append(append([]string{"run"}, flags...), "--", "sh", "-c", line)
	command := exec.Command(p.helper, words...)
	command.Dir = filepath.Dir(p.folder)
	// A file, not a pipe: what the program leaves behind would keep a pipe open.
	output, err := os.Create(p.file("output"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer output.Close()
	command.Stdout, command.Stderr = output, output
	if _, err := Start(p.folder, p.helper); err != nil {
		p.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = command.Process.Kill()
		if now, err := readState(p.folder); err == nil && now.program > 1 {
			_ = syscall.Kill(-now.program, syscall.SIGKILL)
		}
	})
	return command, func() string { return p.read("output") }
}

func (p *place) restart() error {
	output, err := exec.Command(p.helper, "restart").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

func alive(pid string) bool {
	number, err := strconv.Atoi(strings.TrimSpace(pid))
	return err == nil && syscall.Kill(number, 0) == nil
}

func TestARestartEndsTheWholeGroupAndStartsAnew(t *testing.T) {
	p := newPlace(t)
	// The grandchild ignores SIGTERM, as a badly behaved server does.
	_, output := p.supervise(`sh -c 'trap "" TERM; while :; do sleep 0.1; done' & echo $! >>grandchildren; echo start >>log; trap 'echo term >>log; exit 0' TERM; while :; do sleep 0.05; done`)
	p.eventually("the first start", func() bool { return p.read("log") == "start\n" })
	if err := p.restart(); err != nil {
		t.Fatal(err)
	}
	p.eventually("the second start", func() bool { return p.read("log") == "start\nterm\nstart\n" })
	first := strings.Split(p.read("grandchildren"), "\n")[0]
	p.eventually("the first grandchild's end", func() bool { return !alive(first) })
	if strings.Contains(output(), "does not end") {
		t.Fatalf("it was killed although it ended: %s", output())
	}
}

func TestAProgramThatIgnoresSIGTERMIsKilled(t *testing.T) {
	p := newPlace(t)
	_, output := p.supervise(`trap "" TERM; echo start >>log; while :; do sleep 0.05; done`)
	p.eventually("the first start", func() bool { return p.read("log") == "start\n" })
	began := time.Now()
	if err := p.restart(); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(began); waited < Grace || waited > Grace+5*time.Second {
		t.Fatalf("it was given %s", waited)
	}
	if p.read("log") != "start\nstart\n" || !strings.Contains(output(), "killing it") {
		t.Fatalf("log %q, output %q", p.read("log"), output())
	}
}

func TestSignalsReachTheProgramAndItsExitCodeIsKept(t *testing.T) {
	p := newPlace(t)
	command, _ := p.supervise(`trap 'echo usr1 >>log' USR1; trap 'exit 42' TERM; echo start >>log; while :; do sleep 0.05; done`)
	p.eventually("the start", func() bool { return p.read("log") == "start\n" })
	_ = command.Process.Signal(syscall.SIGUSR1)
	p.eventually("the forwarded signal", func() bool { return p.read("log") == "start\nusr1\n" })
	_ = command.Process.Signal(syscall.SIGTERM)
	_ = command.Wait()
	if code := command.ProcessState.ExitCode(); code != 42 {
		t.Fatalf("exit code %d", code)
	}
}

func TestAProgramThatEndsByItselfStartsAgainAtOnceAfterARestart(t *testing.T) {
	p := newPlace(t)
	_, output := p.supervise(`echo start >>log; [ -e broken ] && exit 7; exec sleep 100`)
	p.eventually("the first start", func() bool { return p.read("log") == "start\n" })
	if err := os.WriteFile(p.file("broken"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = p.restart()
	p.eventually("the failure", func() bool { return strings.Contains(output(), "exit code 7") })
	p.eventually("another try by itself", func() bool { return p.read("log") == "start\nstart\nstart\n" })
	_ = os.Remove(p.file("broken"))
	before := p.read("log")
	if err := p.restart(); err != nil {
		t.Fatal(err)
	}
	if p.read("log") == before {
		t.Fatal("it was not started")
	}
}

func TestWithEndTheExitCodeOfTheProgramIsTheOneOfTheContainer(t *testing.T) {
	for line, expected := range map[string]int{"exit 9": 9, "kill -9 $$": 128 + 9} {
		p := newPlace(t)
		command, _ := p.supervise(line, "--end")
		_ = command.Wait()
		if code := command.ProcessState.ExitCode(); code != expected {
			t.Fatalf("%s: exit code %d", line, code)
		}
	}
	p := newPlace(t)
	command := exec.Command(p.helper, "run", "--end", "--", "/no/such/program")
	_ = command.Run()
	if code := command.ProcessState.ExitCode(); code != 127 {
		t.Fatalf("exit code %d of a program that is not there", code)
	}
}

func TestARestartWithoutASupervisorSaysSo(t *testing.T) {
	p := newPlace(t)
	if err := p.restart(); err == nil || !strings.Contains(err.Error(), "no program runs") {
		t.Fatalf("%v", err)
	}
	// A number that belongs to somebody else by now is sent nothing.
	stale := fmt.Sprintf("%d 1 running 1 0\n", os.Getpid())
	if err := os.WriteFile(filepath.Join(p.folder, stateFile), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.restart(); err == nil || !strings.Contains(err.Error(), "no program runs") {
		t.Fatalf("%v", err)
	}
}

func TestACommandKeepsItsExitCodeAndEndsWhenNobodyListens(t *testing.T) {
	p := newPlace(t)
	command := exec.Command(p.helper, "exec", "--", "sh", "-c", "echo out; echo err >&2; exit 5")
	input, _ := command.StdinPipe()
	defer input.Close()
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	_ = command.Run()
	if code := command.ProcessState.ExitCode(); code != 5 || output.String() != "out\nerr\n" {
		t.Fatalf("exit code %d, output %q", code, output.String())
	}
	left := exec.Command(p.helper, "exec", "--", "sh", "-c", "sleep 1000 & echo $! >child; wait")
	left.Dir = filepath.Dir(p.folder)
	left.WaitDelay = 10 * time.Second
	gone, _ := left.StdinPipe()
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	p.eventually("the child", func() bool { return p.read("child") != "" })
	_ = gone.Close()
	_ = left.Wait()
	p.eventually("the end of its child", func() bool { return !alive(p.read("child")) })
}

func TestACommandOfOnceIsRepeatedUntilItSucceeds(t *testing.T) {
	p := newPlace(t)
	run := func() int {
		command := exec.Command(p.helper, "exec", "--once", "0123456789abcdef", "--", "sh", "-c", "echo run >>log; [ -e good ]")
		command.Dir = filepath.Dir(p.folder)
		input, _ := command.StdinPipe()
		defer input.Close()
		_ = command.Run()
		return command.ProcessState.ExitCode()
	}
	if code := run(); code != 1 {
		t.Fatalf("exit code %d", code)
	}
	_ = os.WriteFile(p.file("good"), nil, 0o600)
	if first, second := run(), run(); first != 0 || second != CodeDoneBefore {
		t.Fatalf("exit codes %d and %d", first, second)
	}
	if p.read("log") != "run\nrun\n" {
		t.Fatalf("log %q", p.read("log"))
	}
}
