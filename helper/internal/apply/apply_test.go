package apply

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/frame"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/trash"
)

const (
	applied_ = pb.OperationResult_OUTCOME_APPLIED
	mismatch = pb.OperationResult_OUTCOME_MISMATCH
	refused_ = pb.OperationResult_OUTCOME_REFUSED
	failed_  = pb.OperationResult_OUTCOME_FAILED
	staged_  = pb.OperationResult_OUTCOME_STAGED
	mtime    = int64(1_700_000_000_123_456_789)
)

type bench struct {
	testing.TB
	folder  string // the root
	applier *Applier
}

func setUp(t testing.TB, change func(*Options)) *bench {
	t.Helper()
	folder := t.TempDir()
	at := filepath.Join(folder, "root")
	opened, err := root.Open(at, ".slipway-own", true)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := trash.Open(folder, "app", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	staging, err := OpenStaging(filepath.Join(folder, "staging"))
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Root: opened, Trash: bin, Staging: staging, UID: os.Geteuid(), GID: os.Getegid()}
	if change != nil {
		change(&options)
	}
	applier := New(options)
	t.Cleanup(applier.Close)
	return &bench{t, at, applier}
}

var nothing = &pb.Entry{}

func (b *bench) one(operation *pb.Operation, body string) *pb.OperationResult {
	b.Helper()
	var entries []frame.Entry
	if operation.GetPut() != nil {
		entries = []frame.Entry{{Index: 0, Content: []byte(body)}}
	}
	results, err := b.applier.Batch([]*pb.Operation{operation}, entries)
	if err != nil {
		b.Fatal(err)
	}
	return results[0]
}

func putOf(path, content string, expected *pb.Entry) *pb.Operation {
	digest := sha256.Sum256([]byte(content))
	return &pb.Operation{Path: path, Expected: expected, Action: &pb.Operation_Put{Put: &pb.Put{
		Staging: "s", Final: true, Size: uint64(len(content)), Digest: digest[:], Mode: 0o640, MtimeNs: mtime,
	}}}
}

func (b *bench) put(path, content string, expected *pb.Entry) *pb.OperationResult {
	b.Helper()
	return b.one(putOf(path, content, expected), content)
}

func (b *bench) want(result *pb.OperationResult, outcome pb.OperationResult_Outcome) *pb.OperationResult {
	b.Helper()
	if result.Outcome != outcome {
		b.Fatalf("%v instead of %v: %s (now %v)", result.Outcome, outcome, result.Error, result.Now)
	}
	return result
}

func (b *bench) content(path, want string) {
	b.Helper()
	found, err := os.ReadFile(filepath.Join(b.folder, path))
	if err != nil || string(found) != want {
		b.Fatalf("%s holds %.60q, %v", path, found, err)
	}
}

func (b *bench) write(path, content string) *pb.Entry {
	b.Helper()
	full := filepath.Join(b.folder, path)
	_ = os.MkdirAll(filepath.Dir(full), 0o755)
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
	return b.stat(path)
}

func (b *bench) stat(path string) *pb.Entry {
	b.Helper()
	entry, err := b.applier.Root.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return entry
}

// clean checks that nothing of the helper's is left in the tree or in the staging folder.
func (b *bench) clean() {
	b.Helper()
	for _, folder := range []string{b.folder, filepath.Join(b.folder, "..", "staging")} {
		_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err == nil && root.IsTemporary(entry.Name()) {
				b.Errorf("%s was left behind", path)
			}
			return nil
		})
	}
}

func TestAFileIsPutWithModeTimeAndDigest(t *testing.T) {
	b := setUp(t, nil)
	result := b.want(b.put("a.txt", "hello", nothing), applied_)
	b.content("a.txt", "hello")
	if result.Now.Mode != 0o640 || result.Now.MtimeNs != mtime || result.Now.Size != 5 || len(result.Now.Digest) != 32 {
		t.Fatal(result.Now)
	}
	b.want(b.put("a.txt", "again", result.Now), applied_)
	b.content("a.txt", "again")
	b.want(b.put("empty", "", nothing), applied_)
	b.content("empty", "")
	b.clean()
}

func TestWhatIsNotAsExpectedIsLeftAlone(t *testing.T) {
	b := setUp(t, nil)
	entry := b.write("a", "theirs")
	result := b.want(b.put("a", "ours", nothing), mismatch)
	if result.Now.Size != 6 {
		t.Fatal(result.Now)
	}
	b.write("a", "edited")
	b.want(b.put("a", "ours", entry), mismatch)
	b.want(b.put("a", "ours", &pb.Entry{Kind: pb.EntryKind_ENTRY_KIND_FILE, Size: 6}), mismatch)
	b.want(b.put("gone", "ours", entry), mismatch)
	b.want(b.one(&pb.Operation{Path: "a", Expected: entry, Action: &pb.Operation_Delete{Delete: &pb.Delete{}}}, ""), mismatch)
	b.content("a", "edited")
	b.clean()
}

func TestATouchedFileIsReadAndTakenForTheSame(t *testing.T) {
	b := setUp(t, nil)
	entry := b.write("a", "same")
	digest := sha256.Sum256([]byte("same"))
	entry.Digest = digest[:]
	b.write("a", "same")
	b.want(b.put("a", "new", entry), applied_)
	b.content("a", "new")
}

func TestPathsOutsideAreRefused(t *testing.T) {
	b := setUp(t, nil)
	outside := filepath.Join(b.folder, "..", "outside")
	_ = os.Mkdir(outside, 0o755)
	_ = os.Symlink("../outside", filepath.Join(b.folder, "link"))
	for _, path := range []string{"../x", "/x", "a/../../x", "", "a\x00", ".slipway-0123456789abcdef.tmp", ".slipway-own/x"} {
		b.want(b.put(path, "x", nothing), refused_)
		b.want(b.one(&pb.Operation{Path: "a", Expected: nothing, Action: &pb.Operation_Rename{Rename: &pb.Rename{To: path}}}, ""), refused_)
	}
	b.want(b.put("link/x", "x", nothing), failed_)
	b.want(b.one(&pb.Operation{Path: "link/x", Expected: nothing, Action: &pb.Operation_MakeDirectory{MakeDirectory: &pb.MakeDirectory{Mode: 0o755}}}, ""), failed_)
	if names, _ := os.ReadDir(outside); len(names) != 0 {
		t.Fatal("something was written outside")
	}
}

func TestALinkAtATargetIsReplacedNotFollowed(t *testing.T) {
	b := setUp(t, nil)
	outside := filepath.Join(b.folder, "..", "canary")
	_ = os.WriteFile(outside, []byte("canary"), 0o644)
	_ = os.Symlink(outside, filepath.Join(b.folder, "a"))
	b.want(b.put("a", "x", nothing), mismatch)
	b.want(b.put("a", "x", b.stat("a")), applied_)
	b.content("a", "x")
	if content, _ := os.ReadFile(outside); string(content) != "canary" {
		t.Fatal("the link was followed")
	}
}

func TestSlicesBecomeVisibleTogether(t *testing.T) {
	b := setUp(t, nil)
	content := strings.Repeat("0123456789", 1000)
	digest := sha256.Sum256([]byte(content))
	slice := func(offset, length int, final bool) *pb.OperationResult {
		return b.one(&pb.Operation{Path: "big", Expected: nothing, Action: &pb.Operation_Put{Put: &pb.Put{
			Staging: "b", Offset: uint64(offset), Final: final, Size: uint64(len(content)), Digest: digest[:], Mode: 0o600, MtimeNs: mtime,
		}}}, content[offset:offset+length])
	}
	b.want(slice(0, 4000, false), staged_)
	if b.stat("big").Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		t.Fatal("a part is visible")
	}
	b.want(slice(4000, 4000, false), staged_)
	b.want(slice(8000, 2000, true), applied_)
	b.content("big", content)
	b.want(slice(4000, 4000, false), refused_) // without its beginning
	b.clean()
}

func TestContentThatArrivesOtherThanAnnouncedIsRefused(t *testing.T) {
	b := setUp(t, nil)
	entry := b.write("a", "old")
	damaged := putOf("a", "hello", entry)
	b.want(b.one(damaged, "hellO"), refused_)
	b.want(b.one(damaged, "hell"), refused_)
	b.want(b.one(damaged, "hello!"), refused_)
	b.content("a", "old")
	b.clean()
}

func TestFoldersLinksModesAndDeletes(t *testing.T) {
	b := setUp(t, nil)
	do := func(path string, expected *pb.Entry, action any) *pb.OperationResult {
		operation := &pb.Operation{Path: path, Expected: expected}
		switch action := action.(type) {
		case *pb.MakeDirectory:
			operation.Action = &pb.Operation_MakeDirectory{MakeDirectory: action}
		case *pb.MakeSymlink:
			operation.Action = &pb.Operation_MakeSymlink{MakeSymlink: action}
		case *pb.Delete:
			operation.Action = &pb.Operation_Delete{Delete: action}
		case *pb.Chmod:
			operation.Action = &pb.Operation_Chmod{Chmod: action}
		case *pb.Rename:
			operation.Action = &pb.Operation_Rename{Rename: action}
		}
		return b.one(operation, "")
	}
	folder := b.want(do("d", nothing, &pb.MakeDirectory{Mode: 0o7750}), applied_).Now
	if folder.Mode != 0o750 {
		t.Fatalf("%o", folder.Mode)
	}
	link := b.want(do("d/l", nothing, &pb.MakeSymlink{Target: "../x"}), applied_).Now
	if link.Target != "../x" {
		t.Fatal(link)
	}
	b.want(do("d/l", link, &pb.Chmod{Mode: 0o777}), refused_)
	b.want(do("d", folder, &pb.Delete{}), failed_) // not empty
	file := b.want(b.put("d/f", "x", nothing), applied_).Now
	file = b.want(do("d/f", file, &pb.Chmod{Mode: 0o6755}), applied_).Now
	if file.Mode != 0o755 {
		t.Fatalf("%o", file.Mode)
	}
	b.want(do("d/f", file, &pb.Rename{To: "f2"}), applied_)
	b.content("f2", "x")
	b.want(do("d", folder, &pb.Rename{To: "d/inside"}), failed_)
	b.want(do("d", folder, &pb.Rename{To: "f2"}), refused_)
	b.want(do("d", folder, &pb.Rename{To: "e"}), applied_)
	b.want(do("e/l", link, &pb.Delete{}), applied_)
	b.want(do("e", folder, &pb.Delete{}), applied_)
	if result := b.want(do("f2", b.stat("f2"), &pb.Delete{}), applied_); !result.Trashed {
		t.Fatal("what had content is not in the trash")
	}
	b.want(do("f2", nothing, &pb.Delete{}), applied_) // gone already
	b.clean()
}

func TestWhatIsReplacedOrDeletedIsInTheTrash(t *testing.T) {
	b := setUp(t, nil)
	entry := b.write("a", "old content")
	result := b.want(b.put("a", "new", entry), applied_)
	if !result.Trashed {
		t.Fatal("not trashed")
	}
	items, total := b.applier.Trash.Items()
	if len(items) != 1 || items[0].Path != "a" || total != 11 {
		t.Fatal(items, total)
	}
	kept, err := os.ReadFile(filepath.Join(b.folder, "..", "trash-app", fmt.Sprint(items[0].Id)))
	if err != nil || string(kept) != "old content" {
		t.Fatal(kept, err)
	}
	// A burst of saves keeps the version before it.
	if result := b.want(b.put("a", "newer", result.Now), applied_); result.Trashed {
		t.Fatal("kept twice within a minute")
	}
}

func TestInPlaceKeepsTheInode(t *testing.T) {
	b := setUp(t, func(options *Options) { options.InPlace = true })
	entry := b.write("a", "a rather long old content")
	result := b.want(b.put("a", "short", entry), applied_)
	b.content("a", "short")
	if !result.InPlace || result.Now.Inode != entry.Inode || !result.Trashed || result.Now.MtimeNs != mtime {
		t.Fatal(result)
	}
	b.clean()
}

func mount(t testing.TB, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		t.Skipf("mounting is not allowed here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
}

func TestAMountedFileIsWrittenInPlace(t *testing.T) {
	b := setUp(t, nil)
	source := filepath.Join(b.folder, "..", "source")
	_ = os.WriteFile(source, []byte("old"), 0o644)
	b.write("config", "")
	mount(t, source, filepath.Join(b.folder, "config"), "", unix.MS_BIND, "")
	result := b.want(b.put("config", "new content", b.stat("config")), applied_)
	if !result.InPlace {
		t.Fatal("not said to be in place")
	}
	b.content("config", "new content")
	b.clean()
}

func TestAMountBelowTheRootIsReached(t *testing.T) {
	b := setUp(t, nil)
	folder := filepath.Join(b.folder, "volume")
	_ = os.Mkdir(folder, 0o755)
	mount(t, "tmpfs", folder, "tmpfs", 0, "size=1m")
	now := b.want(b.put("volume/a", "one", nothing), applied_).Now
	b.want(b.put("volume/a", "two", now), applied_)
	b.content("volume/a", "two")
	renamed := &pb.Operation{Path: "volume/a", Expected: b.stat("volume/a"), Action: &pb.Operation_Rename{Rename: &pb.Rename{To: "b"}}}
	b.want(b.one(renamed, ""), applied_)
	b.content("b", "two")
	b.clean()
}

func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	b := setUp(t, nil)
	folder := filepath.Join(b.folder, "volume")
	_ = os.Mkdir(folder, 0o755)
	mount(t, "tmpfs", folder, "tmpfs", 0, "size=64k")
	entry := b.write("volume/a", "old")
	result := b.want(b.put("volume/a", strings.Repeat("x", 200_000), entry), failed_)
	if !strings.HasPrefix(result.Error, "ENOSPC: ") {
		t.Fatal(result.Error)
	}
	b.content("volume/a", "old")
	b.want(b.put("volume/b", "fits", nothing), applied_)
	b.applier.InPlace = true
	b.want(b.put("volume/a", strings.Repeat("x", 200_000), b.stat("volume/a")), failed_)
	b.content("volume/a", "old")
	b.clean()
}

func TestAReadOnlyFolderIsNamed(t *testing.T) {
	b := setUp(t, nil)
	folder := filepath.Join(b.folder, "volume")
	_ = os.Mkdir(folder, 0o755)
	mount(t, "tmpfs", folder, "tmpfs", unix.MS_RDONLY, "")
	if result := b.want(b.put("volume/a", "x", nothing), failed_); !strings.HasPrefix(result.Error, "EROFS: ") {
		t.Fatal(result.Error)
	}
}

func TestASingleFilePairTouchesOnlyItsFile(t *testing.T) {
	b := setUp(t, func(options *Options) { options.SingleName = "only" })
	b.want(b.put("only", "x", nothing), applied_)
	b.want(b.put("other", "x", nothing), refused_)
	b.want(b.one(&pb.Operation{Path: "only", Expected: b.stat("only"), Action: &pb.Operation_Rename{Rename: &pb.Rename{To: "other"}}}, ""), refused_)
}

func TestABatchThatContradictsItselfDoesNothing(t *testing.T) {
	b := setUp(t, nil)
	put := putOf("a", "x", nothing)
	for _, entries := range [][]frame.Entry{nil, {{Index: 1}}, {{Index: 0}, {Index: 7}}} {
		if _, err := b.applier.Batch([]*pb.Operation{put}, entries); err == nil {
			t.Errorf("%v was accepted", entries)
		}
	}
	if b.stat("a").Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		t.Fatal("something was applied")
	}
}

func TestAReaderSeesTheOldOrTheNewContent(t *testing.T) {
	b := setUp(t, nil)
	content := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 50_000) }
	now := b.want(b.put("a", content(0), nothing), applied_).Now
	stop := make(chan struct{})
	torn := make(chan string, 1)
	go func() {
		defer close(torn)
		for {
			select {
			case <-stop:
				return
			default:
			}
			found, err := os.ReadFile(filepath.Join(b.folder, "a"))
			if err != nil || len(found) != 50_000 || bytes.Count(found, found[:1]) != len(found) {
				torn <- fmt.Sprint(len(found), err)
				return
			}
		}
	}()
	for i := range 200 {
		now = b.want(b.put("a", content(i), now), applied_).Now
	}
	close(stop)
	if what, bad := <-torn; bad {
		t.Fatal("a reader saw something else: ", what)
	}
}

func TestAFolderOfAnImagesLayerIsMovedByCopy(t *testing.T) {
	b := setUp(t, nil)
	layers := t.TempDir()
	for _, name := range []string{"lower/d/sub", "upper", "work"} {
		_ = os.MkdirAll(filepath.Join(layers, name), 0o755)
	}
	_ = os.WriteFile(filepath.Join(layers, "lower/d/sub/run"), []byte("x"), 0o750)
	_ = os.Symlink("sub", filepath.Join(layers, "lower/d/link"))
	folder := filepath.Join(b.folder, "image")
	_ = os.Mkdir(folder, 0o755)
	mount(t, "overlay", folder, "overlay", 0, fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", layers))
	operation := &pb.Operation{Path: "image/d", Expected: b.stat("image/d"), Action: &pb.Operation_Rename{Rename: &pb.Rename{To: "image/e"}}}
	b.want(b.one(operation, ""), applied_)
	b.content("image/e/sub/run", "x")
	if entry := b.stat("image/e/sub/run"); entry.Mode != 0o750 {
		t.Fatalf("%o", entry.Mode)
	}
	if b.stat("image/e/link").Target != "sub" || b.stat("image/d").Kind != pb.EntryKind_ENTRY_KIND_UNSPECIFIED {
		t.Fatal("not whole, or still there")
	}
	b.clean()
}
