package downstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"
	"time"

	"google.golang.org/protobuf/proto"
	"slipway.dev/helper/internal/blocks"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/scan"
)

// minPart is the least that a part of a content is made smaller to where the app bounds the bandwidth.
const minPart = 16 << 10

// sender sends the contents of one request.
type sender struct {
	process *Process
	ctx     context.Context
	request *pb.ContentRequest
	base    *blocks.Base // of the one path, if at all
	buffer  []byte
	send    func(proto.Message) error
}

func (p *Process) content(ctx context.Context, request *pb.ContentRequest) error {
	base, err := baseOf(request)
	if err != nil {
		return err
	}
	size := uint64(maxPart)
	if rate := request.GetMaxBytesPerSecond(); rate > 0 {
		size = max(minPart, min(size, rate/8))
	}
	return p.call(ctx, "SendContent", func(send func(proto.Message) error) error {
		s := &sender{process: p, ctx: ctx, request: request, base: base, buffer: make([]byte, size), send: send}
		for _, path := range request.GetPaths() {
			if err := s.file(path); err != nil {
				return err
			}
		}
		return nil
	}, &pb.SendContentResponse{})
}

func baseOf(request *pb.ContentRequest) (*blocks.Base, error) {
	signature := request.GetBase()
	if signature == nil {
		return nil, nil
	}
	if len(request.GetPaths()) != 1 {
		return nil, errors.New("a base for more than one path")
	}
	return blocks.NewBase(signature.GetEntry().GetSize(), signature.GetBlockBytes(), signature.GetBlocks())
}

// file sends one file's parts; only a failing `send` is an error, the file's own errors are its end.
func (s *sender) file(path string) error {
	p := s.process
	part := s.part(path)
	if p.rules.ExcludesBelow(path, false) || p.single != "" && path != p.single {
		part.End = &pb.ContentEnd{Error: "excluded"}
		return s.send(part)
	}
	file, entry, err := p.root.OpenFile(path)
	if err != nil {
		part.End = &pb.ContentEnd{Error: scan.Escape(root.Words(err))}
		return s.send(part)
	}
	defer file.Close()
	part.Entry = entry
	if s.base != nil {
		return s.changed(part, file, entry)
	}
	sum := sha256.New()
	for left := entry.Size; ; {
		length, err := io.ReadFull(file, s.buffer[:min(uint64(len(s.buffer)), left)])
		if err != nil {
			return s.fail(part, err)
		}
		left -= uint64(length)
		sum.Write(s.buffer[:length])
		part.Data = s.buffer[:length]
		if left == 0 {
			return s.end(part, file, entry, sum)
		}
		if err := s.paced(part); err != nil {
			return err
		}
		part = s.part(path)
	}
}

// changed sends what of a file is not in the base, and where the rest is.
func (s *sender) changed(part *pb.SendContentRequest, file *os.File, entry *pb.Entry) error {
	path := part.Path
	if err := s.send(part); err != nil {
		return err
	}
	var source io.Reader = file
	var sum hash.Hash
	if !isKnown(entry, s.request.GetKnown()) {
		sum = sha256.New()
		source = io.TeeReader(file, sum)
	}
	var sending error
	give := func(part *pb.SendContentRequest) error {
		sending = s.paced(part)
		return sending
	}
	err := blocks.Match(source, entry.Size, s.base, blocks.Sink{
		Copy: func(from, length uint64) error {
			part := s.part(path)
			part.Copied = &pb.Copied{From: from, Length: length}
			return give(part)
		},
		Data: func(data []byte) error {
			for len(data) > 0 {
				part := s.part(path)
				part.Data = data[:min(len(data), len(s.buffer))]
				data = data[len(part.Data):]
				if err := give(part); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if sending != nil {
		return sending
	}
	if err != nil {
		return s.fail(s.part(path), err)
	}
	if sum == nil {
		return s.finish(s.part(path), file, entry, s.request.Known.Digest)
	}
	return s.end(s.part(path), file, entry, sum)
}

func isKnown(entry, known *pb.Entry) bool {
	return len(known.GetDigest()) == sha256.Size && entry.Size == known.Size && entry.MtimeNs == known.MtimeNs &&
		entry.CtimeNs == known.CtimeNs && entry.Inode == known.Inode
}

func (s *sender) part(path string) *pb.SendContentRequest {
	return &pb.SendContentRequest{Id: s.request.GetId(), Path: path}
}

func (s *sender) fail(part *pb.SendContentRequest, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = root.ErrChanged
	}
	part.End = &pb.ContentEnd{Error: root.Words(err)}
	return s.send(part)
}

func (s *sender) end(part *pb.SendContentRequest, file *os.File, entry *pb.Entry, sum hash.Hash) error {
	return s.finish(part, file, entry, sum.Sum(nil))
}

func (s *sender) finish(part *pb.SendContentRequest, file *os.File, entry *pb.Entry, digest []byte) error {
	part.End = &pb.ContentEnd{Digest: digest}
	if !root.Unchanged(file, entry) {
		part.End = &pb.ContentEnd{Error: root.ErrChanged.Error()}
	}
	return s.paced(part)
}

// paced sends a part when the bandwidth that the app allows is not used up.
func (s *sender) paced(part *pb.SendContentRequest) error {
	wait := s.process.pace.take(len(part.Data), s.request.GetMaxBytesPerSecond(), s.request.GetBulk(), time.Now())
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
	return s.send(part)
}

// signature describes a file that the app has another version of.
func (p *Process) signature(request *pb.SignatureRequest) error {
	p.hashing <- struct{}{}
	defer func() { <-p.hashing }()
	answer := &pb.SignatureAnswer{Id: request.GetId(), Signature: p.sign(request.GetPath())}
	return p.send(&pb.AttachRequest{Message: &pb.AttachRequest_Signature{Signature: answer}})
}

func (p *Process) sign(path string) *pb.Signature {
	if p.rules.ExcludesBelow(path, false) || p.single != "" && path != p.single {
		return nil
	}
	file, entry, err := p.root.OpenFile(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	length := blocks.BytesFor(entry.Size)
	signature, err := blocks.Sign(file, entry.Size, length)
	if err != nil || !root.Unchanged(file, entry) {
		return nil
	}
	return &pb.Signature{Entry: entry, BlockBytes: length, Blocks: signature}
}
