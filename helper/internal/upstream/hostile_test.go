package upstream

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"slipway.dev/helper/internal/frame"
	pb "slipway.dev/helper/internal/gen/helperv1"
)

// Whatever comes after an honest hello, the process answers or refuses, and stays below its root.
func FuzzRequests(f *testing.F) {
	for _, request := range []*pb.UpstreamRequest{
		{Request: &pb.UpstreamRequest_Ping{Ping: &pb.Ping{Number: 1}}},
		{Request: &pb.UpstreamRequest_Trash{Trash: &pb.TrashRequest{}}},
		{Request: &pb.UpstreamRequest_Hello{Hello: &pb.UpstreamHello{Root: "/", Pair: "other"}}},
		{Request: &pb.UpstreamRequest_Batch{Batch: &pb.Batch{Number: 1, Operations: []*pb.Operation{
			{Path: "../x", Expected: &pb.Entry{}, Action: &pb.Operation_MakeSymlink{MakeSymlink: &pb.MakeSymlink{Target: "/"}}},
		}}}},
		{Request: &pb.UpstreamRequest_Batch{Batch: &pb.Batch{Number: 1 << 63, Body: []byte{0x1f, 0x8b}, Compression: 1}}},
	} {
		var seed bytes.Buffer
		if err := frame.Write(&seed, request); err != nil {
			f.Fatal(err)
		}
		f.Add(seed.Bytes())
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		base := t.TempDir()
		folder, at := filepath.Join(base, ".slipway-own"), filepath.Join(base, "root")
		canary := filepath.Join(base, "canary")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(canary, []byte("sings"), 0o600); err != nil {
			t.Fatal(err)
		}
		process := &Process{Folder: folder, Build: "test", Output: io.Discard}
		defer process.close()
		hello := &pb.UpstreamHello{Root: at, CreateRoot: true, Pair: "app", Epoch: 1, TrashCapBytes: 1 << 20}
		if err := process.hello(hello); err != nil {
			t.Fatal(err)
		}
		for reader := bytes.NewReader(input); ; {
			content, err := frame.Read(reader)
			if err != nil {
				break
			}
			request := &pb.UpstreamRequest{}
			if proto.Unmarshal(content, request) != nil || process.handle(request) != nil {
				break
			}
		}
		if content, err := os.ReadFile(canary); err != nil || string(content) != "sings" {
			t.Fatalf("the canary: %q, %v", content, err)
		}
		entries, err := os.ReadDir(base)
		if err != nil || len(entries) != 3 {
			t.Fatalf("beside the root: %v, %v", entries, err)
		}
	})
}
