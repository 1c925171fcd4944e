package epoch

import (
	"errors"
	"os"
	"testing"
)

func TestANewerEpochShutsOutTheOlderOne(t *testing.T) {
	folder := t.TempDir()
	old, err := Claim(folder, "app", 3)
	if err != nil {
		t.Fatal(err)
	}
	release, err := old.Hold()
	if err != nil {
		t.Fatal(err)
	}
	claimed := make(chan *Fence)
	go func() {
		newer, err := Claim(folder, "app", 4)
		if err != nil {
			t.Error(err)
		}
		claimed <- newer
	}()
	select {
	case <-claimed:
		t.Fatal("the newer one took over during a batch")
	default:
	}
	release()
	newer := <-claimed
	if _, err := old.Hold(); !errors.Is(err, ErrSuperseded) {
		t.Fatalf("the older one may still apply: %v", err)
	}
	if release, err = newer.Hold(); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := Claim(folder, "app", 3); !errors.Is(err, ErrSuperseded) {
		t.Fatalf("an older one took over: %v", err)
	}
	if _, err := Claim(folder, "other", 1); err != nil {
		t.Fatalf("pairs are not apart: %v", err)
	}
}

func TestWithoutTheHelpersFolderNothingIsApplied(t *testing.T) {
	folder := t.TempDir()
	fence, err := Claim(folder, "app", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := fence.Hold(); !errors.Is(err, ErrSuperseded) {
		t.Fatal(err)
	}
}
