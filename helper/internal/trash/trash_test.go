package trash

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/root"
)

func TestTheOldestGoesWhenTheTrashIsFullAndTheRestOutlivesTheProcess(t *testing.T) {
	folder := t.TempDir()
	bin, err := Open(folder, "app", 100)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(folder, name), make([]byte, 40), 0o644); err != nil {
			t.Fatal(err)
		}
		entry, _ := root.EntryAt(fd, name)
		if err := bin.Keep(fd, name, name, entry); err != nil {
			t.Fatal(err)
		}
	}
	if items, total := bin.Items(); len(items) != 2 || items[0].Path != "b" || total != 80 {
		t.Fatal(items, total)
	}
	again, err := Open(folder, "app", 100)
	if err != nil {
		t.Fatal(err)
	}
	items, total := again.Items()
	if len(items) != 2 || items[0].Path != "b" || items[1].Path != "c" || total != 80 {
		t.Fatal(items, total)
	}
	if entry, _ := root.EntryAt(fd, "a"); entry.Size != 40 {
		t.Fatal("the file itself went along")
	}
}

func TestATornLogIsReadAsFarAsItIsWhole(t *testing.T) {
	folder := t.TempDir()
	bin, _ := Open(folder, "app", 100)
	fd, _ := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	_ = os.WriteFile(filepath.Join(folder, "a"), []byte("x"), 0o644)
	entry, _ := root.EntryAt(fd, "a")
	_ = bin.Keep(fd, "a", "a", entry)
	log := filepath.Join(folder, "trash-app", "log")
	content, _ := os.ReadFile(log)
	_ = os.WriteFile(log, append(content, 0, 0, 0, 9, 1), 0o600)
	again, err := Open(folder, "app", 100)
	if err != nil {
		t.Fatal(err)
	}
	if items, _ := again.Items(); len(items) != 1 {
		t.Fatal(items)
	}
}
