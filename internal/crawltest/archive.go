package crawltest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// ArchiveRecord is a record of a web archive as a reader finds it that shares no code with the
// writer.
type ArchiveRecord struct {
	File   string
	Offset int64
	textproto.MIMEHeader
	Block []byte
}

// ReadArchive reads all records of the archive of the crawl in dir; see ReadArchiveFile.
func ReadArchive(t *testing.T, dir string) (all []ArchiveRecord) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ReadArchiveFile(t, filepath.Base(name), data)...)
	}
	return all
}

// ReadArchiveFile reads all records of a file: each must be a gzip member of its own, with nothing
// behind its block, of the length and the digest that its header says.
func ReadArchiveFile(t *testing.T, name string, data []byte) (all []ArchiveRecord) {
	t.Helper()
	for at := 0; at < len(data); {
		r := ArchiveRecord{File: name, Offset: int64(at)}
		at += r.read(t, data[at:])
		all = append(all, r)
	}
	return all
}

// IsAnswer reports whether the record is of a server's answer.
func (r *ArchiveRecord) IsAnswer() bool {
	return r.Get("WARC-Type") == "response" || r.Get("WARC-Type") == "revisit"
}

func (r *ArchiveRecord) read(t *testing.T, data []byte) (length int) {
	t.Helper()
	in := bytes.NewReader(data)
	z, err := gzip.NewReader(in) // a bytes.Reader is read no further than the member
	if err != nil {
		t.Fatalf("%s at %d: %v", r.File, r.Offset, err)
	}
	z.Multistream(false)
	text := textproto.NewReader(bufio.NewReader(z))
	version, err := text.ReadLine()
	if err == nil && version != "WARC/1.1" {
		err = errors.New(version)
	}
	if err == nil {
		r.MIMEHeader, err = text.ReadMIMEHeader()
	}
	if err == nil {
		r.Block, err = io.ReadAll(text.R)
	}
	if err != nil {
		t.Fatalf("%s at %d: %v", r.File, r.Offset, err)
	}
	block, ended := bytes.CutSuffix(r.Block, []byte("\r\n\r\n"))
	sum := sha1.Sum(block)
	switch {
	case !ended || strconv.Itoa(len(block)) != r.Get("Content-Length"):
		t.Fatalf("%s at %d: a block of %d bytes: %v", r.File, r.Offset, len(r.Block), r.MIMEHeader)
	case r.Get("WARC-Block-Digest") != "sha1:"+base32.StdEncoding.EncodeToString(sum[:]):
		t.Errorf("%s at %d: the block's digest is wrong: %v", r.File, r.Offset, r.MIMEHeader)
	}
	r.Block = block
	return len(data) - in.Len()
}

// HTTP reads the block of a response or a revisit as net/http does.
func (r *ArchiveRecord) HTTP(t *testing.T) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.Block)), nil)
	if err != nil {
		t.Fatalf("%s at %d: %v\n%q", r.File, r.Offset, err, r.Block)
	}
	return res
}

// Entity is the body without its transfer coding, and checks the payload's digest.
func (r *ArchiveRecord) Entity(t *testing.T) []byte {
	t.Helper()
	body, err := io.ReadAll(r.HTTP(t).Body)
	if err != nil {
		t.Fatalf("%s at %d: %v", r.File, r.Offset, err)
	}
	sum := sha1.Sum(body)
	if r.Get("WARC-Payload-Digest") != "sha1:"+base32.StdEncoding.EncodeToString(sum[:]) {
		t.Errorf("%s at %d: the payload's digest is wrong: %v", r.File, r.Offset, r.MIMEHeader)
	}
	return body
}
