// Package grpc is the little of gRPC that the helper speaks as a client: streams of uncompressed messages
// over one connection that exists already.
package grpc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/proto"
)

// Limit is the largest message in bytes that is sent or accepted.
const Limit = 4 << 20

// Status is the way a call ended when it did not end well.
type Status struct {
	Code    int
	Message string
}

func (s *Status) Error() string {
	return fmt.Sprintf("call ended with status %d: %s", s.Code, s.Message)
}

// Stream is one call. One goroutine may send while another receives.
type Stream struct {
	client  *Client
	id      uint32
	stop    func() bool
	headers map[string]string
	// Guarded by the client's lock.
	window   int64 // that we may send
	unread   []byte
	read     int // bytes taken since the window was last given back
	finished bool
	err      error
}

// Start begins a call of a method such as "/package.Service/Method". It ends with the context.
func (c *Client) Start(ctx context.Context, method string) *Stream {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.lock.Lock()
	stream := &Stream{client: c, id: c.next, headers: map[string]string{}, window: c.initialWindow, err: c.err}
	c.next += 2
	if c.err == nil {
		c.streams[stream.id] = stream
	}
	c.lock.Unlock()
	c.block.Reset()
	for _, field := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", method}, {":authority", "app"},
		{"content-type", "application/grpc"}, {"te", "trailers"},
	} {
		_ = c.encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // to memory, cannot fail
	}
	if _, err := c.writer.Write(frame(frameHeaders, flagEndHeaders, stream.id, c.block.Bytes())); err != nil {
		stream.failLocked(err)
	}
	stream.stop = context.AfterFunc(ctx, func() { stream.failLocked(context.Cause(ctx)) })
	return stream
}

func (s *Stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *Stream) failLocked(err error) {
	s.client.lock.Lock()
	defer s.client.lock.Unlock()
	s.fail(err)
	s.client.changed.Broadcast()
}

func (s *Stream) finish() {
	s.finished = true
	delete(s.client.streams, s.id)
}

// Send blocks while the other side takes nothing.
func (s *Stream) Send(message proto.Message) error {
	size := proto.Size(message)
	if size > Limit {
		return fmt.Errorf("message of %d bytes is larger than %d", size, Limit)
	}
	buffer := make([]byte, 5, 5+size)
	binary.BigEndian.PutUint32(buffer[1:], uint32(size))
	buffer, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(buffer, message)
	if err != nil {
		return err
	}
	for len(buffer) > 0 {
		length, err := s.reserve(len(buffer))
		if err != nil {
			return err
		}
		if err := s.client.write(frameData, 0, s.id, buffer[:length]); err != nil {
			return err
		}
		buffer = buffer[length:]
	}
	return nil
}

// reserve waits until something may be sent and takes it off the windows.
func (s *Stream) reserve(wanted int) (int, error) {
	c := s.client
	c.lock.Lock()
	defer c.lock.Unlock()
	for {
		if s.err != nil {
			return 0, s.err
		}
		if s.finished {
			return 0, s.status()
		}
		available := min(s.window, c.window)
		if s.id != 1 {
			available = min(available, c.window-controlReserve)
		}
		if available > 0 {
			length := min(int64(wanted), available, int64(c.frameSize))
			s.window -= length
			c.window -= length
			return int(length), nil
		}
		c.changed.Wait()
	}
}

// CloseSend says that nothing more is sent.
func (s *Stream) CloseSend() error { return s.client.write(frameData, flagEndStream, s.id, nil) }

// Receive reads the next message; io.EOF after a call that ended well.
func (s *Stream) Receive(message proto.Message) error {
	header, err := s.take(5)
	if err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if header[0] != 0 || size > Limit {
		return fmt.Errorf("message of %d bytes, compression %d", size, header[0])
	}
	content, err := s.take(int(size))
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return proto.Unmarshal(content, message)
}

// take returns the next bytes, giving the window back while they arrive.
func (s *Stream) take(count int) ([]byte, error) {
	c := s.client
	taken := make([]byte, 0, count)
	for {
		c.lock.Lock()
		for len(s.unread) == 0 && len(taken) < count && s.err == nil && !s.finished {
			c.changed.Wait()
		}
		part := min(count-len(taken), len(s.unread))
		taken = append(taken, s.unread[:part]...)
		s.unread = s.unread[part:]
		s.read += part
		var giveBack int
		if s.read >= streamWindow/4 {
			giveBack, s.read = s.read, 0
		}
		finished, err := s.finished, s.err
		c.lock.Unlock()
		if giveBack > 0 && !finished && err == nil {
			if err := c.write(frameWindow, 0, s.id, binary.BigEndian.AppendUint32(nil, uint32(giveBack))); err != nil {
				return nil, err
			}
		}
		switch {
		case len(taken) == count:
			return taken, nil
		case part > 0:
		case len(taken) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		default:
			return nil, s.status()
		}
	}
}

// status is how a finished call ended.
func (s *Stream) status() error {
	if status := s.headers[":status"]; status != "200" {
		return fmt.Errorf("answered with HTTP status %q", status)
	}
	code, err := strconv.Atoi(s.headers["grpc-status"])
	if err != nil {
		return errors.New("the call ended without a status")
	}
	if code == 0 {
		return io.EOF
	}
	message, err := url.PathUnescape(s.headers["grpc-message"])
	if err != nil {
		message = s.headers["grpc-message"]
	}
	return &Status{code, message}
}

// Cancel ends the call at once; a call that has ended is left alone.
func (s *Stream) Cancel() {
	c := s.client
	if s.stop != nil {
		s.stop()
	}
	c.lock.Lock()
	_, open := c.streams[s.id]
	delete(c.streams, s.id)
	s.fail(context.Canceled)
	c.changed.Broadcast()
	c.lock.Unlock()
	if open {
		_ = c.write(frameReset, 0, s.id, binary.BigEndian.AppendUint32(nil, codeCancel))
	}
}
