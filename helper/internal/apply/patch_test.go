package apply

import (
	"bytes"
	"crypto/sha256"
	"math"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/frame"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
)

func copied(from, length uint64) *pb.Piece {
	return &pb.Piece{Copied: true, From: from, Length: length}
}
func literal(length int) *pb.Piece { return &pb.Piece{Length: uint64(length)} }

func (b *bench) entry(path string) *pb.Entry {
	b.Helper()
	entry, err := b.applier.Root.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return entry
}

func (b *bench) patch(put *pb.Put, expected *pb.Entry, body string, pieces ...*pb.Piece) *pb.OperationResult {
	b.Helper()
	operation := &pb.Operation{Path: "f", Expected: expected, Action: &pb.Operation_Patch{
		Patch: &pb.Patch{Put: put, Pieces: pieces},
	}}
	results, err := b.applier.Batch([]*pb.Operation{operation}, []frame.Entry{{Index: 0, Content: []byte(body)}})
	if err != nil {
		b.Fatal(err)
	}
	return results[0]
}

// becoming is the put of a file that a patch of one slice makes.
func becoming(content string) *pb.Put {
	digest := sha256.Sum256([]byte(content))
	return &pb.Put{Staging: "s", Final: true, Size: uint64(len(content)), Digest: digest[:], Mode: 0o640, MtimeNs: mtime}
}

func withFile(t *testing.T, content string, change func(*Options)) *bench {
	b := setUp(t, change)
	if err := os.WriteFile(b.folder+"/f", []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) is(content string) {
	b.Helper()
	if found, err := os.ReadFile(b.folder + "/f"); err != nil || string(found) != content {
		b.Errorf("%d bytes instead of %d, %v", len(found), len(content), err)
	}
	if left, _ := os.ReadDir(b.folder); len(left) != 1 {
		b.Errorf("left behind: %v", left)
	}
}

func TestAPatchTakesWhatIsThere(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"by renaming":     nil,
		"in place":        func(o *Options) { o.InPlace = true },
		"without staging": func(o *Options) { o.Staging = Staging{} },
	} {
		t.Run(name, func(t *testing.T) {
			old := strings.Repeat("0123456789", 50_000)
			b := withFile(t, old, change)
			wanted := old[100_000:300_000] + "new" + old[:70_001] + "end"
			expected := b.entry("f")
			first := &pb.Put{Staging: "s", Size: uint64(len(wanted))}
			if result := b.patch(first, expected, "new", copied(100_000, 200_000), literal(3)); result.Outcome != staged_ {
				t.Fatal(result)
			}
			b.is(old)
			last := becoming(wanted)
			last.Offset = 200_003
			result := b.patch(last, expected, "end", copied(0, 70_001), literal(3))
			if result.Outcome != applied_ || result.Now.Mode != 0o640 || result.InPlace != (name == "in place") {
				t.Fatal(result)
			}
			b.is(wanted)
			if !result.Trashed {
				t.Error("the old version is not kept")
			}
		})
	}
}

func TestAPatchThatMakesSomethingElseNeverLands(t *testing.T) {
	old := strings.Repeat("old ", 1000)
	b := withFile(t, old, nil)
	if result := b.patch(becoming(old[:4]+"x"), b.entry("f"), "y", copied(0, 4), literal(1)); result.Outcome != refused_ {
		t.Error(result)
	}
	b.is(old)
	if len(b.applier.staged) != 0 {
		t.Error("still staged")
	}
}

func TestThePatchOfAnotherFileIsAMismatch(t *testing.T) {
	old := strings.Repeat("old ", 1000)
	b := withFile(t, old, nil)
	expected := b.entry("f")
	touched := &pb.Entry{Kind: expected.Kind, Size: expected.Size, MtimeNs: expected.MtimeNs + 1}
	if result := b.patch(becoming("old"), touched, "", copied(0, 3)); result.Outcome != mismatch || result.Now.Size != 4000 {
		t.Error(result)
	}
	// Between the first slice and the last one somebody else writes.
	if result := b.patch(&pb.Put{Staging: "s", Size: 6}, expected, "", copied(0, 3)); result.Outcome != staged_ {
		t.Fatal(result)
	}
	if err := os.WriteFile(b.folder+"/f", []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	last := becoming("oldnew")
	last.Offset = 3
	if result := b.patch(last, expected, "new", literal(3)); result.Outcome != mismatch {
		t.Error(result)
	}
	b.is("theirs")
	if err := os.Remove(b.folder + "/f"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", b.folder+"/f"); err != nil {
		t.Fatal(err)
	}
	if result := b.patch(becoming("old"), expected, "", copied(0, 3)); result.Outcome != mismatch {
		t.Error("through a link:", result)
	}
	_ = os.Remove(b.folder + "/f")
	if err := unix.Mkfifo(b.folder+"/f", 0o600); err != nil {
		t.Fatal(err)
	}
	if result := b.patch(becoming("old"), expected, "", copied(0, 3)); result.Outcome != mismatch {
		t.Error("from a pipe:", result)
	}
}

func TestABaseThatShrinksIsNoReasonToLandLess(t *testing.T) {
	b := withFile(t, strings.Repeat("old ", 1000), nil)
	expected := b.entry("f")
	if result := b.patch(&pb.Put{Staging: "s", Size: 4000}, expected, "", copied(0, 10)); result.Outcome != staged_ {
		t.Fatal(result)
	}
	if err := os.Truncate(b.folder+"/f", 100); err != nil {
		t.Fatal(err)
	}
	if result := b.patch(&pb.Put{Staging: "s", Size: 4000, Offset: 10}, expected, "", copied(10, 2000)); result.Outcome != refused_ {
		t.Error(result)
	}
}

func TestHostilePiecesAreRefused(t *testing.T) {
	old := strings.Repeat("old ", 1000)
	b := withFile(t, old, nil)
	expected := b.entry("f")
	many := make([]*pb.Piece, maxPieces+1)
	for i := range many {
		many[i] = copied(0, 1)
	}
	huge := &pb.Put{Staging: "s", Size: math.MaxUint64}
	for name, c := range map[string]struct {
		put    *pb.Put
		body   string
		pieces []*pb.Piece
	}{
		"no put":                      {nil, "", []*pb.Piece{copied(0, 1)}},
		"no length":                   {becoming(""), "", []*pb.Piece{copied(0, 0)}},
		"an empty piece":              {becoming("a"), "a", []*pb.Piece{nil, literal(1)}},
		"beyond the end":              {huge, "", []*pb.Piece{copied(3999, 2)}},
		"far beyond the end":          {huge, "", []*pb.Piece{copied(math.MaxUint64, 2)}},
		"a sum that overflows":        {huge, "", []*pb.Piece{copied(math.MaxUint64-1, 3)}},
		"a length that overflows":     {huge, "", []*pb.Piece{copied(1, math.MaxUint64)}},
		"lengths that overflow":       {huge, "", []*pb.Piece{copied(0, 4000), {Length: math.MaxUint64 - 10}, {Length: 20}}},
		"more than the body":          {becoming("aa"), "a", []*pb.Piece{literal(2)}},
		"less than the body":          {becoming("aa"), "aaa", []*pb.Piece{literal(2)}},
		"a body without pieces":       {becoming(""), "a", nil},
		"too many pieces":             {huge, "", many},
		"more than the file is to be": {becoming("old"), "", []*pb.Piece{copied(0, 4)}},
		"a slice without beginning":   {&pb.Put{Staging: "s", Offset: 3, Size: 9}, "", []*pb.Piece{copied(0, 3)}},
		"an offset that overflows":    {&pb.Put{Staging: "s", Offset: math.MaxUint64, Size: 9}, "", []*pb.Piece{copied(0, 3)}},
	} {
		if result := b.patch(c.put, expected, c.body, c.pieces...); result.Outcome != refused_ {
			t.Errorf("%s: %v", name, result)
		}
		if len(b.applier.staged) != 0 {
			t.Errorf("%s: still staged", name)
			b.applier.Close()
		}
	}
	// A put that goes on as a patch has no base.
	if result := b.one(&pb.Operation{Path: "f", Expected: expected, Action: &pb.Operation_Put{Put: &pb.Put{Staging: "s", Size: 9}}}, "abc"); result.Outcome != staged_ {
		t.Fatal(result)
	}
	if result := b.patch(&pb.Put{Staging: "s", Offset: 3, Size: 9}, expected, "", copied(0, 3)); result.Outcome != refused_ {
		t.Error(result)
	}
	b.is(old)
}

// FuzzPatch gives two slices of anything: what lands always has its digest, and else the file stays as it was.
func FuzzPatch(f *testing.F) {
	f.Add(uint64(0), uint64(4), uint64(3), uint64(7), "abc", true)
	f.Add(uint64(1<<63), uint64(1<<63), uint64(0), uint64(math.MaxUint64), "", false)
	f.Fuzz(func(t *testing.T, from, length, second, size uint64, body string, final bool) {
		old := strings.Repeat("old ", 100)
		folder := t.TempDir()
		opened, err := root.Open(folder, ".own", false)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		b := &bench{t, folder, New(Options{Root: opened})}
		defer b.applier.Close()
		if err := os.WriteFile(folder+"/f", []byte(old), 0o644); err != nil {
			t.Fatal(err)
		}
		expected := b.entry("f")
		wanted := sha256.Sum256([]byte(old[:4] + body))
		put := &pb.Put{Staging: "s", Final: final, Size: size, Digest: wanted[:], Mode: 0o644, MtimeNs: mtime}
		result := b.patch(put, expected, body, copied(from, length), literal(len(body)))
		if !final {
			next := &pb.Put{Staging: "s", Offset: second, Final: true, Size: size, Digest: wanted[:], Mode: 0o644, MtimeNs: mtime}
			result = b.patch(next, expected, body, literal(len(body)))
		}
		found, err := os.ReadFile(folder + "/f")
		if err != nil {
			t.Fatal(err)
		}
		if result.Outcome == applied_ {
			if digest := sha256.Sum256(found); !bytes.Equal(digest[:], wanted[:]) {
				t.Fatal("something else landed")
			}
		} else if string(found) != old {
			t.Fatal("it was changed all the same")
		}
	})
}
