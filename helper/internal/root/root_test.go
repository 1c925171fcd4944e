package root

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/gen/helperv1"
)

func TestPathsThatLeadElsewhereAreRefused(t *testing.T) {
	for _, path := range []string{
		"", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", "./a", "a/./b", "a//b", "a/", ".", "a\x00b",
		"\xff", strings.Repeat("n", 256), strings.Repeat("abc/", 1200) + "x",
	} {
		if err := CheckPath(path); !errors.Is(err, ErrPath) {
			t.Errorf("%.40q: %v", path, err)
		}
	}
	for _, path := range []string{"a", "a/b", "..a", "a..", "...", "-rf", "a b", "nl\nx", "$HOME", "ä", `..\x`, "a:b"} {
		if err := CheckPath(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../x", "/abs", "a/../b", "a//b", "a\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if CheckPath(path) != nil {
			return
		}
		if !filepath.IsLocal(path) || filepath.Clean(path) != path || path == "." {
			t.Fatalf("%q was accepted", path)
		}
	})
}

// setUp makes a root with a link to a secret beside it.
func setUp(t *testing.T) (*Root, string) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"root", "root/sub", "outside"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(folder, "outside")
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"up": "../outside", "abs": outside, "file": filepath.Join(outside, "secret"), "in": "sub"} {
		if err := os.Symlink(target, filepath.Join(folder, "root", name)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(filepath.Join(folder, "root"), "", false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, folder
}

func TestNoLinkIsFollowedWithOrWithoutOpenat2(t *testing.T) {
	r, _ := setUp(t)
	for _, stepwise := range []bool{false, true} {
		r.noOpenat2.Store(stepwise)
		for _, path := range []string{"up/secret", "abs/secret", "file", "in/x", "up"} {
			if fd, err := r.OpenAt(path, unix.O_RDONLY); err == nil {
				unix.Close(fd)
				t.Errorf("stepwise %v: %s was opened", stepwise, path)
			}
		}
		if _, _, err := r.Parent("in/new"); err == nil {
			t.Errorf("stepwise %v: a link was taken for a folder", stepwise)
		}
		fd, err := r.Folder("sub")
		if err != nil {
			t.Fatalf("stepwise %v: %v", stepwise, err)
		}
		unix.Close(fd)
		if entry, err := r.Stat("up/secret"); err != nil || entry.Kind != helperv1.EntryKind_ENTRY_KIND_UNSPECIFIED {
			t.Errorf("below a link: %v %v", entry, err)
		}
		if entry, err := r.Stat("up"); err != nil || entry.Target != "../outside" {
			t.Errorf("a link itself: %v %v", entry, err)
		}
	}
}

func TestAFolderThatBecomesALinkAgainAndAgainLeadsNowhere(t *testing.T) {
	r, folder := setUp(t)
	swapped := filepath.Join(folder, "root", "swap")
	if err := os.Mkdir(swapped, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(swapped, "secret"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "root", "link")
	if err := os.Symlink("../outside", link); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			_ = unix.Renameat2(unix.AT_FDCWD, swapped, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
		}
	}()
	opened := 0
	for _, stepwise := range []bool{false, true} {
		r.noOpenat2.Store(stepwise)
		for range 20_000 {
			fd, err := r.OpenAt("swap/secret", unix.O_RDONLY)
			if err != nil {
				continue
			}
			var content [8]byte
			length, _ := unix.Read(fd, content[:])
			unix.Close(fd)
			opened++
			if string(content[:length]) != "mine" {
				t.Fatalf("stepwise %v: read %q from outside", stepwise, content[:length])
			}
		}
	}
	stop.Store(true)
	<-done
	if opened == 0 {
		t.Fatal("the race never let it through, so nothing was tried")
	}
}

func TestAFIFODoesNotHoldUpAReader(t *testing.T) {
	r, folder := setUp(t)
	if err := unix.Mkfifo(filepath.Join(folder, "root", "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.OpenFile("fifo"); !errors.Is(err, ErrKind) {
		t.Fatal(err)
	}
}

func TestOwnNamesAreToldFromOthers(t *testing.T) {
	if name := TemporaryName(); !IsTemporary(name) {
		t.Error(name)
	}
	for _, name := range []string{".slipway-", ".slipway-x.tmp", ".slipway-0123456789abcdef", "slipway-0123456789abcdef.tmp"} {
		if IsTemporary(name) {
			t.Error(name)
		}
	}
}
