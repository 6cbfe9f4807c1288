package parse

import (
	"bytes"
	"strings"
)

// Servers send archives, images and programs as text/html or text/plain, by
// mistake or to fill a crawler with words that are none. Such a body is known by
// its first bytes, and nothing is read of it.

// maxSniffed is how much of a body is looked at, the MIME Sniffing standard's
// resource header (section 5.2).
const maxSniffed = 1445

// signatures begin what is no text: those of the MIME Sniffing standard (sections
// 6.1 to 6.4), and of programs, databases and archives beside. Each has a byte
// that no text in any encoding of the web begins with, or is long enough.
var signatures = []string{
	"%PDF-", "%!PS-Adobe-",
	"\x89PNG\r\n\x1a\n", "GIF87a", "GIF89a", "\xff\xd8\xff", "\x00\x00\x01\x00", "\x00\x00\x02\x00", "II*\x00", "MM\x00*",
	"\x1a\x45\xdf\xa3", "OggS\x00", "MThd\x00\x00\x00\x06", "fLaC\x00", "ID3\x03", "ID3\x04", "FLV\x01",
	"wOFF\x00", "wOFF\x01", "wOF2\x00", "wOF2\x01", "OTTO\x00", "\x00\x01\x00\x00", "ttcf\x00",
	"\x1f\x8b\x08", "PK\x03\x04", "PK\x05\x06", "Rar!\x1a\x07", "7z\xbc\xaf\x27\x1c", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd",
	"\x7fELF", "\xca\xfe\xba\xbe", "\xcf\xfa\xed\xfe", "\xfe\xed\xfa", "\x00asm", "!<arch>\n", "SQLite format 3\x00",
}

// boxed begin like text; a NUL in the first bytes distinguishes them from it.
var boxed = []string{"RIFF", "FORM", "BM", "MZ", "BZh"}

// isBinary reports whether body begins like an image, an archive, a program or
// another format that is no text.
func isBinary(body []byte) bool {
	if len(body) == 0 || body[0] == '<' {
		return false
	}
	for _, s := range signatures {
		if len(body) >= len(s) && string(body[:len(s)]) == s {
			return true
		}
	}
	head := body[:min(len(body), maxSniffed)]
	if len(head) >= 12 && string(head[4:8]) == "ftyp" && head[0] == 0 { // MP4 and its kin
		return true
	}
	for _, s := range boxed {
		if bytes.HasPrefix(head, []byte(s)) {
			return bytes.IndexByte(head, 0) >= 0
		}
	}
	return false
}

// isBinaryText reports whether a body served as text/plain is none: it has control
// bytes that no text has (MIME Sniffing standard, section 7.2). Servers give
// files that they do not know this type. In UTF-16 each character has such bytes,
// so a byte order mark or a header that names that encoding is believed.
func isBinaryText(body []byte, label string) bool {
	if isBinary(body) {
		return true
	}
	if bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.HasPrefix(body, []byte("\xff\xfe")) ||
		len(label) >= 6 && strings.EqualFold(label[:6], "utf-16") {
		return false
	}
	for _, c := range body[:min(len(body), maxSniffed)] {
		if isBinaryByte(c) {
			return true
		}
	}
	return false
}

// isBinaryByte is the standard's binary data byte (section 3).
func isBinaryByte(c byte) bool {
	return c <= 0x08 || c == 0x0b || 0x0e <= c && c <= 0x1a || 0x1c <= c && c <= 0x1f
}
