package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/rules"
)

type bench struct {
	*testing.T
	folder   string
	lock     sync.Mutex
	latest   map[string]*pb.Entry
	order    []string
	problems []string
	overflow int
	root     *pb.RootIdentity
}

func start(t *testing.T, options Options, ruleList ...*pb.Rule) *bench {
	t.Helper()
	b := &bench{T: t, folder: filepath.Join(t.TempDir(), "root"), latest: map[string]*pb.Entry{}}
	var err error
	if options.Root, err = root.Open(b.folder, "", true); err != nil {
		t.Fatal(err)
	}
	if options.Rules, err = rules.Compile(ruleList); err != nil {
		t.Fatal(err)
	}
	options.Push = func(changes *pb.Changes) error {
		b.lock.Lock()
		defer b.lock.Unlock()
		for _, change := range changes.Changes {
			b.latest[change.Path] = change.Entry
			b.order = append(b.order, change.Path)
		}
		for _, problem := range changes.Problems {
			b.problems = append(b.problems, problem.Path)
		}
		if changes.Overflow {
			b.overflow++
		}
		b.root = changes.Root
		return nil
	}
	options.State = func(*pb.WatchState) error { return nil }
	ctx, cancel := context.WithCancel(context.Background())
	watcher, err := New(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = watcher.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return b
}

// until waits for a condition on what was reported.
func (b *bench) until(what string, condition func() bool) {
	b.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		b.lock.Lock()
		met := condition()
		b.lock.Unlock()
		if met {
			return
		}
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	b.Fatalf("never %s; last were %v", what, b.order[max(0, len(b.order)-20):])
}

func (b *bench) write(path, content string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.folder, path), []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) size(path string) int {
	if entry := b.latest[path]; entry != nil && entry.Kind == pb.EntryKind_ENTRY_KIND_FILE && len(entry.Digest) == 32 {
		return int(entry.Size)
	}
	return -1
}

func (b *bench) gone(path string) bool {
	entry := b.latest[path]
	return entry != nil && entry.Kind == pb.EntryKind_ENTRY_KIND_UNSPECIFIED
}

func TestWhatHappensIsReportedWithItsDigest(t *testing.T) {
	for _, poll := range []bool{false, true} {
		t.Run(fmt.Sprint("poll ", poll), func(t *testing.T) {
			b := start(t, Options{Poll: poll, PollInterval: 20 * time.Millisecond})
			b.write("a", "one")
			b.until("a file", func() bool { return b.size("a") == 3 })
			b.write("a", "three")
			b.until("its change", func() bool { return b.size("a") == 5 })
			_ = os.Rename(filepath.Join(b.folder, "a"), filepath.Join(b.folder, "b"))
			b.until("its move", func() bool { return b.gone("a") && b.size("b") == 5 })
			_ = os.Remove(filepath.Join(b.folder, "b"))
			b.until("its end", func() bool { return b.gone("b") })
		})
	}
}

func TestAFloodIsReportedWithFewDigests(t *testing.T) {
	b := start(t, Options{})
	const files = 2000
	for i := range files {
		b.write(fmt.Sprint("f", i), "content")
	}
	hashed := 0
	b.until("all files", func() bool {
		hashed = 0
		for i := range files {
			if b.latest[fmt.Sprint("f", i)].GetSize() != 7 {
				return false
			}
			if b.size(fmt.Sprint("f", i)) == 7 {
				hashed++
			}
		}
		return true
	})
	if hashed == 0 || hashed == files {
		t.Errorf("%d of %d files were reported with a digest", hashed, files)
	}
	time.Sleep(digestWindow + 10*time.Millisecond)
	b.write("f0", "later")
	b.until("a digest after the flood", func() bool { return b.size("f0") == 5 })
}

func TestFoldersMadeInOneGoAreSeenWhole(t *testing.T) {
	b := start(t, Options{})
	for i := range 100 {
		folder := fmt.Sprintf("d%d/e/f/g", i)
		if err := os.MkdirAll(filepath.Join(b.folder, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		b.write(folder+"/file", "x")
	}
	b.until("all files", func() bool {
		for i := range 100 {
			if b.size(fmt.Sprintf("d%d/e/f/g/file", i)) != 1 {
				return false
			}
		}
		return true
	})
}

func TestAMovedFolderIsReportedUnderItsNewNameAndWatchedThere(t *testing.T) {
	b := start(t, Options{})
	_ = os.MkdirAll(filepath.Join(b.folder, "old/deep"), 0o755)
	b.write("old/deep/f", "x")
	b.until("the file", func() bool { return b.size("old/deep/f") == 1 })
	_ = os.Rename(filepath.Join(b.folder, "old"), filepath.Join(b.folder, "new"))
	b.until("the move", func() bool { return b.gone("old") && b.size("new/deep/f") == 1 })
	b.write("new/deep/f", "xyz")
	b.until("a change there", func() bool { return b.size("new/deep/f") == 3 })
	if _, ok := b.latest["old/deep/f"]; !ok || b.size("old/deep/f") == 3 {
		t.Fatal("reported under the old name")
	}
}

func TestExcludedFoldersAreSilent(t *testing.T) {
	b := start(t, Options{}, &pb.Rule{Match: pb.Rule_MATCH_LITERAL, Text: "node_modules", Basename: true, DirectoryOnly: true})
	_ = os.MkdirAll(filepath.Join(b.folder, "node_modules/x"), 0o755)
	b.write("node_modules/x/f", "x")
	b.write(".slipway-0123456789abcdef.tmp", "x")
	b.write("last", "x")
	b.until("the last one", func() bool { return b.size("last") == 1 })
	for path := range b.latest {
		if path != "last" {
			t.Errorf("%s was reported", path)
		}
	}
}

func TestAFileThatGrowsForEverDoesNotHoldUpOthers(t *testing.T) {
	b := start(t, Options{})
	log, err := os.Create(filepath.Join(b.folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer log.Close()
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				_, _ = log.WriteString("line\n")
			}
		}
	}()
	time.Sleep(50 * time.Millisecond)
	begin := time.Now()
	b.write("edit", "x")
	b.until("the edit", func() bool { return b.size("edit") == 1 })
	if took := time.Since(begin); took > time.Second {
		t.Errorf("the edit took %v", took)
	}
	b.until("the log, while it grows", func() bool { return b.latest["log"] != nil })
}

func TestManyEventsAreAnOverflowNotALoss(t *testing.T) {
	p := newPending()
	for i := range maxPending + 1 {
		p.note(fmt.Sprint(i), true, time.Now())
	}
	if !p.overflow || len(p.paths) > 1 {
		t.Fatal(p.overflow, len(p.paths))
	}
}

func TestARootThatGoesAwayIsToldAsAnotherRoot(t *testing.T) {
	b := start(t, Options{PollInterval: 20 * time.Millisecond})
	if err := os.Rename(b.folder, b.folder+".away"); err != nil {
		t.Fatal(err)
	}
	b.until("an overflow without root", func() bool {
		return b.overflow > 0 && b.root.Kind == pb.EntryKind_ENTRY_KIND_UNSPECIFIED
	})
}

func TestASingleFileIsAllThatIsReported(t *testing.T) {
	b := start(t, Options{SingleName: "only"})
	_ = os.Mkdir(filepath.Join(b.folder, "folder"), 0o755)
	b.write("other", "x")
	b.write("only", "x")
	b.until("the file", func() bool { return b.size("only") == 1 })
	if len(b.latest) != 1 {
		t.Fatal(strings.Join(b.order, " "))
	}
}

func TestANameThatIsNoUTF8IsNamedOnce(t *testing.T) {
	b := start(t, Options{})
	for range 3 {
		b.write("bad\xff", "x")
	}
	b.write("good", "x")
	b.until("both were named", func() bool { return len(b.problems) > 0 && b.latest["good"] != nil })
	b.write("bad\xff", "y")
	b.write("last", "x")
	b.until("the last", func() bool { return b.latest["last"] != nil })
	if len(b.problems) != 1 || b.problems[0] != `bad\xff` {
		t.Fatalf("%q", b.problems)
	}
}
