package warc

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestPayloadIsTheEntity(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		name, message, want string
		whole               bool
	}{
		{"length", head + "Content-Length: 3\r\n\r\nabcdef", "abc", true},
		{"length, cut", head + "Content-Length: 30\r\n\r\nabc", "abc", false},
		{"no length", head + "\r\nabc", "abc", true},
		{"no body", head + "\r\n", "", true},
		{"line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc", "abc", true},
		{"chunked", head + "transfer-encoding: Chunked\r\n\r\n3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n", "abc0123456789", true},
		{"trailer", head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n", "abc", true},
		{"cut in a chunk", head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n9\r\nde", "abcde", false},
		{"cut behind a chunk", head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc", "abc", false},
		{"cut before the end", head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", "abc", false},
		{"chunked, folded", head + "X: a\r\n b\r\nTransfer-Encoding:\r\n\t chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc", true},
		{"length, folded", head + "Content-Length:\r\n 3\r\nX: a\r\n 9\r\n\r\nabcdef", "abc", true},
		{"a huge chunk", head + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nabc", "abc", false},
		{"no number", head + "Transfer-Encoding: chunked\r\n\r\n-1\r\nabc", "", false},
		{"no header's end", head + "Content-Length: 3\r\n", "", false},
	} {
		got, whole := Payload([]byte(c.message), nil)
		if string(got) != c.want || whole != c.whole {
			t.Errorf("%s: %q, whole %v; want %q, %v", c.name, got, whole, c.want, c.whole)
		}
	}
}

func TestInterimAnswersAreFound(t *testing.T) {
	const last = "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
	for _, before := range []string{"", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 100 \r\n\r\n"} {
		if n := Interim([]byte(before + last)); n != len(before) {
			t.Errorf("%d bytes before the answer, want %d", n, len(before))
		}
	}
	for _, none := range []string{"", "HTTP/1.1 1", "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/1.1 100 Continue\r\n"} {
		if n := Interim([]byte(none)); n != 0 {
			t.Errorf("%q: %d bytes", none, n)
		}
	}
}

// The digests are those of RFC 3174's first example and of nothing.
func TestDigestIsBase32(t *testing.T) {
	for data, want := range map[string]string{
		"abc": "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", "": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
	} {
		if got := DigestOf([]byte(data)).String(); got != want {
			t.Errorf("%q: %s, want %s", data, got, want)
		}
	}
}

func TestRecordIsWrittenAsTheStandardSays(t *testing.T) {
	r := &Record{Header: Header{{FieldType, Response}, {FieldTargetURI, "http://a.test/\r\nX: y\x00"}, {FieldIPAddress, ""}}, Block: []byte("block\r\n")}
	const want = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/  X: y \r\nContent-Length: 7\r\n\r\nblock\r\n\r\n\r\n"
	if got := AppendRecord(nil, r); string(got) != want {
		t.Errorf("%q", got)
	}
	for _, stored := range []bool{false, true} {
		c, err := NewCompressor(Gzip, nil)
		if err != nil {
			t.Fatal(err)
		}
		two := []byte("before")
		for range 2 {
			if two, err = c.Append(two, r.Header, r.Block, stored); err != nil {
				t.Fatal(err)
			}
		}
		z, err := gzip.NewReader(bytes.NewReader(two[len("before"):]))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || string(got) != want+want {
			t.Errorf("stored %v: %q, %v", stored, got, err)
		}
	}
	c, err := NewCompressor(Zstd, nil)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := c.Append(nil, r.Header, r.Block, false)
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got, err := d.DecodeAll(frame, nil); err != nil || string(got) != want {
		t.Errorf("zstd: %q, %v", got, err)
	}
}

func TestRecordIDIsAUUID(t *testing.T) {
	var ones [16]byte
	for i := range ones {
		ones[i] = 0xff
	}
	for random, want := range map[[16]byte]string{
		{}:   "<urn:uuid:00000000-0000-4000-8000-000000000000>",
		ones: "<urn:uuid:ffffffff-ffff-4fff-bfff-ffffffffffff>",
	} {
		if got := RecordID(random); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestSecretFieldsAreLeftOut(t *testing.T) {
	const head = "GET / HTTP/1.1\r\nHost: a\r\nauthorization: Basic x\r\n folded\r\nCookie: a=b\r\nCookies: stay\r\n\r\n"
	got, had := AppendWithout(nil, []byte(head), []string{"Authorization", "Cookie"})
	if want := "GET / HTTP/1.1\r\nHost: a\r\nCookies: stay\r\n\r\n"; string(got) != want || !had {
		t.Errorf("%q, %v", got, had)
	}
	if got, had := AppendWithout(nil, []byte(head), []string{"Via"}); string(got) != head || had {
		t.Errorf("%q, %v", got, had)
	}
}

func TestFileNames(t *testing.T) {
	if a, b := FileName("a.test", 12, Gzip), FileName("a", 123456, Zstd); a != "a.test-00012.warc.gz" || b != "a-123456.warc.zst" {
		t.Error(a, b)
	}
	if h := (Header{{"A", "1"}, {"b", "2"}, {"a", "3"}}); h.Get("B") != "2" || strings.Join(h.Values("A"), ",") != "1,3" {
		t.Error(h)
	}
}
