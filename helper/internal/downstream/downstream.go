// Package downstream attaches to the app and tells it what is in the container: scans, contents, changes.
package downstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/grpc"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/rules"
	"slipway.dev/helper/internal/scan"
	"slipway.dev/helper/internal/watch"
)

const (
	// Protocol is the version that hello names.
	Protocol = 1

	service = "/slipway.helper.v1.DownstreamService/"
	// Silence after which the app is taken for gone.
	idle = 60 * time.Second
	// Requests that are answered at the same time; more are refused.
	maxRequests = 64
	// Paths of one request.
	maxPaths = 1024
	// Bytes of one part of a scan or a content.
	maxPart = 256 << 10
)

// Process is one run of `sync downstream`.
type Process struct {
	Folder     string // the helper's own
	Build      string
	Connection grpc.Stdio

	client  *grpc.Client
	attach  *grpc.Stream
	sending sync.Mutex
	slots   chan struct{}
	hashing chan struct{}

	pace pace

	root   *root.Root
	rules  *rules.Set
	single string
}

// Run ends when the app hangs up, breaks the protocol, or is silent for a minute.
func (p *Process) Run() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	client, err := grpc.NewClient(p.Connection)
	if err != nil {
		return err
	}
	p.client = client
	p.slots = make(chan struct{}, maxRequests)
	p.hashing = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
	p.attach = client.Start(ctx, service+"Attach")
	hello := &pb.Hello{Protocol: Protocol, Build: p.Build}
	if err := p.send(&pb.AttachRequest{Message: &pb.AttachRequest_Hello{Hello: hello}}); err != nil {
		return err
	}
	// Receiving blocks in a read of standard input: whoever cancels must not wait for it.
	silence := time.AfterFunc(idle, func() { cancel(errors.New("nothing heard for a minute")) })
	go func() {
		for {
			message := &pb.AttachResponse{}
			err := p.attach.Receive(message)
			if err == nil {
				silence.Reset(idle)
				err = p.handle(ctx, cancel, message)
			}
			if err != nil {
				cancel(err)
				return
			}
		}
	}()
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func (p *Process) send(message *pb.AttachRequest) error {
	p.sending.Lock()
	defer p.sending.Unlock()
	return p.attach.Send(message)
}

func (p *Process) fail(id uint64, err error) error {
	failed := &pb.RequestFailed{Id: id, Message: scan.Escape(root.Words(err))}
	return p.send(&pb.AttachRequest{Message: &pb.AttachRequest_Failed{Failed: failed}})
}

func (p *Process) handle(ctx context.Context, cancel context.CancelCauseFunc, message *pb.AttachResponse) error {
	switch message := message.Message.(type) {
	case *pb.AttachResponse_Configure:
		return p.configure(ctx, cancel, message.Configure)
	case *pb.AttachResponse_Ping:
		pong := &pb.Pong{Number: message.Ping.GetNumber(), WallClockNs: time.Now().UnixNano()}
		return p.send(&pb.AttachRequest{Message: &pb.AttachRequest_Pong{Pong: pong}})
	}
	if p.root == nil {
		return errors.New("asked before configured")
	}
	switch message := message.Message.(type) {
	case *pb.AttachResponse_Scan:
		request := message.Scan
		return p.answer(request.GetId(), len(request.GetBelow()), func() error { return p.scan(ctx, request) })
	case *pb.AttachResponse_Content:
		request := message.Content
		return p.answer(request.GetId(), len(request.GetPaths()), func() error { return p.content(ctx, request) })
	case *pb.AttachResponse_Checksum:
		request := message.Checksum
		return p.answer(request.GetId(), len(request.GetPaths()), func() error { return p.checksums(request) })
	case *pb.AttachResponse_Signature:
		request := message.Signature
		return p.answer(request.GetId(), 1, func() error { return p.signature(request) })
	default:
		return errors.New("unknown message")
	}
}

// answer runs a request beside the others.
func (p *Process) answer(id uint64, paths int, work func() error) error {
	if paths > maxPaths {
		return p.fail(id, fmt.Errorf("more than %d paths", maxPaths))
	}
	select {
	case p.slots <- struct{}{}:
	default:
		return p.fail(id, errors.New("too many requests at once"))
	}
	go func() {
		defer func() { <-p.slots }()
		if err := work(); err != nil {
			_ = p.fail(id, err)
		}
	}()
	return nil
}

func (p *Process) configure(ctx context.Context, cancel context.CancelCauseFunc, configure *pb.Configure) error {
	if p.root != nil {
		return errors.New("configured twice")
	}
	if name := configure.GetSingleName(); name != "" {
		if folder, _ := root.Split(name); folder != "" || root.CheckPath(name) != nil {
			return errors.New("single name not acceptable")
		}
		p.single = name
	}
	set, err := rules.Compile(configure.GetRules())
	if err != nil {
		return p.fail(0, err)
	}
	folder, err := root.Open(configure.GetRoot(), filepath.Base(p.Folder), false)
	if err != nil {
		return p.fail(0, err)
	}
	watcher, err := watch.New(ctx, watch.Options{
		Root: folder, Rules: set, SingleName: p.single, Poll: configure.GetPoll(),
		PollInterval: time.Duration(min(configure.GetPollIntervalMs(), 3_600_000)) * time.Millisecond,
		Push: func(changes *pb.Changes) error {
			return p.send(&pb.AttachRequest{Message: &pb.AttachRequest_Changes{Changes: changes}})
		},
		State: func(state *pb.WatchState) error {
			return p.send(&pb.AttachRequest{Message: &pb.AttachRequest_WatchState{WatchState: state}})
		},
	})
	if err != nil {
		return p.fail(0, err)
	}
	p.root, p.rules = folder, set
	configured := &pb.Configured{Root: folder.Identity()}
	if err := p.send(&pb.AttachRequest{Message: &pb.AttachRequest_Configured{Configured: configured}}); err != nil {
		return err
	}
	go func() {
		if err := watcher.Run(ctx); err != nil {
			cancel(err)
		}
	}()
	return nil
}

// call makes a call that only sends, and waits for its good end.
func (p *Process) call(ctx context.Context, method string, work func(send func(proto.Message) error) error, answer proto.Message) error {
	stream := p.client.Start(ctx, service+method)
	defer stream.Cancel()
	if err := work(stream.Send); err != nil {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	return stream.Receive(answer)
}
