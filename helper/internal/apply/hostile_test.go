package apply

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/frame"
	pb "slipway.dev/helper/internal/gen/helperv1"
)

// canaries are files around the root; harm says what became of them.
func canaries(t testing.TB, b *bench) (harm func() string) {
	t.Helper()
	outside := filepath.Join(filepath.Dir(b.folder), "outside")
	for _, name := range []string{"canary", "sub/canary"} {
		full := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("sings"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	picture := func() string {
		var lines []string
		_ = filepath.Walk(outside, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				lines = append(lines, err.Error())
				return nil
			}
			content, _ := os.ReadFile(path)
			lines = append(lines, fmt.Sprint(path, info.Mode(), string(content)))
			return nil
		})
		return strings.Join(lines, "\n")
	}
	before := picture()
	return func() string {
		if now := picture(); now != before {
			return "before:\n" + before + "\nnow:\n" + now
		}
		return ""
	}
}

// hostileParts are what a path or a target of a link is made of.
var hostileParts = []string{
	"a", "b", "link", "..", ".", "", "/", "outside", "canary", "..\\x", "\x00", strings.Repeat("n", 256), "\xff", "...", "c/../..",
}

// program reads operations from bytes; every input is one.
type program struct {
	bytes []byte
}

func (p *program) next() int {
	if len(p.bytes) == 0 {
		return 0
	}
	value := p.bytes[0]
	p.bytes = p.bytes[1:]
	return int(value)
}

func (p *program) path() string {
	parts := make([]string, 1+p.next()%4)
	for i := range parts {
		parts[i] = hostileParts[p.next()%len(hostileParts)]
	}
	path := strings.Join(parts, "/")
	if p.next()%8 == 0 {
		path = "/" + path
	}
	return path
}

// expectation is what the app believes to be there: nothing, the truth, or something else.
func (p *program) expectation(b *bench, path string) *pb.Entry {
	switch p.next() % 4 {
	case 0:
		return nothing
	case 1:
		return nil
	case 2:
		return &pb.Entry{Kind: pb.EntryKind(p.next() % 6), Mode: uint32(p.next()), Size: uint64(p.next())}
	default:
		if entry, err := b.applier.Root.Stat(path); err == nil {
			return entry
		}
		return nothing
	}
}

// Whatever is asked for, nothing outside the root is made, changed or removed, and there is an answer to each operation.
func FuzzBatchesStayBelowTheRoot(f *testing.F) {
	f.Add([]byte{0, 1, 3, 7, 8, 0})
	f.Add([]byte{4, 0, 2, 1, 3, 7, 0, 0, 0, 1, 2, 8, 3, 0, 0})
	f.Add([]byte{3, 0, 0, 1, 3, 2, 1, 7, 0, 0, 0, 0, 0, 0, 8, 0, 0, 5})
	f.Fuzz(func(t *testing.T, input []byte) {
		b := setUp(t, nil)
		harm := canaries(t, b)
		read := &program{input}
		for count := 0; len(read.bytes) > 0 && count < 40; count++ {
			kind, path := read.next()%6, read.path()
			operation := &pb.Operation{Path: path, Expected: read.expectation(b, path)}
			var entries []frame.Entry
			switch kind {
			case 0:
				put := putOf(path, "hostile", operation.Expected)
				operation.Action = put.Action
				operation.GetPut().Staging = read.path()
				operation.GetPut().Final = read.next()%4 != 0
				entries = []frame.Entry{{Index: 0, Content: []byte("hostile")}}
			case 1:
				operation.Action = &pb.Operation_Delete{Delete: &pb.Delete{}}
			case 2:
				operation.Action = &pb.Operation_Rename{Rename: &pb.Rename{To: read.path()}}
			case 3:
				operation.Action = &pb.Operation_MakeSymlink{MakeSymlink: &pb.MakeSymlink{Target: read.path()}}
			case 4:
				operation.Action = &pb.Operation_MakeDirectory{MakeDirectory: &pb.MakeDirectory{Mode: uint32(read.next())}}
			case 5:
				operation.Action = &pb.Operation_Chmod{Chmod: &pb.Chmod{Mode: uint32(read.next()) << 4}}
			}
			results, err := b.applier.Batch([]*pb.Operation{operation}, entries)
			if err == nil && (len(results) != 1 || results[0] == nil) {
				t.Fatalf("no answer to %v", operation)
			}
			if said := harm(); said != "" {
				t.Fatalf("%v: %s", operation, said)
			}
		}
	})
}

// A folder that is exchanged for a link that leads out, again and again, while files are put into it (a million tries
// are the letter of it; as many as go into a second are made here, and SLIPWAY_SWAP_SECONDS makes more).
func TestNothingLeavesTheRootWhileAFolderBecomesALink(t *testing.T) {
	b := setUp(t, nil)
	harm := canaries(t, b)
	seconds := time.Second
	if wanted, err := time.ParseDuration(os.Getenv("SLIPWAY_SWAP_SECONDS") + "s"); err == nil {
		seconds = wanted
	}
	folder, link := filepath.Join(b.folder, "folder"), filepath.Join(b.folder, "swap")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside/sub", link); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Add(1)
	swaps := 0
	go func() {
		defer swapping.Done()
		for {
			select {
			case <-done:
				return
			default:
				if unix.Renameat2(unix.AT_FDCWD, folder, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) == nil {
					swaps++
				}
			}
		}
	}()
	tries, landed := 0, 0
	for end := time.Now().Add(seconds); time.Now().Before(end); tries++ {
		name := fmt.Sprintf("folder/f%d", tries%7)
		entry, err := b.applier.Root.Stat(name)
		if err != nil {
			entry = nothing
		}
		if b.put(name, fmt.Sprint(tries), entry).Outcome == applied_ {
			landed++
		}
		b.one(&pb.Operation{Path: "folder/canary", Expected: nothing, Action: &pb.Operation_Delete{Delete: &pb.Delete{}}}, "")
	}
	close(done)
	swapping.Wait()
	t.Logf("%d tries, %d landed, %d exchanges", tries, landed, swaps)
	if said := harm(); said != "" {
		t.Fatal(said)
	}
	if landed == 0 || swaps == 0 {
		t.Fatal("nothing was tried")
	}
}
