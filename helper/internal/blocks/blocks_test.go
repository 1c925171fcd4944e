package blocks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

func content(seed uint64, length int) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	made := make([]byte, length)
	for i := range made {
		made[i] = byte(random.Uint32())
	}
	return made
}

// travel makes `changed` from `base` and what Match says, and tells how many bytes were not copied.
func travel(t testing.TB, old, changed []byte, blockBytes uint32) int {
	t.Helper()
	signature, err := Sign(bytes.NewReader(old), uint64(len(old)), blockBytes)
	if err != nil {
		t.Fatal(err)
	}
	base, err := NewBase(uint64(len(old)), blockBytes, signature)
	if err != nil {
		t.Fatal(err)
	}
	var made []byte
	sent := 0
	err = Match(bytes.NewReader(changed), uint64(len(changed)), base, Sink{
		Copy: func(from, length uint64) error {
			if length == 0 || length > maxCopy || from+length > uint64(len(old)) {
				t.Fatalf("copy of %d from %d", length, from)
			}
			made = append(made, old[from:from+length]...)
			return nil
		},
		Data: func(data []byte) error {
			if len(data) == 0 {
				t.Fatal("empty data")
			}
			sent += len(data)
			made = append(made, data...)
			return nil
		},
	})
	if err != nil || !bytes.Equal(made, changed) {
		t.Fatalf("made %d bytes of %d, %v", len(made), len(changed), err)
	}
	return sent
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestOnlyWhatChangedTravels(t *testing.T) {
	const block = 16 << 10
	old := content(1, 40*block+77)
	edited := bytes.Clone(old)
	copy(edited[20*block+5:], content(2, 4096))
	twice := bytes.Clone(edited)
	copy(twice[30*block-100:], content(3, 4096))
	for name, c := range map[string]struct {
		changed []byte
		most    int
	}{
		"nothing":                  {old, 0},
		"4 KiB in the middle":      {edited, block},
		"two places, one across":   {twice, 3 * block},
		"appended":                 {join(old, content(4, 3000)), 3000 + block},
		"inserted at the start":    {join(content(5, 100_001), old), 100_001},
		"inserted in the middle":   {join(old[:9*block+9], content(6, 50), old[9*block+9:]), 2 * block},
		"removed from the middle":  {join(old[:9*block+9], old[12*block+1:]), 2 * block},
		"cut":                      {old[:11*block+3], block},
		"halves exchanged":         {join(old[20*block:], old[:20*block]), 2 * block},
		"empty":                    {nil, 0},
		"shorter than any block":   {old[:31], 31},
		"something else":           {content(7, 5*block), 5 * block},
		"the first byte is gone":   {old[1:], block},
		"a byte before everything": {join([]byte{1}, old), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if sent := travel(t, old, c.changed, block); sent > c.most {
				t.Errorf("%d bytes travel, at most %d should", sent, c.most)
			}
		})
	}
}

func TestAlikeBlocksDoNotSlowTheSearch(t *testing.T) {
	const block = 16 << 10
	zeros := make([]byte, 30*block)
	if sent := travel(t, zeros, join([]byte{1, 2, 3}, zeros, make([]byte, 500)), block); sent > 2*block {
		t.Errorf("%d bytes travel", sent)
	}
	// Every block begins alike and ends differently: each place of a long run of that beginning is a candidate.
	alike := make([]byte, 0, 200*block)
	for i := range 200 {
		one := make([]byte, block)
		copy(one[block-8:], content(uint64(i), 8))
		alike = append(alike, one...)
	}
	travel(t, alike, join(make([]byte, 2<<20), content(9, 10)), block)
}

func TestMainMakesTheSameSignature(t *testing.T) {
	made := make([]byte, 100_000)
	for i := range made {
		made[i] = byte(i*i>>7 ^ i)
	}
	signature, err := Sign(bytes.NewReader(made), uint64(len(made)), BytesFor(uint64(len(made))))
	digest := sha256.Sum256(signature)
	if got := hex.EncodeToString(digest[:]); err != nil || got != sameAsInMain {
		t.Errorf("%s, %v", got, err)
	}
}

func TestTheLengthOfBlocksFollowsTheSize(t *testing.T) {
	for size, want := range map[uint64]uint32{
		0: 16 << 10, 8 << 20: 16 << 10, 256 << 20: 16 << 10, 1 << 30: 64 << 10, 64 << 30: 1 << 20, 1 << 50: 1 << 20,
	} {
		if got := BytesFor(size); got != want {
			t.Errorf("%d: %d", size, got)
		}
	}
	if _, err := Sign(bytes.NewReader(nil), 1<<50, 1<<20); err == nil {
		t.Error("a signature of a petabyte")
	}
}

func TestASignatureThatIsNoneIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		size  uint64
		block uint32
		bytes int
	}{
		"no blocks of a file":   {100, 16 << 10, 0},
		"too many blocks":       {100, 16 << 10, 16},
		"a cut one":             {100, 16 << 10, 7},
		"no length":             {100, 0, 8},
		"no power of two":       {100, 20_000, 8},
		"blocks too small":      {100, 8 << 10, 8},
		"blocks too large":      {100, 2 << 20, 8},
		"more than a signature": {1 << 62, 1 << 20, 2 << 20},
		"a size that overflows": {1<<64 - 1, 1 << 20, 0},
	} {
		if _, err := NewBase(c.size, c.block, make([]byte, c.bytes)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// FuzzMatch gives any signature and any content: what comes out always covers the content, and copies stay in the base.
func FuzzMatch(f *testing.F) {
	f.Add(uint64(40_000), []byte("123456781234567812345678"), []byte("content"), uint8(3))
	f.Fuzz(func(t *testing.T, size uint64, signature, piece []byte, times uint8) {
		base, err := NewBase(size, minBlock, signature)
		if err != nil {
			return
		}
		changed := bytes.Repeat(piece, 1+int(times)*16)
		covered := uint64(0)
		err = Match(bytes.NewReader(changed), uint64(len(changed)), base, Sink{
			Copy: func(from, length uint64) error {
				if from > size || length > size-from {
					t.Fatalf("copy of %d from %d in %d", length, from, size)
				}
				covered += length
				return nil
			},
			Data: func(data []byte) error { covered += uint64(len(data)); return nil },
		})
		if err != nil || covered != uint64(len(changed)) {
			t.Fatalf("%d of %d, %v", covered, len(changed), err)
		}
	})
}

func BenchmarkSign(b *testing.B) {
	old := content(1, 64<<20)
	b.SetBytes(int64(len(old)))
	for b.Loop() {
		_, _ = Sign(bytes.NewReader(old), uint64(len(old)), 64<<10)
	}
}

func BenchmarkMatchUnchanged(b *testing.B) {
	old := content(1, 64<<20)
	b.SetBytes(int64(len(old)))
	for b.Loop() {
		travel(b, old, old, 64<<10)
	}
}

// sameAsInMain is the digest of a signature that main's test names too.
const sameAsInMain = "3319404ac616e889d575a42dafbc1a482c8919b8c17fbf6a97ed8920324420d3"
