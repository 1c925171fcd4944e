package blocks

import (
	"errors"
	"hash/crc32"
	"io"
)

const (
	readBytes = 128 << 10
	// Copies that follow each other in the base are one, up to this length.
	maxCopy = 8 << 20
	// Bytes of candidates that turned out to be something else, at least; after more (or the file's own size) nothing
	// is searched for any more, so that no content makes the search cost more than a few passes.
	missesAtLeast = 64 << 20
)

// Sink takes the parts of a file in order. Data is valid only during the call.
type Sink struct {
	Copy func(from, length uint64) error
	Data func(data []byte) error
}

// Match reads `size` bytes and tells them as copies from the base and data. What it holds in memory is bounded by two
// blocks and a bit.
func Match(reader io.Reader, size uint64, base *Base, sink Sink) error {
	m := matcher{
		base: base, sink: sink, budget: max(missesAtLeast, size),
		buffer: make([]byte, 2*int(base.blockBytes)+2*readBytes),
	}
	for left := size; left > 0; {
		if err := m.makeRoom(); err != nil {
			return err
		}
		length, err := io.ReadFull(reader, m.buffer[m.end:m.end+int(min(readBytes, left))])
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		m.end += length
		left -= uint64(length)
		if err := m.step(left == 0); err != nil {
			return err
		}
	}
	if err := m.flushData(); err != nil {
		return err
	}
	return m.flushCopy()
}

// matcher goes through `buffer`: [data, start) is known to be in no block, [start, end) is to be looked at.
type matcher struct {
	base   *Base
	sink   Sink
	buffer []byte
	data   int
	start  int
	end    int
	// The block that should come next, while the two versions run alongside; otherwise it is searched for.
	expected  int
	searching bool
	budget    uint64

	copyFrom, copyLength uint64
}

// step looks at what was read as far as that is enough to decide.
func (m *matcher) step(whole bool) error {
	for m.start < m.end {
		var enough bool
		var err error
		if !m.searching {
			enough, err = m.follow(whole)
		} else {
			enough, err = m.search(whole)
		}
		if err != nil {
			return err
		}
		if !enough {
			return nil
		}
	}
	return nil
}

// follow takes the block that comes next in the base, or steps over one that was changed without a shift.
func (m *matcher) follow(whole bool) (bool, error) {
	base, available := m.base, m.end-m.start
	if m.expected >= len(base.checksums) {
		m.searching = true
		return true, nil
	}
	length := base.length(m.expected)
	if available < length && !whole {
		return false, nil
	}
	if available >= length && m.is(m.expected, m.start) {
		return true, m.take(m.expected)
	}
	if following := m.expected + 1; following < len(base.checksums) {
		reach := int(base.blockBytes) + base.length(following)
		if available < reach && !whole {
			return false, nil
		}
		if available >= reach && m.is(following, m.start+int(base.blockBytes)) {
			m.start += int(base.blockBytes)
			m.expected = following
			return true, nil
		}
	}
	m.searching = true
	return true, nil
}

func (m *matcher) is(block, at int) bool {
	return crc32.ChecksumIEEE(m.buffer[at:at+m.base.length(block)]) == m.base.checksums[block]
}

// search rolls on to the next place at which a whole block of the base begins.
func (m *matcher) search(whole bool) (bool, error) {
	length := int(m.base.blockBytes)
	last := m.end - length // where a whole block can begin
	if last < m.start || m.budget == 0 {
		if whole || m.budget == 0 {
			m.start = m.end
		}
		return false, nil
	}
	hash := uint32(0)
	for _, b := range m.buffer[m.start : m.start+window-1] {
		hash = hash<<1 + gear[b]
	}
	for at := m.start; at <= last; at++ {
		hash = hash<<1 + gear[m.buffer[at+window-1]]
		if !m.base.mayBegin(hash) {
			continue
		}
		if _, known := m.base.first[hash]; !known {
			continue
		}
		if block, found := m.base.find(hash, crc32.ChecksumIEEE(m.buffer[at:at+length])); found {
			m.start = at
			m.searching = false
			return true, m.take(block)
		}
		m.budget -= min(m.budget, uint64(length))
		if m.budget == 0 {
			break
		}
	}
	m.start = last + 1
	return true, nil
}

// take says that a block comes at the start.
func (m *matcher) take(block int) error {
	if err := m.flushData(); err != nil {
		return err
	}
	from, length := uint64(block)*uint64(m.base.blockBytes), uint64(m.base.length(block))
	if m.copyFrom+m.copyLength != from || m.copyLength+length > maxCopy {
		if err := m.flushCopy(); err != nil {
			return err
		}
		m.copyFrom = from
	}
	m.copyLength += length
	m.start += int(length)
	m.data = m.start
	m.expected = block + 1
	return nil
}

func (m *matcher) flushCopy() error {
	if m.copyLength == 0 {
		return nil
	}
	length := m.copyLength
	m.copyLength = 0
	return m.sink.Copy(m.copyFrom, length)
}

func (m *matcher) flushData() error {
	if m.data == m.start {
		return nil
	}
	if err := m.flushCopy(); err != nil {
		return err
	}
	data := m.buffer[m.data:m.start]
	m.data = m.start
	return m.sink.Data(data)
}

// makeRoom hands on what is known and moves the rest to the front.
func (m *matcher) makeRoom() error {
	if err := m.flushData(); err != nil {
		return err
	}
	if m.end+readBytes <= len(m.buffer) {
		return nil
	}
	m.end = copy(m.buffer, m.buffer[m.start:m.end])
	m.data, m.start = 0, 0
	return nil
}
