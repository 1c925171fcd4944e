// Package frame reads and writes messages on a byte stream: a 4-byte big-endian length, then that many bytes.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"
)

// Limit is the largest message in bytes that either side accepts.
const Limit = 16 << 20

// ErrTooLarge says that the other side announced or tried a message above Limit.
var ErrTooLarge = errors.New("frame larger than 16 MiB")

// Read returns the next message's bytes. io.EOF only where a message could have begun;
// a stream that ends inside a message is io.ErrUnexpectedEOF.
func Read(reader io.Reader) ([]byte, error) {
	var header [4]byte
	if _, err := io.ReadFull(reader, header[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(header[:])
	if length > Limit {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, length)
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(reader, content); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return content, nil
}

// Write sends one message with a single write, so that concurrent writers need nothing but a lock around it.
func Write(writer io.Writer, message proto.Message) error {
	size := proto.Size(message)
	if size > Limit {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	buffer := make([]byte, 4, 4+size)
	binary.BigEndian.PutUint32(buffer, uint32(size))
	buffer, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(buffer, message)
	if err != nil {
		return err
	}
	_, err = writer.Write(buffer)
	return err
}
