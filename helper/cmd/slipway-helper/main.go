// Command slipway-helper is what the app starts in a container: it applies what the app sends and tells what
// changes. Standard output carries the protocol only; diagnostics go to standard error.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
	"slipway.dev/helper/internal/downstream"
	"slipway.dev/helper/internal/grpc"
	"slipway.dev/helper/internal/restart"
	"slipway.dev/helper/internal/upstream"
)

// build is set when linking: the hash of the sources.
var build = "unknown"

const usage = "usage: slipway-helper version | sync upstream | sync downstream | remove | run | start | restart | exec"

func main() {
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(48 << 20)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "slipway-helper:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	folder := filepath.Dir(executable)
	if code, known := restart.Run(folder, arguments); known {
		os.Exit(code)
	}
	switch strings.Join(arguments, " ") {
	case "version":
		_, err := fmt.Printf("slipway-helper build=%s protocol=%d\n", build, downstream.Protocol)
		return err
	case "sync upstream":
		process := &upstream.Process{Folder: folder, Build: build, Input: os.Stdin, Output: os.Stdout}
		return process.Run()
	case "sync downstream":
		process := &downstream.Process{Folder: folder, Build: build, Connection: grpc.Stdio{Reader: os.Stdin, Writer: os.Stdout}}
		return process.Run()
	case "remove":
		return remove(folder)
	default:
		return fmt.Errorf("%s", usage)
	}
}

// remove deletes the helper's folder, itself included, and says how much of what was replaced went with it.
// Only a folder that bears the helper's name is removed.
func remove(folder string) error {
	if !strings.HasPrefix(filepath.Base(folder), ".slipway-") {
		return fmt.Errorf("%s is not a folder of the helper's", folder)
	}
	var files, bytes int64
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.HasPrefix(filepath.Base(filepath.Dir(path)), "trash-") &&
			entry.Name() != "log" {
			if info, err := entry.Info(); err == nil {
				files++
				bytes += info.Size()
			}
		}
		return nil
	})
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	_, err := fmt.Printf("removed trash-files=%d trash-bytes=%d\n", files, bytes)
	_ = unix.Fsync(1)
	return err
}
