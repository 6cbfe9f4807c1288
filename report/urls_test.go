package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/dedup"
)

func TestReadURLs(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, PagesFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []Recorded
	read := func() error {
		got = nil
		return ReadURLs(dir, PagesFile, func(r Recorded) error {
			got = append(got, r)
			return nil
		})
	}
	if err := read(); err != nil || got != nil {
		t.Errorf("a file that is not there: %v, %v", got, err)
	}
	page := PageRecord{URL: "http://a.example/x", Title: `","digest":"0000000000000000`, Digest: "00000000000000ff",
		NewAt: "host", NewAtBy: "log", Signature: make([]byte, dedup.PageSignature().Bytes()), InLinks: 7}
	bare := PageRecord{URL: "http://b.example/", Fields: map[string][]string{"x": {`","digest":"2222222222222222`}}}
	lines := string(bare.appendLine(page.appendLine(nil)))
	write(lines + `{"url":"http://c.exam`) // a torn last line
	if err := read(); err != nil || len(got) != 2 || got[0].URL.String() != page.URL || got[0].Digest != 255 || got[1].URL.String() != bare.URL || got[1].Digest != 0 {
		t.Errorf("%v, %v", got, err)
	}
	// Another program may have escaped what need not be.
	write(`{"url":"http:\/\/a.example\/x","status":200}` + "\n")
	if err := read(); err != nil || len(got) != 1 || got[0].URL.String() != page.URL {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "{}", `{"url":"`, `{"url":""}`, `{"url":"x"}`, `{"url":"http://a.example/"`, `{"url":"http://a.example\q"}`, `{"status":200,"url":"http://a.example/"}`, "\x00"} {
		write(lines + bad + "\n" + lines)
		if err := read(); err == nil || !strings.Contains(err.Error(), PagesFile) || !strings.Contains(err.Error(), "damaged line") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	stop := errors.New("stop")
	write(lines)
	if err := ReadURLs(dir, PagesFile, func(Recorded) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}
