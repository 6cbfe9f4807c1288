package diff

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"crawler/dedup"
	"crawler/weburl"
)

// keyer makes the keys of items.
type keyer struct {
	hash dedup.URLHash
	what What
}

func (k keyer) of(i Item) uint64 {
	if k.what == Content {
		return k.hash.With(i.URL, i.Text)
	}
	return k.hash.Of(i.URL)
}

// appendTexts appends items as they are sent: a uvarint, how many; then a stream of flate. In
// it each item, in the order of their URLs, is a uvarint, how many bytes its URL has in common
// with the one before; a uvarint, how many follow, and those; with Content the digest in 8.
func appendTexts(dst []byte, items []Item, what What) []byte {
	slices.SortFunc(items, compareItems)
	dst = binary.AppendUvarint(dst, uint64(len(items)))
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		panic("diff: " + err.Error()) // the level is not one
	}
	var b []byte
	last := ""
	for _, i := range items {
		u := i.URL.String()
		same := 0
		for same < min(len(u), len(last)) && u[same] == last[same] {
			same++
		}
		b = binary.AppendUvarint(b[:0], uint64(same))
		b = append(binary.AppendUvarint(b, uint64(len(u)-same)), u[same:]...)
		if what == Content {
			b = binary.LittleEndian.AppendUint64(b, i.Text)
		}
		w.Write(b) // to memory
		last = u
	}
	w.Close()
	return append(dst, out.Bytes()...)
}

// maxTexts is how many bytes the texts of an answer are at most, whole and as they are sent: what
// a URL shares with the one before is not sent, but takes memory.
const maxTexts = 1 << 30

// readTexts reads at most the given number of items. Each must have a canonical URL behind
// that of the one before (with Content, not before it).
func readTexts(data []byte, most int, what What) ([]Item, error) {
	return readTextsUpTo(data, most, maxTexts, what)
}

func readTextsUpTo(data []byte, most int, room int64, what What) ([]Item, error) {
	n, used := binary.Uvarint(data)
	if used <= 0 || n > uint64(max(most, 0)) {
		return nil, fmt.Errorf("%w: %d texts, at most %d were expected", ErrProtocol, n, most)
	}
	packed := bytes.NewReader(data[used:])
	raw := &io.LimitedReader{R: flate.NewReader(packed), N: room}
	r := textReader{Reader: bufio.NewReader(raw)}
	var items []Item
	last := ""
	for range n {
		i, err := r.item(last, what)
		if err != nil && raw.N == 0 {
			err = ErrTooLarge
		}
		if err != nil {
			return nil, err
		}
		items = append(items, i)
		last = i.URL.String()
		if room -= int64(len(last)); room < 0 {
			return nil, ErrTooLarge
		}
	}
	if _, err := r.ReadByte(); err != io.EOF || packed.Len() > 0 {
		return nil, fmt.Errorf("%w: bytes behind the texts", ErrProtocol)
	}
	return items, nil
}

type textReader struct {
	*bufio.Reader
	text [weburl.MaxLen]byte
}

func (r *textReader) item(last string, what What) (i Item, err error) {
	same, err := binary.ReadUvarint(r)
	if err != nil {
		return i, noTexts(err)
	}
	more, err := binary.ReadUvarint(r)
	if err != nil {
		return i, noTexts(err)
	}
	if same > uint64(len(last)) || more > uint64(weburl.MaxLen)-same {
		return i, fmt.Errorf("%w: a text of %d bytes", ErrProtocol, same+more)
	}
	text := r.text[:same+more]
	copy(text, last[:same])
	if _, err := io.ReadFull(r, text[same:]); err != nil {
		return i, noTexts(err)
	}
	if i.URL, err = weburl.Parse(string(text)); err != nil || i.URL.String() != string(text) {
		return i, fmt.Errorf("%w: %.80q is no canonical URL", ErrProtocol, text)
	}
	if c := strings.Compare(i.URL.String(), last); c < 0 || c == 0 && what != Content {
		return i, fmt.Errorf("%w: texts out of order", ErrProtocol)
	}
	if what == Content {
		var digest [8]byte
		if _, err := io.ReadFull(r, digest[:]); err != nil {
			return i, noTexts(err)
		}
		i.Text = binary.LittleEndian.Uint64(digest[:])
	}
	return i, nil
}

func noTexts(err error) error { return fmt.Errorf("%w: texts: %w", ErrProtocol, err) }
