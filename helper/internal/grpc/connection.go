package grpc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/net/http2/hpack"
)

// The part of HTTP/2 (RFC 9113) that a client of a few streams needs. golang.org/x/net/http2 would bring
// net/http and crypto/tls along, which is half of the helper's size.
const (
	preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	framePush         = 5
	framePing         = 6
	frameGoAway       = 7
	frameWindow       = 8
	frameContinuation = 9

	flagAck        = 1
	flagEndStream  = 1
	flagEndHeaders = 4
	flagPadded     = 8
	flagPriority   = 32

	settingHeaderTable   = 1
	settingPush          = 2
	settingInitialWindow = 4
	settingMaxFrame      = 5

	maxFrame     = 16 << 10 // bytes of a frame that we accept, the protocol's default
	maxSend      = 64 << 10 // bytes of a frame that we send, where the other side accepts so much
	maxHeaders   = 64 << 10 // bytes of one header block
	streamWindow = 1 << 20  // bytes that a stream may hold unread
	maxWindow    = 1<<31 - 1
	// Bytes of the connection's window that only the first stream (control) may use: bulk cannot silence it.
	controlReserve = 32 << 10

	codeCancel = 8
)

// errConnection is the error of all calls after the connection ended without another reason.
var errConnection = errors.New("the connection ended")

// Client makes calls over one connection.
type Client struct {
	reader *bufio.Reader

	writing sync.Mutex // around writes of whole frames and the header compressor
	writer  io.Writer
	encoder *hpack.Encoder
	block   bytes.Buffer

	lock          sync.Mutex
	changed       *sync.Cond // anything below changed
	streams       map[uint32]*Stream
	next          uint32
	window        int64 // that we may send on the connection
	initialWindow int64
	frameSize     int
	err           error
	decoder       *hpack.Decoder
}

// NewClient speaks HTTP/2 over a connection, from its first byte.
func NewClient(connection io.ReadWriter) (*Client, error) {
	c := &Client{
		reader: bufio.NewReaderSize(connection, 32<<10), writer: connection, streams: map[uint32]*Stream{}, next: 1,
		window: 65_535, initialWindow: 65_535, frameSize: 16 << 10, decoder: hpack.NewDecoder(4096, nil),
	}
	c.changed = sync.NewCond(&c.lock)
	c.encoder = hpack.NewEncoder(&c.block)
	c.decoder.SetMaxStringLength(maxHeaders)
	settings := appendSetting(nil, settingPush, 0)
	settings = appendSetting(settings, settingInitialWindow, streamWindow)
	opening := append([]byte(preface), frame(frameSettings, 0, 0, settings)...)
	opening = append(opening, frame(frameWindow, 0, 0, binary.BigEndian.AppendUint32(nil, 8*streamWindow))...)
	if _, err := connection.Write(opening); err != nil {
		return nil, err
	}
	go func() { c.end(c.read()) }()
	return c, nil
}

func appendSetting(settings []byte, id uint16, value uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(settings, id), value)
}

func frame(kind, flags byte, stream uint32, content []byte) []byte {
	length := len(content)
	header := make([]byte, 9, 9+length)
	header[0], header[1], header[2], header[3], header[4] = byte(length>>16), byte(length>>8), byte(length), kind, flags
	binary.BigEndian.PutUint32(header[5:], stream)
	return append(header, content...)
}

func (c *Client) write(kind, flags byte, stream uint32, content []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.writer.Write(frame(kind, flags, stream, content))
	return err
}

// end makes every call fail from here on.
func (c *Client) end(err error) {
	if err == nil || errors.Is(err, io.EOF) {
		err = errConnection
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.err == nil {
		c.err = err
	}
	for _, stream := range c.streams {
		stream.fail(c.err)
	}
	c.changed.Broadcast()
}

func (c *Client) read() error {
	var header [9]byte
	for {
		if _, err := io.ReadFull(c.reader, header[:]); err != nil {
			return err
		}
		length := int(header[0])<<16 | int(header[1])<<8 | int(header[2])
		if length > maxFrame {
			return fmt.Errorf("frame of %d bytes", length)
		}
		content := make([]byte, length)
		if _, err := io.ReadFull(c.reader, content); err != nil {
			return err
		}
		kind, flags, id := header[3], header[4], binary.BigEndian.Uint32(header[5:])&maxWindow
		if kind == frameHeaders && flags&flagEndHeaders == 0 {
			more, err := c.continuation(id)
			if err != nil {
				return err
			}
			// A padded block with continuations would have its padding in the middle; nobody sends that.
			if flags&flagPadded != 0 {
				return errors.New("padded header block in parts")
			}
			content = append(content, more...)
		}
		if err := c.take(kind, flags, id, content); err != nil {
			return err
		}
	}
}

func (c *Client) continuation(id uint32) ([]byte, error) {
	var block []byte
	var header [9]byte
	for {
		if _, err := io.ReadFull(c.reader, header[:]); err != nil {
			return nil, err
		}
		length := int(header[0])<<16 | int(header[1])<<8 | int(header[2])
		if header[3] != frameContinuation || binary.BigEndian.Uint32(header[5:])&maxWindow != id ||
			len(block)+length > maxHeaders {
			return nil, errors.New("header block not continued")
		}
		part := make([]byte, length)
		if _, err := io.ReadFull(c.reader, part); err != nil {
			return nil, err
		}
		block = append(block, part...)
		if header[4]&flagEndHeaders != 0 {
			return block, nil
		}
	}
}

func (c *Client) take(kind, flags byte, id uint32, content []byte) error {
	switch kind {
	case frameData:
		return c.takeData(flags, id, content)
	case frameHeaders:
		return c.takeHeaders(flags, id, content)
	case frameSettings:
		if flags&flagAck != 0 {
			return nil
		}
		if err := c.takeSettings(content); err != nil {
			return err
		}
		return c.write(frameSettings, flagAck, 0, nil)
	case framePing:
		if flags&flagAck != 0 {
			return nil
		}
		return c.write(framePing, flagAck, 0, content)
	case frameWindow:
		return c.takeWindow(id, content)
	case frameReset:
		if len(content) != 4 {
			return errors.New("bad reset")
		}
		c.lock.Lock()
		defer c.lock.Unlock()
		if stream, ok := c.streams[id]; ok {
			stream.fail(fmt.Errorf("the app ended the call, code %d", binary.BigEndian.Uint32(content)))
			delete(c.streams, id)
			c.changed.Broadcast()
		}
		return nil
	case frameGoAway:
		return fmt.Errorf("the app is going away")
	case framePush, frameContinuation:
		return fmt.Errorf("unexpected frame of type %d", kind)
	default:
		return nil // priority, and types that are to be ignored
	}
}

func (c *Client) takeSettings(content []byte) error {
	if len(content)%6 != 0 {
		return errors.New("bad settings")
	}
	for ; len(content) > 0; content = content[6:] {
		if err := c.takeSetting(binary.BigEndian.Uint16(content), binary.BigEndian.Uint32(content[2:])); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) takeSetting(id uint16, value uint32) error {
	if id == settingHeaderTable { // the writing lock is never taken within the other
		c.writing.Lock()
		defer c.writing.Unlock()
		c.encoder.SetMaxDynamicTableSizeLimit(min(value, 4096))
		return nil
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	switch id {
	case settingInitialWindow:
		if value > maxWindow {
			return errors.New("window too large")
		}
		for _, stream := range c.streams {
			stream.window += int64(value) - c.initialWindow
		}
		c.initialWindow = int64(value)
	case settingMaxFrame:
		if value < 16<<10 || value >= 1<<24 {
			return errors.New("bad frame size")
		}
		c.frameSize = int(min(value, maxSend))
	}
	c.changed.Broadcast()
	return nil
}

func (c *Client) takeWindow(id uint32, content []byte) error {
	if len(content) != 4 {
		return errors.New("bad window")
	}
	more := int64(binary.BigEndian.Uint32(content) & maxWindow)
	c.lock.Lock()
	defer c.lock.Unlock()
	if id == 0 {
		c.window += more
	} else if stream, ok := c.streams[id]; ok {
		stream.window += more
		if stream.window > maxWindow {
			return errors.New("window too large")
		}
	}
	if c.window > maxWindow {
		return errors.New("window too large")
	}
	c.changed.Broadcast()
	return nil
}

func (c *Client) takeData(flags byte, id uint32, content []byte) error {
	length := len(content)
	content, err := unpad(flags, content)
	if err != nil {
		return err
	}
	c.lock.Lock()
	stream, ok := c.streams[id]
	if ok {
		if len(stream.unread)+length > 2*streamWindow {
			c.lock.Unlock()
			return errors.New("more data than its window")
		}
		stream.unread = append(stream.unread, content...)
		if flags&flagEndStream != 0 {
			stream.finish()
		}
		c.changed.Broadcast()
	}
	c.lock.Unlock()
	if length == 0 {
		return nil
	}
	// The connection's window is given back at once: what a stream may hold unread is bounded by its own.
	return c.write(frameWindow, 0, 0, binary.BigEndian.AppendUint32(nil, uint32(length)))
}

func (c *Client) takeHeaders(flags byte, id uint32, content []byte) error {
	content, err := unpad(flags, content)
	if err != nil {
		return err
	}
	if flags&flagPriority != 0 {
		if len(content) < 5 {
			return errors.New("bad headers")
		}
		content = content[5:]
	}
	fields, err := c.decoder.DecodeFull(content)
	if err != nil {
		return err
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	stream, ok := c.streams[id]
	if !ok {
		return nil
	}
	for _, field := range fields {
		switch field.Name {
		case ":status", "grpc-status", "grpc-message":
			stream.headers[field.Name] = field.Value
		}
	}
	if flags&flagEndStream != 0 {
		stream.finish()
	}
	c.changed.Broadcast()
	return nil
}

func unpad(flags byte, content []byte) ([]byte, error) {
	if flags&flagPadded == 0 {
		return content, nil
	}
	if len(content) == 0 || int(content[0]) >= len(content) {
		return nil, errors.New("bad padding")
	}
	return content[1 : len(content)-int(content[0])], nil
}
