package archive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"crawler/warc"
)

// Entry is an answer that an archive has.
type Entry struct {
	Date   string `json:"date"`
	Type   string `json:"type"` // of the record: response, revisit, resource
	Status int    `json:"status,omitempty"`
	Media  string `json:"media_type,omitempty"`
	Size   int64  `json:"bytes"` // of the record's block
	URL    string `json:"url"`
	Of     string `json:"same_as,omitempty"` // the URL of the record that a revisit refers to
	Cut    string `json:"truncated,omitempty"`
	File   string `json:"file"`
	Offset int64  `json:"offset"`
}

// List gives fn each answer that the archives have, in their order.
func List(dirs []string, fn func(e Entry) error) (out Readout, err error) {
	for _, dir := range dirs {
		err := scan(dir, URLsFile, nil, &out, func(path string, _ *warc.Reader, f *warc.Found) error {
			if !isAnswer(f) {
				return nil
			}
			return fn(entryOf(path, f))
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// entryOf describes an answer, of which it reads the header.
func entryOf(path string, f *warc.Found) Entry {
	e, _ := describe(path, f)
	return e
}

// describe is entryOf with the answer itself, nil if it is not one of HTTP.
func describe(path string, f *warc.Found) (e Entry, m *Message) {
	e = Entry{Date: f.Get(warc.FieldDate), Type: f.Get(warc.FieldType), Size: f.Size, URL: f.TargetURI(), Cut: f.Get(warc.FieldTruncated), File: path, Offset: f.Offset}
	if e.Type == warc.Revisit {
		e.Of = strings.Trim(f.Get(warc.FieldRefersToURI), "<>")
	}
	media := f.Get(warc.FieldContentType)
	if msg, err := open(f); err == nil {
		m = msg
		e.Status, media = m.Status, m.Header.Get("Content-Type")
	}
	media, _, _ = strings.Cut(media, ";")
	e.Media = strings.ToLower(strings.TrimSpace(media))
	return e, m
}

// Verified is what Verify has read.
type Verified struct {
	Files   int
	Records int
	Bytes   int64 // of the files
	Digests int   // that were compared
	Skipped int   // payloads that were too large to be compared
	Readout
}

// maxPayload is how large a block may be whose payload is compared with its digest: a part of it
// is kept in memory.
const maxPayload = 64 << 20

// Verify reads the archive in dir whole: each record must be as the standard says, and its digests
// those of its bytes; the filters must be sound. What is not is among the Damages. An archive that
// ends in half a record, as that of a crawl that runs or was killed may, is torn and not damaged.
func Verify(dir string) (v Verified, err error) {
	err = scan(dir, URLsFile, nil, &v.Readout, func(path string, r *warc.Reader, f *warc.Found) error {
		v.Records++
		return v.record(r, path, f)
	})
	if err != nil {
		return v, err
	}
	v.Bytes = v.Readout.Cost.Bytes
	paths, err := Files(dir)
	if err != nil {
		return v, err
	}
	v.Files = len(paths)
	for _, side := range []string{URLsFile, WordsFile} {
		if err := v.sidecar(dir, side, paths); err != nil {
			return v, err
		}
	}
	return v, nil
}

// record compares the digests of a record.
func (v *Verified) record(r *warc.Reader, path string, f *warc.Found) error {
	wrong := func(field string) {
		v.add(&warc.Damage{File: path, Offset: f.Offset, Err: fmt.Errorf("its %s is not that of its bytes", field)})
	}
	var block []byte
	sum, err := warc.BlockDigest(f, func(part []byte) {
		if f.Size <= maxPayload {
			block = append(block, part...)
		}
	})
	if err != nil {
		_, err = r.Finish()
		return err
	}
	if _, err := r.Finish(); err != nil {
		return err
	}
	if want := f.Get(warc.FieldBlockDigest); strings.HasPrefix(want, "sha1:") {
		if v.Digests++; want != sum.String() {
			wrong(warc.FieldBlockDigest)
		}
	}
	want := f.Get(warc.FieldPayloadDigest)
	switch {
	case !strings.HasPrefix(want, "sha1:") || f.Get(warc.FieldType) != warc.Response:
	case f.Size > maxPayload:
		v.Skipped++
	default:
		payload, _ := warc.Payload(block, nil)
		if v.Digests++; want != warc.DigestOf(payload).String() {
			wrong(warc.FieldPayloadDigest)
		}
	}
	return nil
}

// sidecar looks at the entries of a sidecar. One may cover what was never written behind the end of
// the last file, as when the disk was full.
func (v *Verified) sidecar(dir, name string, paths []string) error {
	plan, err := ask(dir, name, []uint64{})
	if err != nil {
		return err
	}
	if plan.Damaged > 0 {
		v.add(fmt.Errorf("%s/%s/%s is damaged: %d of its lines are no filters; what they covered is read whole", dir, Folder, name, plan.Damaged))
	}
	sizes, last := map[string]int64{}, ""
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		file := filepath.Base(path)
		if sizes[file] = info.Size(); !IsNear(file) {
			last = file
		}
	}
	for _, file := range plan.Files() {
		size, found := sizes[file]
		switch covered := plan.Covered(file); {
		case !found:
			v.add(fmt.Errorf("%s is missing: %s covers %d bytes of it", file, name, covered))
		case covered > size && file == last:
			v.Torn = max(v.Torn, 1)
		case covered > size:
			v.add(fmt.Errorf("%s is damaged: it has %d bytes, and %s covers %d", file, size, name, covered))
		}
	}
	return nil
}
