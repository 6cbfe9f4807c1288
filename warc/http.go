package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"strconv"
	"strings"
)

// Head returns how long the header of an HTTP message is, with the empty line that ends it, and
// whether there is one. Lines may end in a line feed alone, as net/http reads them.
func Head(message []byte) (n int, ok bool) {
	for n < len(message) {
		end := bytes.IndexByte(message[n:], '\n')
		if end < 0 {
			return 0, false
		}
		line := message[n : n+end]
		n += end + 1
		if len(line) == 0 || len(line) == 1 && line[0] == '\r' {
			return n, true
		}
	}
	return 0, false
}

// Interim returns how many bytes of interim answers (1xx, but not 101) a message of HTTP/1 begins
// with.
func Interim(message []byte) (n int) {
	for {
		rest := message[n:]
		head, ok := Head(rest)
		if !ok || !bytes.HasPrefix(rest, []byte("HTTP/1.")) || len(rest) < len("HTTP/1.1 100") {
			return n
		}
		if status := rest[len("HTTP/1.1 "):][:3]; status[0] != '1' || string(status) == "101" {
			return n
		}
		n += head
	}
}

// HeaderField returns the value of a field of an HTTP message's header, "" if there is none; of
// several the last one. A line that continues it is joined by a space (RFC 9112, 5.2).
func HeaderField(head []byte, name string) (value string) {
	is := false
	for line := range bytes.Lines(head) {
		if line[0] == ' ' || line[0] == '\t' {
			if is {
				value = strings.TrimSpace(value + " " + string(bytes.TrimSpace(line)))
			}
			continue
		}
		key, v, ok := bytes.Cut(line, []byte{':'})
		if is = ok && len(key) == len(name) && strings.EqualFold(string(key), name); is {
			value = string(bytes.TrimSpace(v))
		}
	}
	return value
}

// Payload returns the payload of an HTTP message, which is what WARC-Payload-Digest is the digest
// of: its body without the chunked transfer coding, but with any content coding. It is a part of
// the message, or, if it came in more than one chunk, a copy in buf. whole is false if the message
// ends before its payload does; a body that only the connection's end ends is whole.
func Payload(message, buf []byte) (payload []byte, whole bool) {
	buf = buf[:0]
	parts := 0
	whole, _ = Parts(message, func(part []byte) {
		switch parts++; parts {
		case 1:
			payload = part
		case 2:
			buf = append(buf, payload...)
			fallthrough
		default:
			buf = append(buf, part...)
			payload = buf
		}
	})
	return payload, whole
}

// Parts calls part with each part of a message's payload: one, or one a chunk. whole is as Payload
// has it; framed says that the message itself tells where its body ends.
func Parts(message []byte, part func([]byte)) (whole, framed bool) {
	n, ok := Head(message)
	if !ok {
		return false, false
	}
	head, body := message[:n], message[n:]
	if coding := HeaderField(head, "Transfer-Encoding"); coding != "" {
		if strings.EqualFold(coding, "chunked") {
			return chunks(body, part), true
		}
		part(body)
		return true, false
	}
	length := HeaderField(head, FieldContentLength)
	want, err := strconv.ParseUint(length, 10, 63)
	if err != nil {
		part(body)
		return true, bodiless(head)
	}
	if want > uint64(len(body)) && !bodiless(head) {
		part(body)
		return false, true
	}
	part(body[:min(want, uint64(len(body)))])
	return true, true
}

// bodiless reports whether an answer has no body whatever its header says (RFC 9112, 6.3).
func bodiless(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("HTTP/")) {
		return true // a request without a length
	}
	_, status, _ := bytes.Cut(head, []byte{' '})
	return bytes.HasPrefix(status, []byte("204")) || bytes.HasPrefix(status, []byte("304"))
}

// chunks calls part with each chunk of a body (RFC 9112, 7.1), and reports whether the last one is
// there, with the trailer. What is behind a malformed chunk is not looked at.
func chunks(body []byte, part func([]byte)) (whole bool) {
	for {
		line, rest, ok := bytes.Cut(body, []byte{'\n'})
		if !ok {
			return false
		}
		digits, _, _ := bytes.Cut(line, []byte{';'})
		size, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 63)
		switch {
		case err != nil:
			return false
		case size == 0:
			_, ended := Head(rest) // the trailer ends as a header does
			return ended
		case size > uint64(len(rest)):
			part(rest)
			return false
		}
		part(rest[:size])
		body = rest[size:]
		if end, ok := bytes.CutPrefix(body, []byte("\r\n")); ok {
			body = end
		} else if body, ok = bytes.CutPrefix(body, []byte("\n")); !ok {
			return false
		}
	}
}

// Digest is a SHA-1. All tools of the field compute it for payloads and blocks, and all indexes
// have it, so archives of others can be compared with ours; it is no protection against somebody
// who makes two payloads of one digest on purpose.
type Digest [sha1.Size]byte

// DigestOf returns the digest of data.
func DigestOf(data []byte) Digest { return sha1.Sum(data) }

const digestPrefix = "sha1:"

// String is the digest as fields have it: "sha1:" and 32 letters and digits of base 32.
func (d Digest) String() string {
	return digestPrefix + base32.StdEncoding.EncodeToString(d[:])
}
