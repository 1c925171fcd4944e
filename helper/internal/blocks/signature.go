// Package blocks tells which parts of a file are in an earlier version of it, so that only the others travel.
//
// The earlier version (the base) is described by one checksum per block of equal length and a rolling hash of each
// block's first bytes. Whoever has the new version goes through it once: as long as the block that comes next in the
// base is also next in the new version, one CRC per block is all the work; where it is not, the rolling hash finds the
// place at which a block of the base begins again. A wrong match costs a resend and nothing else, since the digest of
// the whole file decides what lands.
package blocks

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"
)

const (
	// MaxBlocks bounds a signature to 2 MiB.
	MaxBlocks = 262_144

	window   = 32 // bytes of a block's beginning that the rolling hash covers, as many as it has bits
	minBlock = 16 << 10
	maxBlock = 1 << 20
	wanted   = 16_384 // blocks of a large file
	perBlock = 8      // bytes in a signature
)

// gear are the numbers that bytes count as in the rolling hash; main makes the same.
var gear = func() (table [256]uint32) {
	state := uint32(0)
	for i := range table {
		state += 0x9e3779b9
		mixed := (state ^ state>>16) * 0x85ebca6b
		mixed = (mixed ^ mixed>>13) * 0xc2b2ae35
		table[i] = mixed ^ mixed>>16
	}
	return table
}()

// ErrTooManyBlocks says that a file is too large to be described.
var ErrTooManyBlocks = errors.New("too large for a signature")

// BytesFor is the length of the blocks of a file of a size.
func BytesFor(size uint64) uint32 {
	length := uint64(minBlock)
	for length < maxBlock && size/length > wanted {
		length *= 2
	}
	return uint32(length)
}

// Sign reads exactly `size` bytes and describes them.
func Sign(reader io.Reader, size uint64, blockBytes uint32) ([]byte, error) {
	count := countOf(size, blockBytes)
	if count > MaxBlocks {
		return nil, ErrTooManyBlocks
	}
	signature := make([]byte, 0, count*perBlock)
	block := make([]byte, blockBytes)
	for left := size; left > 0; {
		part := block[:min(left, uint64(blockBytes))]
		if _, err := io.ReadFull(reader, part); err != nil {
			return nil, err
		}
		signature = binary.LittleEndian.AppendUint32(signature, anchor(part))
		signature = binary.LittleEndian.AppendUint32(signature, crc32.ChecksumIEEE(part))
		left -= uint64(len(part))
	}
	return signature, nil
}

func countOf(size uint64, blockBytes uint32) uint64 {
	count := size / uint64(blockBytes)
	if size%uint64(blockBytes) != 0 {
		count++
	}
	return count
}

func anchor(block []byte) uint32 {
	if len(block) < window {
		return 0
	}
	hash := uint32(0)
	for _, b := range block[:window] {
		hash = hash<<1 + gear[b]
	}
	return hash
}

// Base is a signature made ready for searching.
type Base struct {
	size       uint64
	blockBytes uint32
	checksums  []uint32
	first      map[uint32]int32 // by rolling hash, the first whole block that begins so
	next       []int32          // the next whole block with the same beginning; -1: none
	filter     [1 << 13]byte    // a bit for each upper half of a rolling hash that occurs
}

var errSignature = errors.New("not a signature of a file of this size")

// NewBase checks a signature that another machine made.
func NewBase(size uint64, blockBytes uint32, signature []byte) (*Base, error) {
	if blockBytes < minBlock || blockBytes > maxBlock || bits.OnesCount32(blockBytes) != 1 {
		return nil, errSignature
	}
	count := countOf(size, blockBytes)
	if count > MaxBlocks || uint64(len(signature)) != count*perBlock {
		return nil, errSignature
	}
	b := &Base{
		size: size, blockBytes: blockBytes, checksums: make([]uint32, count), next: make([]int32, count),
		first: make(map[uint32]int32, count),
	}
	for i := range b.checksums {
		b.checksums[i] = binary.LittleEndian.Uint32(signature[i*perBlock+4:])
	}
	// From the end, so that the first of several like blocks is found first.
	for i := int(size/uint64(blockBytes)) - 1; i >= 0; i-- {
		hash := binary.LittleEndian.Uint32(signature[i*perBlock:])
		b.next[i] = -1
		if following, known := b.first[hash]; known {
			b.next[i] = following
			if b.checksums[following] == b.checksums[i] {
				b.next[i] = b.next[following] // the same content: one of them is enough
			}
		}
		b.first[hash] = int32(i)
		b.filter[hash>>19] |= 1 << (hash >> 16 & 7)
	}
	return b, nil
}

// length of a block; only the last one may be shorter than the others.
func (b *Base) length(block int) int {
	return int(min(uint64(b.blockBytes), b.size-uint64(block)*uint64(b.blockBytes)))
}

func (b *Base) mayBegin(hash uint32) bool { return b.filter[hash>>19]&(1<<(hash>>16&7)) != 0 }

// find looks for a whole block with this beginning and checksum.
func (b *Base) find(hash, checksum uint32) (int, bool) {
	block, known := b.first[hash]
	for range maxAlike {
		if !known || block < 0 {
			return 0, false
		}
		if b.checksums[block] == checksum {
			return int(block), true
		}
		block = b.next[block]
	}
	return 0, false
}

// maxAlike bounds how many blocks with the same beginning are compared.
const maxAlike = 64
