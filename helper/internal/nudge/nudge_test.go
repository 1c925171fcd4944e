package nudge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTheKernelsLineNamesTheInode(t *testing.T) {
	id, ok := parseLine("inotify wd:1 ino:d04a0 sdev:fe00001 mask:fc6 ignored_mask:0 fhandle-bytes:20")
	if !ok || id != (inode{unix.Mkdev(254, 1), 0xd04a0}) {
		t.Fatal(id, ok)
	}
	for _, line := range []string{"", "pos:	0", "inotify wd:1", "inotify wd:1 ino:xyz sdev:1", "inotify ino:1 sdev:fffffffff"} {
		if _, ok := parseLine(line); ok {
			t.Errorf("%q was accepted", line)
		}
	}
}

// TestMain becomes the other process of the test below, which watches one file, when it is told to.
func TestMain(m *testing.M) {
	if path := os.Getenv("NUDGE_TEST_WATCH"); path != "" {
		watchFile(path)
	}
	os.Exit(m.Run())
}

func watchFile(path string) {
	fd, _ := unix.InotifyInit1(0)
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_MODIFY); err != nil {
		os.Exit(2)
	}
	os.Stdout.WriteString("watching\n")
	buffer := make([]byte, 4096)
	for {
		if _, err := unix.Read(fd, buffer); err != nil {
			os.Exit(3)
		}
		os.Stdout.WriteString("modified\n")
	}
}

func TestAProcessThatWatchesTheFileItselfHearsOfEveryRename(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if err := os.WriteFile(path, []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "NUDGE_TEST_WATCH="+path)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	heard := make(chan string, 100)
	go func() {
		buffer := make([]byte, 4096)
		for {
			length, err := output.Read(buffer)
			if err != nil {
				return
			}
			for line := range strings.FieldsSeq(string(buffer[:length])) {
				heard <- line
			}
		}
	}()
	wait := func(what string) bool {
		select {
		case line := <-heard:
			return line == what
		case <-time.After(5 * time.Second):
			return false
		}
	}
	if !wait("watching") {
		t.Fatal("the child does not watch")
	}
	nudger := New()
	defer nudger.Close()
	fd, _ := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	for save := range 20 {
		if err := os.WriteFile(path+".new", []byte{byte(save)}, 0o644); err != nil {
			t.Fatal(err)
		}
		nudger.BeforeRename(fd, "f", "f")
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		nudger.AfterRename("f")
		if !wait("modified") {
			t.Fatalf("save %d was not heard", save)
		}
	}
	if nudger.order.Len() != 1 {
		t.Fatalf("%d old inodes are held", nudger.order.Len())
	}
}
