package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"crawler/parse"
	"crawler/warc"
)

// waczVersion is the version of the format, "Web Archive Collection Zipped".
const waczVersion = "1.1.1"

// ErrNoWACZ says that an archive cannot be packed.
var ErrNoWACZ = errors.New("cannot be packed as WACZ")

// WACZ says what is packed.
type WACZ struct {
	Dir      string
	Title    string    // of the collection
	Software string    // that made it
	Now      time.Time // when
	Temp     string    // the folder for temporary files of the index's size; "" is the system's
}

// Packed is what was packed.
type Packed struct {
	Files, Answers, Pages int
	Readout
}

// Write writes the archive as a WACZ file, a ZIP that stores: the files as they are, up to their
// last whole record, a CDXJ index, the pages, and digests of all. It reads the archive three times,
// once for the index and twice for digests and copy; memory is bounded: some 10 MiB and a
// page. An archive that is damaged is not packed: the Damages say where, and the error wraps
// ErrNoWACZ.
func (z WACZ) Write(w io.Writer) (p Packed, err error) {
	paths, err := Files(z.Dir)
	if err != nil {
		return p, err
	}
	for _, path := range paths {
		if !strings.HasSuffix(path, ".warc.gz") && !strings.HasSuffix(path, ".warc") {
			return p, fmt.Errorf("%s %w: its readers know gzip and no zstd", path, ErrNoWACZ)
		}
	}
	m := &packing{WACZ: z, packed: &p, ends: map[string]int64{}, parser: parse.New(parse.Options{})}
	if m.lines, err = newLineSorter(z.Temp); err != nil {
		return p, err
	}
	defer m.lines.close()
	if m.pages, err = os.CreateTemp(z.Temp, "pages.tmp*"); err != nil {
		return p, err
	}
	defer func() { m.pages.Close(); os.Remove(m.pages.Name()) }()
	if err := m.read(); err != nil {
		return p, err
	}
	if p.N > 0 {
		return p, fmt.Errorf("%s %w: it is damaged", z.Dir, ErrNoWACZ)
	}
	return p, m.write(paths, w)
}

// packing is a WACZ file in the making.
type packing struct {
	WACZ
	packed *Packed
	lines  *lineSorter
	pages  *os.File
	ends   map[string]int64 // of each file's last whole record
	parser *parse.Parser
	page   parse.Page

	mainURL, mainDate string
	zip               *zip.Writer
	resources         []resource
}

// resource is a file in datapackage.json.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// read makes the index and the list of pages.
func (m *packing) read() error {
	head := map[string]string{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
	if err := m.pageLine(head); err != nil {
		return err
	}
	return scan(m.Dir, URLsFile, nil, &m.packed.Readout, m.record)
}

func (m *packing) record(path string, r *warc.Reader, f *warc.Found) error {
	file := filepath.Base(path)
	if !isAnswer(f) {
		n, err := r.Finish()
		m.ends[file] = max(m.ends[file], f.Offset+n)
		return err
	}
	e, digest := m.describe(path, f)
	n, err := r.Finish()
	if err != nil {
		return err
	}
	m.ends[file] = max(m.ends[file], f.Offset+n)
	line := cdxjLine(&e, digest, file, n)
	if line == "" {
		return nil
	}
	m.packed.Answers++
	if isPage(&e) {
		if err := m.listPage(&e); err != nil {
			return err
		}
	}
	return m.lines.add(line)
}

// describe reads an answer, and of a page the title.
func (m *packing) describe(path string, f *warc.Found) (e Entry, digest string) {
	e, msg := describe(path, f)
	m.page.Reset()
	if msg != nil && isPage(&e) {
		body, _ := io.ReadAll(io.LimitReader(msg.Body, maxPage))
		m.parser.Parse(parse.Input{ContentType: msg.Header.Get("Content-Type"), Body: body}, &m.page)
	}
	return e, f.Get(warc.FieldPayloadDigest)
}

func isPage(e *Entry) bool {
	return e.Status/100 == 2 && (e.Media == "text/html" || e.Media == "application/xhtml+xml") && e.Type != warc.Resource
}

// listPage adds a line to pages.jsonl.
func (m *packing) listPage(e *Entry) error {
	m.packed.Pages++
	date := e.Date
	if at, err := time.Parse(time.RFC3339Nano, date); err == nil {
		date = at.UTC().Format("2006-01-02T15:04:05Z")
	}
	if m.mainURL == "" {
		m.mainURL, m.mainDate = e.URL, date
	}
	sum := sha256.Sum256([]byte(e.URL + " " + e.Date))
	return m.pageLine(map[string]string{"id": hex.EncodeToString(sum[:8]), "url": e.URL, "ts": date, "title": m.page.Title})
}

func (m *packing) pageLine(v map[string]string) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = m.pages.Write(append(line, '\n'))
	}
	return err
}

// write writes the ZIP.
func (m *packing) write(paths []string, w io.Writer) error {
	m.zip = zip.NewWriter(w)
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		m.packed.Files++
		if err := errors.Join(m.add("archive/"+name, io.NewSectionReader(f, 0, m.ends[name])), f.Close()); err != nil {
			return err
		}
	}
	index, err := os.CreateTemp(m.Temp, "index.tmp*")
	if err != nil {
		return err
	}
	defer func() { index.Close(); os.Remove(index.Name()) }()
	if err := m.lines.write(index); err != nil {
		return err
	}
	for _, x := range []struct {
		name string
		file *os.File
	}{{"indexes/index.cdx", index}, {"pages/pages.jsonl", m.pages}} {
		info, err := x.file.Stat()
		if err == nil {
			err = m.add(x.name, io.NewSectionReader(x.file, 0, info.Size()))
		}
		if err != nil {
			return err
		}
	}
	if err := m.describeAll(); err != nil {
		return err
	}
	return m.zip.Close()
}

// describeAll writes datapackage.json and its digest.
func (m *packing) describeAll() error {
	data, err := json.MarshalIndent(struct {
		Profile   string     `json:"profile"`
		Version   string     `json:"wacz_version"`
		Title     string     `json:"title"`
		Software  string     `json:"software"`
		Created   string     `json:"created"`
		MainURL   string     `json:"mainPageUrl,omitempty"`
		MainDate  string     `json:"mainPageDate,omitempty"`
		Resources []resource `json:"resources"`
	}{"data-package", waczVersion, m.Title, m.Software, m.Now.UTC().Format(time.RFC3339), m.mainURL, m.mainDate, m.resources}, "", "  ")
	if err != nil {
		return err
	}
	if err := m.add("datapackage.json", bytes.NewReader(data)); err != nil {
		return err
	}
	last := m.resources[len(m.resources)-1]
	digest, err := json.Marshal(map[string]string{"path": last.Path, "hash": last.Hash})
	if err != nil {
		return err
	}
	return m.add("datapackage-digest.json", bytes.NewReader(digest))
}

// add stores a file. It is read twice: a ZIP's readers want its checksum and length before it.
func (m *packing) add(name string, r io.ReadSeeker) error {
	sum, crc := sha256.New(), crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(sum, crc), r)
	if err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	head := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc.Sum32(), CompressedSize64: uint64(n), UncompressedSize64: uint64(n)}
	//lint:ignore SA1019 CreateRaw takes the header as it is: only this sets its fields of MS-DOS
	head.SetModTime(m.Now)
	w, err := m.zip.CreateRaw(head)
	if err != nil {
		return err
	}
	switch k, err := io.Copy(w, r); {
	case err != nil:
		return err
	case k != n:
		return fmt.Errorf("%s: %d bytes were copied, %d are there", name, k, n)
	}
	m.resources = append(m.resources, resource{filepath.Base(name), name, "sha256:" + hex.EncodeToString(sum.Sum(nil)), n})
	return nil
}
