// Package upstream receives batches on standard input, applies them and answers on standard output.
package upstream

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"
	"slipway.dev/helper/internal/apply"
	"slipway.dev/helper/internal/epoch"
	"slipway.dev/helper/internal/frame"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/nudge"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/trash"
)

const (
	// Silence after which the app is taken for gone.
	idle = 60 * time.Second
	// How often a pong nobody asked for says that we live.
	heartbeat = 2 * time.Second
	// Operations of one batch.
	maxOperations = 10_000
)

// Process is one run of `sync upstream`.
type Process struct {
	Folder string // the helper's own
	Build  string
	Input  io.Reader
	Output io.Writer

	writing  sync.Mutex
	received atomic.Uint64 // bytes
	working  atomic.Bool   // a batch is being applied
	applier  *apply.Applier
	root     *root.Root
	trash    *trash.Trash
	fence    *epoch.Fence
	number   uint64
}

// stop is an error that the app is told as the last message.
type stop struct {
	reason pb.Fatal_Reason
	err    error
}

func (s *stop) Error() string { return s.err.Error() }
func (s *stop) Unwrap() error { return s.err }

func protocol(format string, arguments ...any) error {
	return &stop{pb.Fatal_REASON_PROTOCOL, fmt.Errorf(format, arguments...)}
}

// Run ends when the input ends, after a fatal message, or when nothing is heard for a minute.
func (p *Process) Run() error {
	defer p.close()
	requests := make(chan *pb.UpstreamRequest)
	ended := make(chan error, 1)
	done := make(chan struct{})
	defer close(done)
	go p.read(requests, ended, done)
	go p.beat(done)
	for {
		select {
		case request := <-requests:
			if err := p.handle(request); err != nil {
				p.say(err, ended)
				return err
			}
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
			p.say(protocol("%w", err), nil)
			return err
		case <-time.After(idle):
			return errors.New("nothing heard for a minute")
		}
	}
}

func (p *Process) read(requests chan<- *pb.UpstreamRequest, ended chan<- error, done <-chan struct{}) {
	for {
		content, err := frame.Read(p)
		if err != nil {
			ended <- err
			return
		}
		request := &pb.UpstreamRequest{}
		if err := proto.Unmarshal(content, request); err != nil {
			ended <- err
			return
		}
		select {
		case requests <- request:
		case <-done:
			return
		}
	}
}

// say sends the last message and waits a moment for the app to hang up: bytes of a process that ended may be lost.
func (p *Process) say(err error, ended <-chan error) {
	fatal := &pb.Fatal{Reason: pb.Fatal_REASON_SYSTEM, Message: root.Words(err)}
	var known *stop
	if errors.As(err, &known) {
		fatal.Reason = known.reason
	}
	fatal.Message = strings.ToValidUTF8(fatal.Message, "?")
	_ = p.send(&pb.UpstreamResponse{Response: &pb.UpstreamResponse_Fatal{Fatal: fatal}})
	select {
	case <-ended:
	case <-time.After(2 * time.Second):
	}
}

func (p *Process) send(response *pb.UpstreamResponse) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return frame.Write(p.Output, response)
}

func (p *Process) handle(request *pb.UpstreamRequest) error {
	if hello := request.GetHello(); hello != nil {
		return p.hello(hello)
	}
	if p.applier == nil {
		return protocol("no hello yet")
	}
	switch request := request.Request.(type) {
	case *pb.UpstreamRequest_Batch:
		return p.batch(request.Batch)
	case *pb.UpstreamRequest_Ping:
		return p.pong(request.Ping.GetNumber())
	case *pb.UpstreamRequest_Trash:
		return p.answerTrash()
	default:
		return protocol("unknown request")
	}
}

func (p *Process) hello(hello *pb.UpstreamHello) error {
	if p.applier != nil {
		return protocol("a second hello")
	}
	if !isPairName(hello.GetPair()) {
		return protocol("pair name %q", hello.GetPair())
	}
	single := ""
	if hello.GetSingleFile() {
		single = hello.GetSingleName()
		if err := root.CheckPath(single); err != nil || strings.Contains(single, "/") {
			return protocol("single name %q", single)
		}
	}
	fence, err := epoch.Claim(p.Folder, hello.GetPair(), hello.GetEpoch())
	if err != nil {
		return superseded(err)
	}
	p.fence = fence
	folder, err := root.Open(hello.GetRoot(), filepath.Base(p.Folder), hello.GetCreateRoot())
	if err != nil {
		return &stop{pb.Fatal_REASON_ROOT, err}
	}
	p.root = folder
	if p.trash, err = trash.Open(p.Folder, hello.GetPair(), hello.GetTrashCapBytes()); err != nil {
		return err
	}
	staging, err := apply.OpenStaging(filepath.Join(p.Folder, "staging-"+hello.GetPair()))
	if err != nil {
		return err
	}
	options := apply.Options{
		Root: folder, Trash: p.trash, Staging: staging, SingleName: single, UID: os.Geteuid(), GID: os.Getegid(),
		InPlace: hello.GetWriteMode() == pb.WriteMode_WRITE_MODE_IN_PLACE,
	}
	if !options.InPlace {
		options.Nudger = nudge.New()
	}
	p.applier = apply.New(options)
	return p.send(&pb.UpstreamResponse{Response: &pb.UpstreamResponse_Ready{Ready: &pb.UpstreamReady{
		Build: p.Build, Root: folder.Identity(), Umask: umask(), Uid: uint32(os.Geteuid()),
	}}})
}

func superseded(err error) error {
	if errors.Is(err, epoch.ErrSuperseded) {
		return &stop{pb.Fatal_REASON_SUPERSEDED, err}
	}
	return err
}

func isPairName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (p *Process) batch(batch *pb.Batch) error {
	if batch.GetNumber() != p.number+1 {
		return protocol("batch %d after %d", batch.GetNumber(), p.number)
	}
	p.number++
	if len(batch.GetOperations()) > maxOperations {
		return protocol("%d operations in a batch", len(batch.GetOperations()))
	}
	body := batch.GetBody()
	if digest := sha256.Sum256(body); !bytes.Equal(digest[:], batch.GetBodySha256()) {
		return protocol("the body of batch %d arrived damaged", batch.GetNumber())
	}
	var err error
	switch batch.GetCompression() {
	case pb.Compression_COMPRESSION_UNSPECIFIED:
	case pb.Compression_COMPRESSION_GZIP:
		if body, err = frame.Decompress(body); err != nil {
			return protocol("the body of batch %d: %w", batch.GetNumber(), err)
		}
	default:
		return protocol("unknown compression")
	}
	entries, err := frame.Entries(body)
	if err != nil {
		return protocol("the body of batch %d: %w", batch.GetNumber(), err)
	}
	release, err := p.fence.Hold()
	if err != nil {
		return superseded(err)
	}
	defer release()
	if !p.root.Same() {
		return &stop{pb.Fatal_REASON_ROOT, errors.New("it was moved, removed or replaced since it was opened")}
	}
	p.working.Store(true)
	defer p.working.Store(false)
	begin := time.Now()
	results, err := p.applier.Batch(batch.GetOperations(), entries)
	if err != nil {
		return protocol("%w", err)
	}
	for _, result := range results {
		result.Error = strings.ToValidUTF8(result.Error, "?")
	}
	return p.send(&pb.UpstreamResponse{Response: &pb.UpstreamResponse_Batch{
		Batch: &pb.BatchResult{
			Number: batch.GetNumber(), Results: results, BusyNs: uint64(time.Since(begin).Nanoseconds()),
		},
	}})
}

// beat says that we live while a batch is being applied or a long message is arriving.
func (p *Process) beat(done <-chan struct{}) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	seen := uint64(0)
	for {
		select {
		case <-ticker.C:
			received := p.received.Load()
			if p.working.Load() || received != seen {
				_ = p.pong(0)
			}
			seen = received
		case <-done:
			return
		}
	}
}

// Read counts what arrives.
func (p *Process) Read(buffer []byte) (int, error) {
	length, err := p.Input.Read(buffer)
	p.received.Add(uint64(length))
	return length, err
}

func (p *Process) pong(number uint64) error {
	return p.send(&pb.UpstreamResponse{Response: &pb.UpstreamResponse_Pong{
		Pong: &pb.Pong{Number: number, WallClockNs: time.Now().UnixNano()},
	}})
}

func (p *Process) answerTrash() error {
	items, total := p.trash.Items()
	return p.send(&pb.UpstreamResponse{Response: &pb.UpstreamResponse_Trash{
		Trash: &pb.TrashAnswer{Items: items, TotalBytes: total},
	}})
}

func (p *Process) close() {
	if p.applier != nil {
		p.applier.Close()
	}
}

// umask reads the process's mask without setting it; 022 where it cannot be read.
func umask() uint32 {
	content, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0o22
	}
	for line := range strings.Lines(string(content)) {
		if text, ok := strings.CutPrefix(line, "Umask:"); ok {
			if mask, err := strconv.ParseUint(strings.TrimSpace(text), 8, 32); err == nil {
				return uint32(mask)
			}
		}
	}
	return 0o22
}
