// Package root reaches files below one folder and nothing else, whatever names and links lie there.
package root

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

const (
	maxPath = 4000 // bytes; the kernel takes 4095 with the terminating zero
	maxName = 255
)

// ErrPath is the error of a path that is refused before the file system sees it.
var ErrPath = errors.New("path not acceptable")

// CheckPath refuses everything but a relative path of plain names: no empty, '.' or '..' part, no NUL, valid UTF-8.
func CheckPath(p string) error {
	if p == "" || len(p) > maxPath || strings.IndexByte(p, 0) >= 0 || !utf8.ValidString(p) {
		return fmt.Errorf("%w: %q", ErrPath, clip(p))
	}
	for rest := p; ; {
		name, after, more := strings.Cut(rest, "/")
		if name == "" || name == "." || name == ".." || len(name) > maxName {
			return fmt.Errorf("%w: %q", ErrPath, clip(p))
		}
		if !more {
			return nil
		}
		rest = after
	}
}

func clip(p string) string {
	if len(p) > 200 {
		return p[:200] + "…"
	}
	return p
}

// Join appends a name to a path below the root; the root itself is "".
func Join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// Split is the reverse of Join.
func Split(p string) (folder, name string) {
	folder, name = path.Split(p)
	return strings.TrimSuffix(folder, "/"), name
}

const (
	temporaryPrefix = ".slipway-"
	temporarySuffix = ".tmp"
)

// IsTemporary is true for names that the helper itself gives to files on their way into place.
func IsTemporary(name string) bool {
	digits, ok := strings.CutPrefix(name, temporaryPrefix)
	if !ok {
		return false
	}
	digits, ok = strings.CutSuffix(digits, temporarySuffix)
	return ok && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}
