package grpc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	pb "slipway.dev/helper/internal/gen/helperv1"
)

// serve connects a client to Go's own HTTP/2 server.
func serve(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: protocols}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	client, err := NewClient(connection)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func message(content []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(content))), content...)
}

func TestACallSendsAndReceivesUntilItsGoodEnd(t *testing.T) {
	client := serve(t, func(writer http.ResponseWriter, request *http.Request) {
		writer.Header().Set("Trailer", "Grpc-Status")
		_ = http.NewResponseController(writer).EnableFullDuplex()
		received, _ := io.ReadAll(request.Body)
		if request.URL.Path != "/p.S/M" || request.Header.Get("Content-Type") != "application/grpc" {
			t.Error(request.URL, request.Header)
		}
		_, _ = writer.Write(received)
		writer.Header().Set("Grpc-Status", "0")
	})
	stream := client.Start(context.Background(), "/p.S/M")
	large := &pb.SendContentRequest{Path: "p", Data: make([]byte, 3<<20)} // more than every window
	for range 2 {
		if err := stream.Send(large); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := &pb.SendContentRequest{}
		if err := stream.Receive(got); err != nil || len(got.Data) != 3<<20 {
			t.Fatal(len(got.Data), err)
		}
	}
	if err := stream.Receive(&pb.SendContentRequest{}); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

func TestABadEndIsAStatus(t *testing.T) {
	client := serve(t, func(writer http.ResponseWriter, request *http.Request) {
		switch request.URL.Path {
		case "/status":
			writer.Header().Set("Grpc-Status", "8")
			writer.Header().Set("Grpc-Message", "too%20much")
		case "/http":
			writer.WriteHeader(http.StatusTeapot)
		case "/huge":
			_, _ = writer.Write(append([]byte{0}, 0xff, 0xff, 0xff, 0xff))
		case "/compressed":
			_, _ = writer.Write(append([]byte{1}, 0, 0, 0, 0))
		case "/cut":
			_, _ = writer.Write(message(make([]byte, 9))[:7])
		}
	})
	for path, want := range map[string]string{
		"/status": "too much", "/http": "418", "/huge": "4294967295", "/compressed": "compression 1", "/cut": "unexpected EOF",
		"/none": "without a status",
	} {
		err := client.Start(context.Background(), path).Receive(&pb.Ping{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestCallsEndWithTheirContextAndWithTheConnection(t *testing.T) {
	held := make(chan struct{})
	client := serve(t, func(_ http.ResponseWriter, request *http.Request) {
		select {
		case <-held:
		case <-request.Context().Done():
		}
	})
	defer close(held)
	ctx, cancel := context.WithCancelCause(context.Background())
	stream := client.Start(ctx, "/x")
	reason := errors.New("enough")
	cancel(reason)
	if err := stream.Receive(&pb.Ping{}); !errors.Is(err, reason) {
		t.Fatal(err)
	}
	other := client.Start(context.Background(), "/y")
	client.end(nil)
	if err := other.Receive(&pb.Ping{}); !errors.Is(err, errConnection) {
		t.Fatal(err)
	}
	if err := client.Start(context.Background(), "/z").Send(&pb.Ping{}); !errors.Is(err, errConnection) {
		t.Fatal(err)
	}
}

// pipe is a connection whose other end says what it is given.
type pipe struct {
	io.Reader
	io.Writer
}

func FuzzConnection(f *testing.F) {
	f.Add(frame(frameSettings, 0, 0, appendSetting(nil, settingInitialWindow, 5)))
	f.Add(frame(frameHeaders, flagEndHeaders|flagEndStream, 1, []byte{0x88}))
	f.Add(frame(frameData, flagPadded, 1, []byte{200, 1}))
	f.Fuzz(func(t *testing.T, input []byte) {
		client, err := NewClient(pipe{strings.NewReader(string(input)), io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		stream := client.Start(context.Background(), "/x")
		if err := stream.Receive(&pb.Ping{}); err == nil {
			return
		}
		stream.Cancel()
	})
}
