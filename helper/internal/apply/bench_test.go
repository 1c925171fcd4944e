package apply

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"slipway.dev/helper/internal/frame"
	pb "slipway.dev/helper/internal/gen/helperv1"
)

// BenchmarkNewFiles puts new files of 4 KiB into 100 folders, 200 a batch.
func BenchmarkNewFiles(b *testing.B) {
	bench := setUp(b, nil)
	content := make([]byte, 4096)
	digest := sha256.Sum256(content)
	for i := range 100 {
		bench.one(&pb.Operation{Path: fmt.Sprint(i), Expected: nothing, Action: &pb.Operation_MakeDirectory{MakeDirectory: &pb.MakeDirectory{Mode: 0o755}}}, "")
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += 200 {
		var operations []*pb.Operation
		var entries []frame.Entry
		for i := range min(200, b.N-done) {
			operations = append(operations, &pb.Operation{Path: fmt.Sprintf("%d/%d", (done+i)%100, done+i), Expected: nothing, Action: &pb.Operation_Put{Put: &pb.Put{
				Staging: fmt.Sprint(i), Final: true, Size: 4096, Digest: digest[:], Mode: 0o644, MtimeNs: mtime,
			}}})
			entries = append(entries, frame.Entry{Index: i, Content: content})
		}
		results, err := bench.applier.Batch(operations, entries)
		if err != nil || results[0].Outcome != applied_ {
			b.Fatal(err, results)
		}
	}
}
