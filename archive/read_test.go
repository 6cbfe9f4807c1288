package archive_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crawler/archive"
	"crawler/warc"
)

// kept is an archive in the making, by hand.
type kept struct {
	t    *testing.T
	dir  string
	file []byte
	w    *warc.Compressor
	ends []int
}

func newKept(t *testing.T) *kept {
	t.Helper()
	w, err := warc.NewCompressor(warc.Gzip, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &kept{t: t, dir: t.TempDir(), w: w}
}

func (k *kept) record(kind, url, date, block string, more ...warc.Field) {
	k.t.Helper()
	_, payload, _ := strings.Cut(block, "\r\n\r\n")
	h := append(warc.Header{
		{Name: warc.FieldType, Value: kind}, {Name: warc.FieldRecordID, Value: fmt.Sprintf("<urn:x:%d>", len(k.ends))}, {Name: warc.FieldDate, Value: date},
		{Name: warc.FieldTargetURI, Value: url}, {Name: warc.FieldContentType, Value: warc.TypeResponse},
		{Name: warc.FieldBlockDigest, Value: warc.DigestOf([]byte(block)).String()},
	}, more...)
	if kind == warc.Response {
		if p, _ := warc.Payload([]byte(block), nil); true {
			payload = string(p)
		}
		h = append(h, warc.Field{Name: warc.FieldPayloadDigest, Value: warc.DigestOf([]byte(payload)).String()})
	}
	var err error
	if k.file, err = k.w.Append(k.file, h, []byte(block), false); err != nil {
		k.t.Fatal(err)
	}
	k.ends = append(k.ends, len(k.file))
}

func (k *kept) page(url, text string) {
	k.record(warc.Response, url, "2026-01-02T03:04:05Z", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title>"+text)
}

// write writes the file and its filters.
func (k *kept) write() string {
	k.t.Helper()
	if err := os.WriteFile(filepath.Join(k.dir, "a.warc.gz"), k.file, 0o600); err != nil {
		k.t.Fatal(err)
	}
	if out, err := archive.MakeFilters(k.dir); err != nil || out.Err() != nil && k.t.Name() != "TestDamageIsTold" {
		k.t.Fatal(err, out.Err())
	}
	return k.dir
}

// body is what get prints.
func body(t *testing.T, dirs []string, url string) (string, archive.Readout) {
	t.Helper()
	p, out, err := archive.Find(dirs, url)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	var b bytes.Buffer
	if _, err := archive.Answer(dirs, p, func(_ *archive.Place, m *archive.Message) error {
		_, err := io.Copy(&b, m.Body)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return b.String(), out
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func grepped(t *testing.T, dirs []string, word string) (urls []string, out archive.Readout) {
	t.Helper()
	hash, err := archive.WordOf(word)
	if err != nil {
		t.Fatal(err)
	}
	out, err = archive.Grep(dirs, hash, func(url string) error { urls = append(urls, url); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return urls, out
}

// Bodies are decoded, revisits read where they refer to, the latest that succeeded is taken.
func TestGetDecodes(t *testing.T) {
	k := newKept(t)
	const first = "2026-01-02T03:04:05.000001Z"
	zipped := gzipped("zipped text")
	k.record(warc.Response, "http://a.example/", first, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nplain and more than it says")
	k.record(warc.Response, "http://a.example/gzip", first, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n%s\r\n%x;x=y\r\n%s\r\n0\r\n\r\n", zipped[:5], len(zipped)-5, zipped[5:]))
	k.record(warc.Revisit, "http://b.example/same", "2026-01-02T03:04:06Z", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", warc.Field{Name: warc.FieldRefersToURI, Value: "http://a.example/gzip"}, warc.Field{Name: warc.FieldRefersToDate, Value: first})
	k.record(warc.Response, "http://a.example/twice", first, "HTTP/1.1 503 No\r\n\r\nold error")
	k.record(warc.Response, "http://a.example/twice", "2026-01-02T03:04:06Z", "HTTP/1.1 200 OK\r\n\r\ngood")
	k.record(warc.Response, "http://a.example/twice", "2026-01-02T03:04:07Z", "HTTP/1.1 500 No\r\n\r\nnew error")
	k.record(warc.Response, "http://a.example/gone", first, "HTTP/1.1 404 Gone fishing\n\nnot here")
	k.record(warc.Response, "http://a.example/br", first, "HTTP/1.1 200 OK\r\nContent-Encoding: none, utf-8\r\n\r\nas it is")
	k.record(warc.Revisit, "http://b.example/lost", first, "HTTP/1.1 200 OK\r\n\r\n", warc.Field{Name: warc.FieldRefersToURI, Value: "http://a.example/nowhere"})
	k.record(warc.Revisit, "http://b.example/loop", first, "HTTP/1.1 200 OK\r\n\r\n", warc.Field{Name: warc.FieldRefersToURI, Value: "http://b.example/loop"})
	dirs := []string{k.write()}
	for url, want := range map[string]string{
		"http://a.example/": "plain", "http://a.example/gzip": "zipped text", "http://b.example/same": "zipped text",
		"http://a.example/twice": "good", "http://a.example/gone": "not here", "http://a.example/br": "as it is",
	} {
		if got, _ := body(t, dirs, url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	if _, _, err := archive.Find(dirs, "http://a.example/none"); !errors.Is(err, archive.ErrNone) {
		t.Error(err)
	}
	for _, url := range []string{"http://b.example/lost", "http://b.example/loop"} {
		p, _, err := archive.Find(dirs, url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Answer(dirs, p, func(*archive.Place, *archive.Message) error { return nil }); !errors.Is(err, archive.ErrNone) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if urls, _ := grepped(t, dirs, "plain"); !slices.Equal(urls, []string{"http://a.example/"}) {
		t.Errorf("%v", urls)
	}
}

// Other programs write URLs as they met them.
func TestOtherSpellingsAreFound(t *testing.T) {
	k := newKept(t)
	k.page("http://A.example", "root")
	k.page("https://a.example:443/%7eb?q=x y", "tilde")
	k.record(warc.Revisit, "http://a.example/again", "2026-01-02T03:04:06Z", "", warc.Field{Name: warc.FieldRefersToURI, Value: "http://A.example"}, warc.Field{Name: warc.FieldRefersToDate, Value: "2026-01-02T03:04:05Z"})
	dirs := []string{k.write()}
	for range 2 {
		for url, want := range map[string]string{"http://a.example/": "root", "https://a.example/~b?q=x%20y": "tilde", "http://a.example/again": "root"} {
			if got, _ := body(t, dirs, url); got != "<title>x</title>"+want {
				t.Errorf("%s: %q", url, got)
			}
		}
		os.Remove(filepath.Join(dirs[0], archive.URLsFile)) // without filters, too
	}
}

// A revisit has the payload of another record, and the status and header of its own: all redirects
// of a server may have one body, and a missing page the text of one that is there.
func TestRevisitHasItsOwnHeader(t *testing.T) {
	k := newKept(t)
	const first, second = "2026-01-02T03:04:05.000001Z", "2026-01-02T03:04:06Z"
	same := func(url, head, of string) {
		k.record(warc.Revisit, url, second, head, warc.Field{Name: warc.FieldRefersToURI, Value: of}, warc.Field{Name: warc.FieldRefersToDate, Value: first})
	}
	k.record(warc.Response, "http://a.example/from", first, "HTTP/1.1 301 Moved\r\nLocation: /one\r\n\r\nmoved")
	same("http://b.example/from", "HTTP/1.1 302 Found\r\nLocation: /two\r\n\r\n", "http://a.example/from")
	k.record(warc.Response, "http://a.example/gone", first, "HTTP/1.1 404 Gone\r\nContent-Type: text/html\r\n\r\n<p>zebra")
	same("http://b.example/here", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "http://a.example/gone")
	zipped := gzipped("zipped")
	k.record(warc.Response, "http://a.example/file.gz", first, "HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\n\r\n"+zipped)
	same("http://b.example/file", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", "http://a.example/file.gz")
	same("http://b.example/unchanged", "HTTP/1.1 304 Not Modified\r\n\r\n", "http://a.example/file.gz")
	same("http://b.example/bare", "", "http://a.example/file.gz")
	dirs := []string{k.write()}
	for url, want := range map[string]string{
		"http://a.example/from": "301 /one moved", "http://b.example/from": "302 /two moved",
		"http://a.example/gone": "404  <p>zebra", "http://b.example/here": "200  <p>zebra",
		"http://b.example/file": "200  zipped", "http://b.example/unchanged": "200  " + zipped, "http://b.example/bare": "200  " + zipped,
	} {
		p, _, err := archive.Find(dirs, url)
		if err != nil {
			t.Fatal(url, err)
		}
		got := ""
		_, err = archive.Answer(dirs, p, func(_ *archive.Place, m *archive.Message) error {
			text, err := io.ReadAll(m.Body)
			got = fmt.Sprint(m.Status, " ", m.Header.Get("Location"), " ", string(text))
			return err
		})
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", url, got, err, want)
		}
	}
	if urls, _ := grepped(t, dirs, "zebra"); len(urls) != 1 || urls[0] != "http://b.example/here" {
		t.Errorf("the word is on %v", urls)
	}
}

// Over 50 directories a URL is found by reading one chunk and at most 1 % of the others, one that
// is nowhere by reading no more.
func TestGetReadsFewChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine, and takes ten times as long under the race detector")
	}
	var dirs []string
	for d := range 50 {
		k := newKept(t)
		for i := range 520 {
			k.record(warc.Response, fmt.Sprintf("http://h%d.example/%d", d, i), "2026-01-02T03:04:05Z", "HTTP/1.1 204 OK\r\n\r\n")
		}
		dirs = append(dirs, k.write())
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	vain := 0
	for range 20 {
		_, out, err := archive.Find(dirs, fmt.Sprintf("http://h%d.example/%d", rnd.IntN(50), rnd.IntN(520)))
		if err != nil || out.Chunks != 150 || out.Whole != 0 || float64(out.Read) > 1+0.01*150 {
			t.Errorf("present: %v, %v", out.Cost, err)
		}
		vain += out.Read - 1
		_, out, err = archive.Find(dirs, fmt.Sprintf("http://h%d.example/none%d", rnd.IntN(50), rnd.IntN(520)))
		if !errors.Is(err, archive.ErrNone) || float64(out.Read) > 1+0.01*150 {
			t.Errorf("absent: %v, %v", out.Cost, err)
		}
		vain += out.Read
	}
	if vain > 40 { // 10 are expected
		t.Errorf("%d chunks were read in vain by 40 questions", vain)
	}
}

// A word that stands on one page of many is found by reading few chunks, and each page that has a
// word is found, whatever the filters cover.
func TestGrepReadsFewChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine, and takes ten times as long under the race detector")
	}
	k := newKept(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	often := rand.NewZipf(rnd, 1.1, 8, 50_000)
	for i := range 800 {
		var b strings.Builder
		for range 300 {
			fmt.Fprintf(&b, "w%d ", often.Uint64())
		}
		if i == 333 {
			b.WriteString("Zanzibar<b>isle</b>")
		}
		k.page(fmt.Sprintf("http://a.example/%d", i), b.String())
	}
	dirs := []string{k.write()}
	urls, out := grepped(t, dirs, "ZANZIBAR")
	if !slices.Equal(urls, []string{"http://a.example/333"}) || out.Whole != 0 || out.Chunks < 50 || float64(out.Read) > 1+0.03*float64(out.Chunks) {
		t.Errorf("%v, %v", urls, out.Cost)
	}
	all, _ := grepped(t, dirs, "w0")
	if len(all) < 500 {
		t.Errorf("a frequent word is on %d pages", len(all))
	}
	some, _ := grepped(t, dirs, "w7000")
	side := filepath.Join(dirs[0], archive.WordsFile)
	data, err := os.ReadFile(side)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	for _, data := range [][]byte{nil, data[:len(data)/3], data} {
		if err := os.WriteFile(side, data, 0o600); err != nil {
			t.Fatal(err)
		}
		again, out := grepped(t, dirs, "w7000")
		if !slices.Equal(again, some) || out.Whole == 0 {
			t.Errorf("with %d bytes of filters %d pages are found, %d with all: %v", len(data), len(again), len(some), out.Cost)
		}
	}
	for _, bad := range []string{"", "two words", "a-b", "..."} {
		if _, err := archive.WordOf(bad); err == nil {
			t.Errorf("%q is a word", bad)
		}
	}
}

// Damage is reported by file and byte, and what is behind it is read.
func TestDamageIsTold(t *testing.T) {
	k := newKept(t)
	for i := range 30 {
		k.page(fmt.Sprintf("http://a.example/%d", i), "needle")
	}
	whole := bytes.Clone(k.file)
	v, err := archive.Verify(k.write())
	if err != nil || v.Err() != nil || v.Records != 30 || v.Digests != 60 || v.Files != 1 {
		t.Fatalf("%+v, %v", v, err)
	}
	k.file = bytes.Clone(whole)
	k.file[k.ends[9]+60] ^= 0xff // in record 10
	dir := k.write()
	v, err = archive.Verify(dir)
	want := fmt.Sprintf("a.warc.gz is damaged: the record at byte %d: ", k.ends[9])
	if err != nil || v.N != 1 || !strings.Contains(v.Err().Error(), want) {
		t.Errorf("%v, %v, want %q", v.Err(), err, want)
	}
	if urls, out := grepped(t, []string{dir}, "needle"); len(urls) != 29 || out.N != 1 {
		t.Errorf("%d pages, %v", len(urls), out.Err())
	}
	k.file = whole[:len(whole)-7]
	dir = k.write()
	if v, err = archive.Verify(dir); err != nil || v.Torn != 1 || v.N != 0 {
		t.Errorf("torn: %+v, %v", v, err)
	}
	// The end that the filters cover may have not been written; a file before it must be whole.
	end := filepath.Join(dir, "a.warc.gz")
	if err := os.WriteFile(end, whole[:k.ends[20]], 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err = archive.Verify(dir); err != nil || v.Torn != 1 || v.N != 0 {
		t.Errorf("not written: %+v, %v", v, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.warc.gz"), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err = archive.Verify(dir); err != nil || v.N != 2 || !strings.Contains(v.Err().Error(), "a.warc.gz is damaged: it has") {
		t.Errorf("too short: %+v, %v", v, err)
	}
	if err := os.Remove(end); err != nil {
		t.Fatal(err)
	}
	if v, err = archive.Verify(dir); err != nil || v.N != 2 || !strings.Contains(v.Err().Error(), "a.warc.gz is missing") {
		t.Errorf("missing: %+v, %v", v, err)
	}
	os.Remove(filepath.Join(dir, "b.warc.gz"))
	// Another byte where nothing is compressed is the digest's to find.
	for _, c := range []struct {
		block string
		wrong int
	}{{"block", 0}, {"black", 1}} {
		plain := t.TempDir()
		text := "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n" +
			"WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: http://a.example/\r\n" +
			"WARC-Block-Digest: " + sha1Of("block") + "\r\nContent-Length: 5\r\n\r\n" + c.block + "\r\n\r\n"
		if err := os.WriteFile(filepath.Join(plain, "a.warc"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if v, err = archive.Verify(plain); err != nil || v.N != c.wrong {
			t.Errorf("%s: %+v, %v; want %d damages", c.block, v, err, c.wrong)
		}
	}
}

func sha1Of(text string) string {
	sum := sha1.Sum([]byte(text))
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// A gzip body of a gigabyte is not decoded beyond the limit, and takes no memory.
func TestBodyIsNoBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine, and takes ten times as long under the race detector")
	}
	k := newKept(t)
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for range 100 {
		w.Write(make([]byte, 1<<20))
	}
	w.Close()
	k.record(warc.Response, "http://a.example/bomb", "2026-01-02T03:04:05Z", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip, gzip\r\n\r\n"+gzipped(b.String()))
	dirs := []string{k.write()} // which reads its words: the first 64 MiB
	p, _, err := archive.Find(dirs, "http://a.example/bomb")
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	_, err = archive.Answer(dirs, p, func(_ *archive.Place, m *archive.Message) (err error) {
		n, err = io.Copy(io.Discard, m.Body)
		return err
	})
	if err != nil || n != 100<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A file by somebody else's writer is read without a complaint, and served its bodies: wget's.
func TestWgetIsRead(t *testing.T) {
	wget, err := exec.LookPath("wget")
	if err != nil {
		t.Skip("wget is not installed: its archive is not read")
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "the body of %s", r.URL.Path)
	}))
	defer site.Close()
	dir := t.TempDir()
	out, err := exec.Command(wget, "-q", "--no-proxy", "-O", os.DevNull, "--warc-file="+filepath.Join(dir, "site"), site.URL+"/a", site.URL+"/b").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if v, err := archive.Verify(dir); err != nil || v.Err() != nil || v.Records < 5 || v.Digests < 4 {
		t.Errorf("%+v, %v, %v", v, v.Err(), err)
	}
	if text, _ := body(t, []string{dir}, site.URL+"/b"); text != "the body of /b" {
		t.Errorf("%q", text)
	}
}
