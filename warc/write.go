package warc

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// RecordID makes a WARC-Record-ID of 16 random bytes: a UUID of version 4 as a URN.
func RecordID(random [16]byte) string {
	random[6] = random[6]&0x0f | 0x40
	random[8] = random[8]&0x3f | 0x80
	const form = "<urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx>"
	const begin = len("<urn:uuid:")
	id := []byte(form)
	at := begin
	for i, b := range random {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			at++
		}
		hex.Encode(id[at:at+2], []byte{b})
		at += 2
	}
	return string(id)
}

// AppendHead appends the beginning of a record, up to where its block of n bytes begins. A value
// keeps no line breaks and no other control characters: each becomes a space. Fields without a
// value are left out.
func AppendHead(dst []byte, h Header, n int) []byte {
	dst = append(append(dst, Version...), "\r\n"...)
	for i := range h {
		if h[i].Value == "" {
			continue
		}
		dst = append(append(dst, h[i].Name...), ": "...)
		dst = append(appendValue(dst, h[i].Value), "\r\n"...)
	}
	dst = append(append(dst, FieldContentLength...), ": "...)
	return append(strconv.AppendInt(dst, int64(n), 10), "\r\n\r\n"...)
}

func appendValue(dst []byte, value string) []byte {
	for i := range len(value) {
		c := value[i]
		if c < ' ' || c == 0x7f {
			c = ' '
		}
		dst = append(dst, c)
	}
	return dst
}

// end stands behind every block.
const end = "\r\n\r\n"

// AppendRecord appends a record as it is, not compressed.
func AppendRecord(dst []byte, r *Record) []byte {
	dst = AppendHead(dst, r.Header, len(r.Block))
	return append(append(dst, r.Block...), end...)
}

// AppendFields appends fields as a block of the type application/warc-fields. Those without a
// value are left out.
func AppendFields(dst []byte, h Header) []byte {
	for i := range h {
		if h[i].Value != "" {
			dst = append(append(dst, h[i].Name...), ": "...)
			dst = append(appendValue(dst, h[i].Value), "\r\n"...)
		}
	}
	return dst
}

// AppendWithout appends the header of an HTTP message without the named fields, with the lines that
// continue them, and reports whether it had any.
func AppendWithout(dst, head []byte, names []string) (_ []byte, had bool) {
	leaves := false
	for line := range bytes.Lines(head) {
		if continues := line[0] == ' ' || line[0] == '\t'; !continues {
			leaves = isNamed(line, names)
			had = had || leaves
		}
		if !leaves {
			dst = append(dst, line...)
		}
	}
	return dst, had
}

func isNamed(line []byte, names []string) bool {
	key, _, ok := bytes.Cut(line, []byte{':'})
	if !ok {
		return false
	}
	for _, name := range names {
		if strings.EqualFold(string(key), name) {
			return true
		}
	}
	return false
}

// FileName is the name of the n-th file of an archive: NAME-00000.warc.gz.
func FileName(name string, n int, c Compression) string {
	return fmt.Sprintf("%s-%05d.warc%s", name, n, c.Extension())
}
