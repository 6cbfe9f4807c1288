package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"crawler/dedup"
	"crawler/internal/sums"
)

// nearRecords reads near.jsonl.
func nearRecords(t *testing.T, dir string) (list []NearRecord) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, NearFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var r NearRecord
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, r)
	}
	return list
}

func mustFind(t *testing.T, dir string) *Near {
	t.Helper()
	r := &Report{Files: sums.Table{}}
	if err := r.FindNear(dir, 0); err != nil {
		t.Fatal(err)
	}
	if is, err := sums.Of(filepath.Join(dir, NearFile)); err != nil || is.Sum != r.Files[NearFile].Sum || is.Bytes != r.Files[NearFile].Bytes {
		t.Errorf("near.jsonl is %+v, the report says %+v, %v", is, r.Files[NearFile], err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "near*tmp*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return r.Near
}

func TestFindNear(t *testing.T) {
	older := PageRecord{URL: "http://a.example/old", Status: 200, Words: 9, Digest: hexOf(9)}
	dir := crawlOf(t, []PageRecord{
		pageAt("http://a.example/1", 1, 0), {URL: "http://a.example/gone", Status: 404}, older,
		pageAt("http://a.example/far", 2, 400), pageAt("http://b.example/2", 3, 40), pageAt("http://a.example/copy", 1, 0),
		pageAt("http://b.example/x", 4, 600), pageAt("http://c.example/y", 5, 590),
	}, nil, nil)
	// Of a run that was killed:
	if err := os.WriteFile(filepath.Join(dir, "near.tmp123"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found := mustFind(t, dir)
	want := &Near{Total: 2, Pages: 5, Sites: []NearSite{{"a.example", 1, 3}, {"b.example", 1, 2}}, Clusters: []NearCluster{
		{"a.example", 3, []string{"http://a.example/1", "http://b.example/2", "http://a.example/copy"}},
		{"b.example", 2, []string{"http://b.example/x", "http://c.example/y"}},
	}}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("%+v", found)
	}
	near := Likeness{0.9219, 0.8945, 0.9424}
	nearer := Likeness{0.9805, 0.9642, 0.9894}
	records := []NearRecord{
		{1, "http://a.example/1", "http://a.example/copy", sameLikeness}, {1, "http://b.example/2", "http://a.example/1", near},
		{1, "http://a.example/copy", "http://a.example/1", sameLikeness}, {2, "http://b.example/x", "http://c.example/y", nearer},
		{2, "http://c.example/y", "http://b.example/x", nearer},
	}
	if got := nearRecords(t, dir); !reflect.DeepEqual(got, records) {
		t.Errorf("%+v", got)
	}
	text := (&Report{Near: found, Pages: Pages{Fetched: 8}}).Text()
	for _, want := range []string{"\nNear-duplicates\n", "5 pages with nearly the same text as another one, in 2 clusters", "a.example", "http://b.example/x"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if len(line) > width {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	again := mustFind(t, dir)
	if !reflect.DeepEqual(again, found) || len(nearRecords(t, dir)) != len(records) {
		t.Errorf("found again: %+v", again)
	}
}

// Without near-duplicates the file is there and empty, and the report has no table.
func TestFindNoNear(t *testing.T) {
	dir := crawlOf(t, []PageRecord{pageAt("http://a.example/1", 1, 0), pageAt("http://a.example/2", 2, 500)}, nil, nil)
	if err := os.WriteFile(filepath.Join(dir, NearFile), []byte("of an earlier run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := mustFind(t, dir)
	if found.Total+found.Pages != 0 || found.Clusters == nil || len(nearRecords(t, dir)) != 0 {
		t.Errorf("%+v", found)
	}
	if text := (&Report{Near: found, Pages: Pages{Fetched: 2}}).Text(); strings.Contains(text, "Near") {
		t.Error(text)
	}
	if (&Report{}).FindNear(t.TempDir(), 0) == nil {
		t.Error("found in a directory without a crawl")
	}
}

// Lists are bounded; near.jsonl has all.
func TestFindManyNear(t *testing.T) {
	var pages []PageRecord
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 150 {
		signature := make([]byte, 128)
		for b := range signature {
			signature[b] = byte(r.Uint32())
		}
		for k := range 2 + i/149*30 {
			p := pageAt(fmt.Sprintf("http://h%d.example/%d", i, k), uint64(100*i+k), 0)
			p.Signature = bytes.Clone(signature)
			p.Signature[k] ^= 1
			pages = append(pages, p)
		}
	}
	dir := crawlOf(t, pages, nil, nil)
	found := mustFind(t, dir)
	if found.Total != 150 || found.Pages != 330 || len(found.Clusters) != maxNearClusters || len(found.Sites) != maxNearSites ||
		found.Clusters[0].Pages != 32 || len(found.Clusters[0].URLs) != maxNearURLs {
		t.Errorf("%d clusters of %d pages, %d and %d listed, %+v", found.Total, found.Pages, len(found.Clusters), len(found.Sites), found.Clusters[0])
	}
	if n := len(nearRecords(t, dir)); n != 330 {
		t.Errorf("%d lines", n)
	}
}

// The signature of known words, as pages.jsonl has it.
func TestSignatureGolden(t *testing.T) {
	v := visit(t, "http://a.example/", 200, strings.Fields("the quick brown fox jumps over the lazy dog")...)
	r := recordOf(v)
	s := signer{hash: newHash()}
	r.Signature = s.sign(v.Page.Words)
	line := bytes.TrimSpace(r.appendLine(nil))
	_, signature := textsOf(line)
	const want = "IZO6iG0b4v/NYiNcU8108KjLVV+GeXEpd/xXZky2GyNYKhB3v63I2wcAVuKubnP4z1fPtWqWAcVSFmxQ9yIXPcb2yo4tfbhf0dOc20QskxGtQXwfKzvnKr/Mj2qV175cyLK3SF/L0/S+PfY1ES51CtoD6qN1tfmDBDneBjy5u1g="
	if string(signature) != want {
		t.Errorf("%s", signature)
	}
	if got := s.sign(nil); len(got) > 0 {
		t.Errorf("a text without words is signed %q", got)
	}
}

// Whatever else a line has, its digest and its signature are found.
func TestTextsOf(t *testing.T) {
	for i := range 16 {
		var r PageRecord
		if i&1 != 0 {
			r.Digest = "13d731f44169cd7c"
		}
		if i&2 != 0 {
			r.Signature = make([]byte, dedup.PageSignature().Bytes())
		}
		if i&4 != 0 {
			r.InLinks = 120
		}
		if i&8 != 0 {
			r.NewAt, r.NewAtBy, r.Fields = "host", "log", map[string][]string{"inlinks": {"7"}}
		}
		line := bytes.TrimSpace(r.appendLine(nil))
		digest, signature := textsOf(line)
		if string(digest) != r.Digest || (signature != nil) != (r.Signature != nil) {
			t.Errorf("%s: digest %q, signature %q", line, digest, signature)
		}
	}
}

// What stands at the end of a line is read as what it is, whatever it is.
func FuzzTextsOf(f *testing.F) {
	p := pageAt("http://a.example/", 7, 3)
	f.Add(bytes.TrimSpace(p.appendLine(nil)))
	f.Add([]byte(`{"url":"http://a.example/","digest":"13d731f44169cd7c","simhash":"60e39dac66354ed9"}`))
	f.Add([]byte(`{"url":"x","near_signature":"` + strings.Repeat("=", signatureLength) + `"}`))
	f.Add([]byte(`"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		digest, signature := textsOf(line)
		if digest != nil && len(digest) != digestLength || signature != nil && len(signature) != signatureLength {
			t.Fatalf("digest %q, signature %q", digest, signature)
		}
		slots, ok := slotsOf(nil, signature)
		if ok != (len(slots) == dedup.PageSignature().Bytes()/8) {
			t.Fatalf("%d slots, %v", len(slots), ok)
		}
		var r PageRecord
		if json.Unmarshal(line, &r) == nil && ok && !bytes.Contains(line, []byte(`\`)) && len(r.Signature) == 0 {
			t.Errorf("a signature that the record has not: %q", line)
		}
	})
}
