package frame

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// BodyLimit is the largest body of a batch in bytes after decompression.
const BodyLimit = 9 << 20 // 8 MiB of contents and their headers

const block = 512

// Decompress returns the gzip stream's content, refusing more than BodyLimit and anything after its end.
func Decompress(body []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if _, err := io.Copy(&content, io.LimitReader(reader, BodyLimit+1)); err != nil {
		return nil, err
	}
	if content.Len() > BodyLimit {
		return nil, errors.New("body larger than its limit after decompression")
	}
	return content.Bytes(), nil
}

// Entry is one file of a body: the index of the operation that it belongs to, and its content within the body.
type Entry struct {
	Index   int
	Content []byte
}

// Entries takes a body (a tar of regular files whose names are increasing decimal indexes) apart without copying.
// Everything else that a tar may hold (links, extended headers, other names) is an error.
func Entries(body []byte) ([]Entry, error) {
	if len(body) > BodyLimit {
		return nil, errors.New("body larger than its limit")
	}
	var entries []Entry
	previous := -1
	for rest := body; ; {
		if len(rest) == 0 {
			return entries, nil
		}
		if len(rest) < block {
			return nil, errors.New("body ends inside a header")
		}
		header := rest[:block]
		if isZero(header) {
			if !isZero(rest) {
				return nil, errors.New("body has content after its end")
			}
			return entries, nil
		}
		index, size, err := parseHeader(header)
		if err != nil {
			return nil, err
		}
		if index <= previous {
			return nil, fmt.Errorf("body has entry %d after %d", index, previous)
		}
		previous = index
		rest = rest[block:]
		padded := (size + block - 1) / block * block
		if padded > len(rest) {
			return nil, fmt.Errorf("body ends inside entry %d", index)
		}
		entries = append(entries, Entry{Index: index, Content: rest[:size:size]})
		rest = rest[padded:]
	}
}

func parseHeader(header []byte) (index int, size int, err error) {
	if err := checkSum(header); err != nil {
		return 0, 0, err
	}
	if kind := header[156]; kind != '0' && kind != 0 {
		return 0, 0, fmt.Errorf("body has an entry of type %q", kind)
	}
	name, err := text(header[:100])
	if err != nil {
		return 0, 0, err
	}
	parsed, err := strconv.ParseUint(name, 10, 31)
	if err != nil || name != strconv.FormatUint(parsed, 10) || header[345] != 0 {
		return 0, 0, fmt.Errorf("body has an entry named %q", name)
	}
	size64, err := octal(header[124:136])
	if err != nil || size64 > BodyLimit {
		return 0, 0, fmt.Errorf("body has an entry with a bad size")
	}
	return int(parsed), int(size64), nil
}

func checkSum(header []byte) error {
	want, err := octal(header[148:156])
	if err != nil {
		return errors.New("body has a bad checksum")
	}
	var sum uint64
	for i, b := range header {
		if i >= 148 && i < 156 {
			b = ' '
		}
		sum += uint64(b)
	}
	if sum != want {
		return errors.New("body has a bad checksum")
	}
	return nil
}

func octal(field []byte) (uint64, error) {
	digits := bytes.Trim(field, " \x00")
	return strconv.ParseUint(string(digits), 8, 63)
}

func text(field []byte) (string, error) {
	end := bytes.IndexByte(field, 0)
	if end < 0 {
		return "", errors.New("body has a name without end")
	}
	return string(field[:end]), nil
}

func isZero(content []byte) bool {
	for _, b := range content {
		if b != 0 {
			return false
		}
	}
	return true
}
