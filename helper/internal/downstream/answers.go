package downstream

import (
	"context"
	"sync"

	"google.golang.org/protobuf/proto"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/scan"
)

func (p *Process) scan(ctx context.Context, request *pb.ScanRequest) error {
	return p.call(ctx, "SendScan", func(send func(proto.Message) error) error {
		part := &pb.SendScanRequest{Id: request.GetId()}
		size, total := 0, uint64(0)
		visit := func(found scan.Found) error {
			if found.Problem != "" {
				problem := &pb.Problem{Path: scan.Escape(found.Path), Message: scan.Escape(found.Problem)}
				part.Problems = append(part.Problems, problem)
			} else {
				part.Entries = append(part.Entries, &pb.Change{Path: found.Path, Entry: found.Entry})
				total++
			}
			// A bound from above on what the entry takes beside its strings.
			if size += 96 + len(found.Path) + len(found.Problem) + len(found.Entry.GetTarget()); size < maxPart {
				return nil
			}
			err := send(part)
			part, size = &pb.SendScanRequest{Id: request.GetId()}, 0
			return err
		}
		walker := scan.Walker{Root: p.root, Rules: p.rules, SingleName: p.single}
		below := request.GetBelow()
		if len(below) == 0 {
			below = []string{""}
		}
		moved := false
		for _, start := range below {
			if start != "" {
				if err := root.CheckPath(start); err != nil {
					return err
				}
			}
			walkMoved, err := walker.Walk(ctx, start, visit)
			if err != nil {
				return err
			}
			moved = moved || walkMoved
		}
		part.End = &pb.ScanEnd{Entries: total, Root: p.root.IdentityNow(), Moved: moved}
		return send(part)
	}, &pb.SendScanResponse{})
}

func (p *Process) checksums(request *pb.ChecksumRequest) error {
	changes := make([]*pb.Change, len(request.GetPaths()))
	var group sync.WaitGroup
	work := make(chan int)
	for range cap(p.hashing) {
		group.Go(func() {
			buffer := make([]byte, 128<<10)
			for i := range work {
				p.hashing <- struct{}{}
				path := request.GetPaths()[i]
				changes[i] = &pb.Change{Path: path, Entry: p.checksum(path, buffer)}
				<-p.hashing
			}
		})
	}
	for i := range changes {
		work <- i
	}
	close(work)
	group.Wait()
	return p.send(&pb.AttachRequest{Message: &pb.AttachRequest_Checksums{
		Checksums: &pb.ChecksumAnswer{Id: request.GetId(), Entries: changes},
	}})
}

// checksum is a path's entry, with the digest of a file that could be read and did not change meanwhile.
func (p *Process) checksum(path string, buffer []byte) *pb.Entry {
	entry, err := p.root.Hash(path, buffer)
	if err == nil {
		return entry
	}
	entry, err = p.root.Stat(path)
	if err != nil {
		return &pb.Entry{Kind: pb.EntryKind_ENTRY_KIND_OTHER} // there, but not to be read
	}
	return entry
}
