package fetch

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// codingRaw is the coding "deflate" as some servers misread it.
const codingRaw = "raw"

// encode is the server's side of a content coding.
func encode(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case codingGzip:
		w = gzip.NewWriter(&out)
	case codingDeflate:
		w = zlib.NewWriter(&out)
	case codingRaw:
		w, _ = flate.NewWriter(&out, 6)
	case codingBrotli:
		w = brotli.NewWriterLevel(&out, 5)
	case codingZstd:
		w, _ = zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	default:
		t.Fatalf("no coding %q", coding)
	}
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// encodeAll applies codings in order.
func encodeAll(t testing.TB, data []byte, codings ...string) []byte {
	for _, c := range codings {
		data = encode(t, c, data)
	}
	return data
}

// serveCoded answers every request with a body and its Content-Encoding lines.
func serveCoded(t testing.TB, body []byte, header ...string) (url string) {
	url, _ = serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header()["Content-Encoding"] = header
		w.Write(body)
	})
	return url + "/"
}

var everyCoding = []string{codingGzip, codingDeflate, codingRaw, codingBrotli, codingZstd}

// token is what stands in the header for a coding.
func token(coding string) string {
	if coding == codingRaw {
		return codingDeflate
	}
	return coding
}

func TestDecode(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	c := newClient(t, Config{})
	texts := map[string][]byte{
		"empty": {}, "one byte": []byte("x"), "page": []byte(page),
		"large": bytes.Repeat([]byte("All work and no play. "), 20_000),
	}
	for name, text := range texts {
		for _, one := range everyCoding {
			wire := encode(t, one, text)
			res := get(t, c, serveCoded(t, wire, token(one)))
			if !bytes.Equal(res.Body, text) || res.Truncated || res.WireBytes != int64(len(wire)) {
				t.Errorf("%s, %s: %d bytes of %d, truncated=%v, %d wire bytes of %d",
					name, one, len(res.Body), len(text), res.Truncated, res.WireBytes, len(wire))
			}
			for _, two := range everyCoding {
				res := get(t, c, serveCoded(t, encode(t, two, wire), token(one), token(two)))
				if !bytes.Equal(res.Body, text) {
					t.Errorf("%s, %s in %s: %d bytes of %d", name, one, two, len(res.Body), len(text))
				}
			}
		}
	}
}

func TestDecodeHeaderForms(t *testing.T) {
	c := newClient(t, Config{})
	zipped := encode(t, codingGzip, []byte(page))
	for _, x := range []struct {
		body   []byte
		header []string
	}{
		{zipped, []string{"GZip"}},
		{zipped, []string{"x-gzip"}},
		{zipped, []string{" gzip , identity"}},
		{zipped, []string{"", "gzip"}},
		{append(bytes.Clone(zipped), zipped...), []string{"gzip"}}, // two members
		{encode(t, codingBrotli, zipped), []string{"gzip, br"}},
		{encodeAll(t, []byte(page), codingZstd, codingBrotli, codingGzip), []string{"zstd, br, gzip"}},
		{[]byte(page), []string{"identity"}},
		{[]byte(page), []string{"utf-8"}}, // no coding, but harmless
		{[]byte(page), []string{"none"}},
		{append(bytes.Clone(zipped), "<!-- cached -->"...), []string{"gzip"}},
		{append(bytes.Clone(zipped), 0, 0, 0), []string{"gzip"}},
		{append(encode(t, codingRaw, []byte(page)), "rubbish"...), []string{"deflate"}},
	} {
		res := get(t, c, serveCoded(t, x.body, x.header...))
		if got := strings.ReplaceAll(string(res.Body), page+page, page); got != page {
			t.Errorf("%q: %q", x.header, res.Body)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	c := newClient(t, Config{})
	text := bytes.Repeat([]byte("All work and no play. "), 10_000)
	flipped := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xFF
		return b
	}
	for _, coding := range everyCoding {
		wire := encode(t, coding, text)
		cases := map[string][]byte{
			"cut in the middle": wire[:len(wire)/2],
			"cut at the end":    wire[:len(wire)-5], // more than deflate's unchecked checksum
			"plain text":        []byte(page),
			"one byte":          wire[:1],
		}
		if coding != codingRaw && coding != codingDeflate { // without a checksum, a flip may decode
			cases["a byte wrong"] = flipped(wire, len(wire)/2)
		}
		for name, body := range cases {
			res, err := c.Get(t.Context(), mustURL(t, serveCoded(t, body, token(coding))))
			if got := reasonOf(t, err); got != ReasonDecode {
				t.Errorf("%s, %s: %q (%v), want %q", coding, name, got, err, ReasonDecode)
				continue
			}
			if !res.Truncated || res.Status != 200 || strings.HasPrefix(name, "cut") && !bytes.HasPrefix(text, res.Body) {
				t.Errorf("%s, %s: status %d, truncated=%v, %d bytes", coding, name, res.Status, res.Truncated, len(res.Body))
			}
			// Zstandard and Brotli come in blocks.
			if name == "cut in the middle" && len(res.Body) == 0 && coding != codingZstd && coding != codingBrotli {
				t.Errorf("%s, %s: the half that came is lost", coding, name)
			}
			res.Release()
		}
	}
	for name, x := range map[string]struct {
		header string
		body   []byte
	}{
		"unknown coding":  {"compress", []byte("\x1F\x9D\x90\x00\x01\xFF")},
		"too many layers": {"gzip, gzip, gzip, gzip", encodeAll(t, text, "gzip", "gzip", "gzip", "gzip")},
		"a thousand":      {strings.Repeat("gzip,", 1000), text},
	} {
		_, err := c.Get(t.Context(), mustURL(t, serveCoded(t, x.body, x.header)))
		if got := reasonOf(t, err); got != ReasonDecode {
			t.Errorf("%s: %q (%v), want %q", name, got, err, ReasonDecode)
		}
	}
	// A decoder that failed must be as good as new for the next page.
	for _, coding := range everyCoding {
		if res := get(t, c, serveCoded(t, encode(t, coding, text), token(coding))); !bytes.Equal(res.Body, text) {
			t.Errorf("%s after errors: wrong body", coding)
		}
	}
}

func TestMaxBodyDecoded(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	const most = 100_000
	c := newClient(t, Config{MaxBody: most})
	text := make([]byte, 0, 2*most)
	for i := 0; len(text) < 2*most; i++ {
		text = fmt.Appendf(text, "%d ", i)
	}
	for _, coding := range everyCoding {
		for _, n := range []int{most - 1, most, most + 1, 2 * most} {
			res := get(t, c, serveCoded(t, encode(t, coding, text[:n]), token(coding)))
			if !bytes.Equal(res.Body, text[:min(n, most)]) || res.Truncated != (n > most) {
				t.Errorf("%s, %d bytes: %d, truncated=%v", coding, n, len(res.Body), res.Truncated)
			}
		}
	}
}

// Bombs: little on the wire, much in memory, if one lets it.
func TestBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	c := newClient(t, Config{MaxRatio: 100})
	zeros := make([]byte, 16<<20)
	for _, coding := range everyCoding {
		bomb := encode(t, coding, zeros)
		res, err := c.Get(t.Context(), mustURL(t, serveCoded(t, bomb, token(coding))))
		if got := reasonOf(t, err); got != ReasonBomb {
			t.Errorf("%s: %q (%v), want %q", coding, got, err, ReasonBomb)
		}
		if n := len(res.Body); n > 4<<20 {
			t.Errorf("%s: %d bytes were decoded", coding, n)
		}
		res.Release()
	}
	honest := make([]byte, 1<<20) // a high ratio, but small
	if res := get(t, c, serveCoded(t, encode(t, codingGzip, honest), codingGzip)); len(res.Body) != len(honest) {
		t.Errorf("%d bytes", len(res.Body))
	}
}

// Bombs in bombs: a few hundred bytes that grow in each layer.
func TestNestedBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	c := newClient(t, Config{MaxRatio: 100})
	zeros := make([]byte, 2<<20)
	zipped := encode(t, codingGzip, zeros)
	check := func(wire []byte, header ...string) {
		t.Helper()
		res, err := c.Get(t.Context(), mustURL(t, serveCoded(t, wire, header...)))
		if got := reasonOf(t, err); got != ReasonBomb {
			t.Errorf("%v: %q (%v), want %q", header, got, err, ReasonBomb)
		}
		if n := len(res.Body); n > 2<<20 || !res.Truncated {
			t.Errorf("%v: %d bytes were decoded, truncated=%v", header, n, res.Truncated)
		}
		res.Release()
	}
	for _, coding := range everyCoding {
		check(encode(t, coding, zipped), codingGzip, token(coding))
		check(encode(t, codingGzip, encode(t, coding, zeros)), token(coding), codingGzip)
	}
	check(encodeAll(t, zipped, codingBrotli, codingZstd), codingGzip, codingBrotli, codingZstd)
}

// A bomb may hide in a lower layer: bytes that the upper one takes and makes
// nothing of. Empty gzip members are such.
func TestBombInLowerLayer(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	nothing := bytes.Repeat(encode(t, codingGzip, nil), 1<<17)
	c := newClient(t, Config{MaxBody: 1 << 20})
	for _, coding := range everyCoding {
		res, err := c.Get(t.Context(), mustURL(t, serveCoded(t, encode(t, coding, nothing), codingGzip, token(coding))))
		if got := reasonOf(t, err); got != ReasonBomb {
			t.Errorf("gzip in %s: %q (%v), want %q", coding, got, err, ReasonBomb)
		}
		res.Release()
	}
	// Not coded twice, the same bytes count as wire bytes, and are cut.
	if res := get(t, c, serveCoded(t, nothing, codingGzip)); !res.Truncated || res.WireBytes > 2<<20 {
		t.Errorf("truncated=%v after %d wire bytes", res.Truncated, res.WireBytes)
	}
}

// RFC 9659: over HTTP, zstd may ask for no more than 8 MiB of window.
func TestZstdWindow(t *testing.T) {
	c := newClient(t, Config{})
	for size, want := range map[int]Reason{8 << 20: "", 16 << 20: ReasonDecode} {
		var out bytes.Buffer
		w, err := zstd.NewWriter(&out, zstd.WithWindowSize(size), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, page)
		w.Flush() // what follows is unknown, so the frame asks for the whole window
		w.Close()
		_, err = c.Get(t.Context(), mustURL(t, serveCoded(t, out.Bytes(), codingZstd)))
		if got := reasonOf(t, err); got != want {
			t.Errorf("window of %d: %q, want %q", size, got, want)
		}
	}
}

// However many codings a header names, only a few are looked at.
func TestCodingsAreBounded(t *testing.T) {
	h := http.Header{"Content-Encoding": {strings.Repeat("a,", 5000), "b"}}
	if n := len(codings(h, nil)); n != maxLayers+1 {
		t.Errorf("%d codings", n)
	}
}

// stuck is a reader that neither reads nor ends.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }
func (stuck) Close() error             { return nil }

func TestReaderWithoutProgress(t *testing.T) {
	c := newClient(t, Config{})
	res := &Response{Status: 200, pools: &c.pools}
	err := c.readBody(res, &http.Response{Body: stuck{}, ContentLength: -1}, limits{body: 100})
	if err != io.ErrNoProgress {
		t.Errorf("%v, want %v", err, io.ErrNoProgress)
	}
}
