package archive

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"crawler/chunk"
	"crawler/warc"
	"crawler/weburl"
)

// ErrNone says that an archive has no record of a URL.
var ErrNone = errors.New("has no record of it")

// Place is where a record is.
type Place struct {
	Path   string // of the file
	Offset int64
	Header warc.Header
	status int
}

// Find returns the place of the answer that the archives in the directories have of a canonical
// URL: of several the latest one that succeeded, or the latest. It reads the chunks whose filters
// do not deny the URL, and what no filter covers. The error wraps ErrNone if there is none.
func Find(dirs []string, url string) (*Place, Readout, error) {
	return find(dirs, url, func(a, b *Place) bool {
		if okA, okB := a.status/100 == 2, b.status/100 == 2; okA != okB {
			return okA
		}
		return a.Header.Get(warc.FieldDate) >= b.Header.Get(warc.FieldDate)
	})
}

// find returns the record of a URL that no other is better than.
func find(dirs []string, url string, better func(a, b *Place) bool) (best *Place, out Readout, err error) {
	keys := []uint64{chunk.OfURL(url)}
	for _, dir := range dirs {
		err := scan(dir, URLsFile, keys, &out, func(path string, _ *warc.Reader, f *warc.Found) error {
			if !isAnswer(f) || f.TargetURI() != url && canonical(f.TargetURI()) != url {
				return nil
			}
			p := &Place{Path: path, Offset: f.Offset, Header: f.Header}
			if m, err := open(f); err == nil {
				p.status = m.Status
			}
			if best == nil || better(p, best) {
				best = p
			}
			return nil
		})
		if err != nil {
			return nil, out, err
		}
	}
	if best == nil {
		return nil, out, fmt.Errorf("%s: the archive %w", url, ErrNone)
	}
	return best, out, nil
}

// canonical returns a URL as it is asked for, whatever spelling the archives of others have of it;
// what is no URL of http stays as it is.
func canonical(url string) string {
	u, err := weburl.Parse(url)
	if err != nil {
		return url
	}
	return u.String()
}

// isAnswer reports whether a record is what a URL answered.
func isAnswer(f *warc.Found) bool {
	switch f.Get(warc.FieldType) {
	case warc.Response, warc.Revisit, warc.Resource:
		return true
	}
	return false
}

// Record gives fn the record at a place.
func (p *Place) Record(fn func(f *warc.Found) error) error {
	file, err := os.Open(p.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	r := warc.NewReader(file, p.Path, p.Offset, info.Size(), info.Size(), warc.Limits{})
	f, err := r.Next()
	if err != nil {
		return err
	}
	return fn(f)
}

// maxRevisits is how many records may refer to one another.
const maxRevisits = 4

// Answer gives fn the answer at a place, decoded. The body of a revisit is read from the record it
// refers to, which is looked for in the directories; status and header are its own.
func Answer(dirs []string, p *Place, fn func(p *Place, m *Message) error) (out Readout, err error) {
	body := p
	for range maxRevisits {
		if body.Header.Get(warc.FieldType) != warc.Revisit {
			return out, body.Record(func(f *warc.Found) error {
				if f.Get(warc.FieldType) == warc.Resource {
					return fn(p, &Message{Status: 200, Reason: "200 OK", Header: map[string][]string{"Content-Type": {f.Get(warc.FieldContentType)}}, Body: f})
				}
				m, err := received(f)
				if err == nil {
					m = p.revisited(m)
					err = m.decode()
				}
				if err != nil {
					return fmt.Errorf("%s, the record at byte %d: %w", body.Path, body.Offset, err)
				}
				return fn(p, m)
			})
		}
		next, read, err := referred(dirs, body)
		if out.Add(read.Cost); err != nil {
			return out, err
		}
		body = next
	}
	return out, fmt.Errorf("%s, the record at byte %d: it refers to a record that refers to another one, and so on", p.Path, p.Offset)
}

// revisited returns the answer at a place whose payload is that of m: equal payloads may have been
// answered with another status, target of a redirect, type or content coding. A revisit that has
// no header of its own, or that of a 304, stands for all of m.
func (p *Place) revisited(m *Message) *Message {
	if p.Header.Get(warc.FieldType) != warc.Revisit {
		return m
	}
	var own *Message
	err := p.Record(func(f *warc.Found) (err error) {
		own, err = received(f)
		return err
	})
	if err != nil || own.Status == http.StatusNotModified {
		return m
	}
	own.Body, own.Cut = m.Body, m.Cut
	return own
}

// referred finds the record that a revisit refers to: by its URL and, of several, by its date or
// payload.
func referred(dirs []string, p *Place) (*Place, Readout, error) {
	url, date := strings.Trim(p.Header.Get(warc.FieldRefersToURI), "<>"), p.Header.Get(warc.FieldRefersToDate)
	if url == "" {
		url = p.Header.TargetURI()
	}
	digest := p.Header.Get(warc.FieldPayloadDigest)
	rank := func(x *Place) (n int) {
		if x.Header.Get(warc.FieldType) == warc.Revisit {
			return -1
		}
		if date != "" && x.Header.Get(warc.FieldDate) == date {
			n += 2
		}
		if digest != "" && x.Header.Get(warc.FieldPayloadDigest) == digest {
			n++
		}
		return n
	}
	found, out, err := find(dirs, canonical(url), func(a, b *Place) bool { return rank(a) > rank(b) })
	if err == nil && rank(found) < 1 {
		err = fmt.Errorf("%s, the record at byte %d refers to one of %s that %w", p.Path, p.Offset, url, ErrNone)
	}
	return found, out, err
}

// WriteRecord writes the record at a place as it is, not compressed.
func (p *Place) WriteRecord(w io.Writer) error {
	return p.Record(func(f *warc.Found) error {
		head := fmt.Appendf(nil, "%s\r\n", f.Version)
		for _, field := range f.Header {
			head = fmt.Appendf(head, "%s: %s\r\n", field.Name, field.Value)
		}
		if _, err := w.Write(append(head, "\r\n"...)); err != nil {
			return err
		}
		if _, err := io.Copy(w, f); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\r\n\r\n")
		return err
	})
}
