package watch

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"time"

	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/scan"
)

var seed = maphash.MakeSeed()

// poll compares what is below the polled folders with what was there last. A folder that cannot be read
// keeps what was known of it: unreadable is not gone.
func (w *Watcher) poll(ctx context.Context, report bool) {
	found := make(map[string]uint64, len(w.snapshot))
	whole := true
	now := time.Now()
	walker := scan.Walker{Root: w.Root, Rules: w.Rules, SingleName: w.SingleName}
	for folder := range w.polled {
		_, err := walker.Walk(ctx, folder, func(at scan.Found) error {
			if at.Problem != "" {
				whole = false
				return nil
			}
			sum := fingerprint(at.Entry)
			found[at.Path] = sum
			if before, known := w.snapshot[at.Path]; report && (!known || before != sum) {
				w.pending.note(at.Path, true, now)
			}
			return nil
		})
		if err != nil {
			whole = false
		}
	}
	for path, sum := range w.snapshot {
		if _, ok := found[path]; ok {
			continue
		}
		if whole {
			w.pending.note(path, true, now)
		} else {
			found[path] = sum
		}
	}
	w.snapshot = found
}

func fingerprint(entry *pb.Entry) uint64 {
	var hash maphash.Hash
	hash.SetSeed(seed)
	var number [8]byte
	values := []uint64{uint64(entry.Kind), uint64(entry.Mode), entry.Inode}
	if entry.Kind != pb.EntryKind_ENTRY_KIND_DIRECTORY {
		// A folder's times tell of its children, which are looked at themselves.
		values = append(values, entry.Size, uint64(entry.MtimeNs), uint64(entry.CtimeNs))
	}
	for _, value := range values {
		binary.NativeEndian.PutUint64(number[:], value)
		_, _ = hash.Write(number[:])
	}
	_, _ = hash.WriteString(entry.Target)
	return hash.Sum64()
}
