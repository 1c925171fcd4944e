package grpc

import "io"

// Stdio makes a connection of a process's two ends.
type Stdio struct {
	io.Reader
	io.Writer
}
