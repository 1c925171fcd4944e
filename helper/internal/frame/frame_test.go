package frame

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slipway.dev/helper/internal/gen/helperv1"
)

func TestAMessageComesBackAsItWasWritten(t *testing.T) {
	var buffer bytes.Buffer
	if err := Write(&buffer, &helperv1.Ping{Number: 7}); err != nil {
		t.Fatal(err)
	}
	content, err := Read(&buffer)
	if err != nil || !bytes.Equal(content, []byte{8, 7}) {
		t.Fatalf("%x %v", content, err)
	}
	if _, err := Read(&buffer); !errors.Is(err, io.EOF) {
		t.Fatalf("at the end: %v", err)
	}
}

func TestHostileLengthsAreRefusedBeforeMemoryIsTaken(t *testing.T) {
	for _, length := range []uint32{Limit + 1, 1 << 31, 1<<32 - 1} {
		header := binary.BigEndian.AppendUint32(nil, length)
		if _, err := Read(bytes.NewReader(header)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d: %v", length, err)
		}
	}
	if _, err := Read(bytes.NewReader([]byte{0, 0, 0, 9, 1})); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut message: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{0, 0, 0, 2, 8, 7})
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, input []byte) {
		content, err := Read(bytes.NewReader(input))
		if err == nil && len(content) > len(input)-4 {
			t.Fatal("more than was there")
		}
	})
}

func TestABodyByTarIsTakenApart(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"0": "first", "2": "", "10": strings.Repeat("x", 2000)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	body, err := exec.Command("tar", "--format=ustar", "-C", folder, "-cf", "-", "0", "2", "10").Output()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := Entries(body)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	if entries[0].Index != 0 || string(entries[0].Content) != "first" || entries[2].Index != 10 ||
		len(entries[2].Content) != 2000 || len(entries[1].Content) != 0 {
		t.Fatalf("%+v", entries[:2])
	}
}

func body(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, header := range headers {
		header.Mode = 0o644
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(make([]byte, header.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestBodiesOtherThanOursAreRefused(t *testing.T) {
	whole := body(t, tar.Header{Name: "0", Size: 700})
	damaged := bytes.Clone(whole)
	damaged[0] = '1'
	for name, hostile := range map[string][]byte{
		"a path":            body(t, tar.Header{Name: "../0"}),
		"an absolute path":  body(t, tar.Header{Name: "/0"}),
		"a leading zero":    body(t, tar.Header{Name: "00"}),
		"a minus":           body(t, tar.Header{Name: "-1"}),
		"a link":            body(t, tar.Header{Name: "0", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}),
		"a hard link":       body(t, tar.Header{Name: "0", Typeflag: tar.TypeLink, Linkname: "1"}),
		"a folder":          body(t, tar.Header{Name: "0", Typeflag: tar.TypeDir}),
		"a long name":       body(t, tar.Header{Name: strings.Repeat("1", 200)}),
		"twice":             body(t, tar.Header{Name: "1"}, tar.Header{Name: "1"}),
		"out of order":      body(t, tar.Header{Name: "2"}, tar.Header{Name: "1"}),
		"cut":               whole[:1000],
		"cut in the header": whole[:100],
		"a bad checksum":    damaged,
		"more at the end":   append(bytes.Clone(whole), 1),
	} {
		if _, err := Entries(hostile); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestABombIsStoppedAtItsLimit(t *testing.T) {
	var bomb bytes.Buffer
	writer := gzip.NewWriter(&bomb)
	for range 64 {
		_, _ = writer.Write(make([]byte, 1<<20))
	}
	_ = writer.Close()
	if _, err := Decompress(bomb.Bytes()); err == nil {
		t.Fatal("64 MiB were accepted")
	}
}

func FuzzEntries(f *testing.F) {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	_ = writer.WriteHeader(&tar.Header{Name: "0", Size: 3, Mode: 0o644})
	_, _ = writer.Write([]byte("abc"))
	_ = writer.Close()
	f.Add(buffer.Bytes())
	f.Fuzz(func(t *testing.T, input []byte) {
		entries, err := Entries(input)
		if err != nil {
			return
		}
		// What is accepted, Go's own reader understands alike.
		reader := tar.NewReader(bytes.NewReader(input))
		for _, entry := range entries {
			if _, err := reader.Next(); err != nil {
				return // a header with fields that are nobody's business here
			}
			content, err := io.ReadAll(reader)
			if err == nil && !bytes.Equal(content, entry.Content) {
				t.Fatalf("%d: other content", entry.Index)
			}
		}
	})
}
