package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/warc"
)

// Keys by hand, as indexes of the field have them.
func TestSURTByHand(t *testing.T) {
	for url, want := range map[string]string{
		"http://www.Example.com/A/b": "com,example)/a/b", "https://example.com": "com,example)",
		"http://example.com:8080/?b=2&a=1": "com,example:8080)/?a=1&b=2", "http://www2.a.b.example/%20x": "example,b,a)/%20x",
		"http://127.0.0.1/": "1,0,0,127)/",
	} {
		if got := surt(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// FuzzCDXJ: whatever an archive says of its records, a line of the index is one line of three
// fields, the last of them JSON with the URL in it.
func FuzzCDXJ(f *testing.F) {
	f.Add("http://a.example/", "2026-01-02T03:04:05Z", "text/html")
	f.Add("http://a b\n/?\x00=%zz&\u2028", "2026-01-02T03:04:05.123456Z", "\"\n")
	f.Add("https://[::1]:80/é", "20260102030405", "")
	f.Fuzz(func(t *testing.T, url, date, media string) {
		line := cdxjLine(&Entry{URL: url, Date: date, Media: media, Status: 200, Offset: 5}, "sha1:X", "a.warc.gz", 7)
		if line == "" {
			return
		}
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		var v struct{ URL, Filename, Offset string }
		if strings.Count(line, "\n") != 1 || len(fields) != 3 || len(fields[1]) != 14 || json.Unmarshal([]byte(fields[2]), &v) != nil || v.Filename != "a.warc.gz" || v.Offset != "5" {
			t.Fatalf("%q", line)
		}
	})
}

// Lines that are sorted in many runs come as those that are sorted in memory.
func TestLineSorter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s, err := newLineSorter(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	var want []string
	for i := range 20_000 {
		line := fmt.Sprintf("%d %s\n", rnd.IntN(5000), strings.Repeat("x", rnd.IntN(30)))
		want = append(want, line)
		if err := s.add(line); err != nil {
			t.Fatal(err)
		}
		if i%1700 == 0 {
			if err := s.flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Sort(want)
	var got bytes.Buffer
	if err := s.write(&got); err != nil || got.String() != strings.Join(want, "") || len(s.runs) != 13 {
		t.Errorf("%d bytes in %d runs, %v", got.Len(), len(s.runs), err)
	}
}

// A WACZ has all that the specification asks for, each part with its digest, and its index leads
// to the records; the torn end of a crawl that is running is left out.
func TestWACZHasWhatItSays(t *testing.T) {
	dir := t.TempDir()
	w, err := warc.NewCompressor(warc.Gzip, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file []byte
	for i := range 20 {
		kind := []string{warc.Response, warc.Request, warc.Metadata}[i%3]
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Page &lt;%d&gt;</title>", i)
		if file, err = w.Append(file, warc.Header{
			{Name: warc.FieldType, Value: kind}, {Name: warc.FieldRecordID, Value: fmt.Sprintf("<urn:x:%d>", i)}, {Name: warc.FieldDate, Value: "2026-01-02T03:04:05.5Z"},
			{Name: warc.FieldTargetURI, Value: fmt.Sprintf("http://b%d.example/", 30-i)}, {Name: warc.FieldContentType, Value: warc.TypeResponse}, {Name: warc.FieldPayloadDigest, Value: "sha1:X"},
		}, []byte(block), false); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "a.warc.gz")
	if err := os.WriteFile(name, append(slices.Clone(file), file[:50]...), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p, err := WACZ{Dir: dir, Title: "t", Software: "s", Now: time.Unix(1e9, 0), Temp: dir}.Write(&out)
	if err != nil || p.Answers != 7 || p.Pages != 7 || p.Torn != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil || f.Method != zip.Store || f.Flags&8 != 0 || f.Modified.Year() != 2001 {
			t.Fatalf("%+v, %v", f.FileHeader, err)
		}
		if parts[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var all struct {
		Version   string `json:"wacz_version"`
		Resources []resource
	}
	if err := json.Unmarshal(parts["datapackage.json"], &all); err != nil || all.Version != "1.1.1" || len(all.Resources) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, r := range all.Resources {
		sum := sha256.Sum256(parts[r.Path])
		if r.Hash != "sha256:"+hex.EncodeToString(sum[:]) || r.Bytes != int64(len(parts[r.Path])) {
			t.Errorf("%+v", r)
		}
	}
	if !bytes.Equal(parts["archive/a.warc.gz"], file) || !bytes.Contains(parts["pages/pages.jsonl"], []byte(`"title":"Page \u003c3\u003e"`)) {
		t.Errorf("%d bytes of %d, pages %s", len(parts["archive/a.warc.gz"]), len(file), parts["pages/pages.jsonl"])
	}
	lines := strings.SplitAfter(string(parts["indexes/index.cdx"]), "\n")
	if len(lines) != 8 || !slices.IsSorted(lines[:7]) {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines[:7] {
		var v struct {
			URL            string
			Offset, Length int64 `json:",string"`
		}
		if err := json.Unmarshal([]byte(strings.SplitN(line, " ", 3)[2]), &v); err != nil {
			t.Fatal(err)
		}
		r := warc.NewReader(bytes.NewReader(file), "f", v.Offset, v.Offset+1, v.Offset+v.Length, warc.Limits{})
		if f, err := r.Next(); err != nil || f.TargetURI() != v.URL {
			t.Fatalf("%s: %+v, %v", line, f, err)
		}
		if n, err := r.Finish(); err != nil || n != v.Length {
			t.Errorf("%s: %d bytes, %v", line, n, err)
		}
	}
	if err := os.WriteFile(name, append([]byte("x"), file...), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := (WACZ{Dir: dir, Temp: dir}).Write(io.Discard); err == nil || p.Err() == nil {
		t.Errorf("a damaged archive is packed: %+v", p)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
