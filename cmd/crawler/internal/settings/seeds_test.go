package settings

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// Seeds come from arguments and from a file; what cannot be used is named with its place, and a
// password is not repeated.
func TestReadSeeds(t *testing.T) {
	good := "\ufeffhttp://B.example  # who we are\n\n# a comment\nhttp://c.example/#x\nd.example\n"
	seeds, err := ReadSeeds([]string{"http://a.example", "-"}, "", strings.NewReader(good))
	want := []string{"http://a.example/", "http://b.example/", "http://c.example/", "d.example"}
	if err != nil || !slices.Equal(seeds.URLs, want) || seeds.Bare != 1 || seeds.Bad != "" {
		t.Errorf("%q, %v; want %q", seeds.URLs, err, want)
	}
	for _, c := range []struct {
		args []string
		file string
		want string
	}{
		{nil, "", "no seeds on standard input"},
		{nil, "example\nx:y\n", "-:2: "},
		{[]string{"http://me:secret@a.example/"}, "http://b.example/\n", "argument 1: http://a.example/ with a user name"},
		{[]string{"me:secret@a.example"}, "http://b.example/\n", "argument 1: a mail address"},
		{[]string{"seeds_test.go"}, "http://b.example/\n", "did you mean --seeds seeds_test.go"},
	} {
		_, err := ReadSeeds(c.args, "-", strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q, %q: %v, want %s", c.args, c.file, err, c.want)
		}
	}
}

// What a line of a list names; "" for a line that is no seed.
func TestSeedLines(t *testing.T) {
	for line, want := range map[string]string{
		"1,example.com": "example.com", "17\texample.com": "example.com", `3;"example.com"`: "example.com", `"4","example.com"`: "example.com",
		"5, example.com/a,b": "", "https://example.com,1000": "https://example.com/", "https://example.com/a,1000": "https://example.com/a,1000",
		"EXAMPLE.com": "EXAMPLE.com", "example.com:8443/x?y": "example.com:8443/x?y", "münchen.de": "münchen.de", "[::1]:80": "http://[::1]/", "[::1]": "[::1]",
		"localhost": "localhost", "localhost:80": "http://localhost/", "10.0.0.1:8080": "10.0.0.1:8080", "example.com.": "example.com.",
		"10.1": "", "0x7f.1": "", "1": "", "1,": "", ",example.com": "", "rank,domain": "", "com": "", "a b.com": "", "*.com": "", "me@a.com": "",
		"mailto:me@a.com": "", "javascript:alert(1.5)": "", "ftp://a.com": "", "a..com": "", "/etc/passwd": "", "./a.txt": "", "--depth": "", "c:\\a.txt": "",
		"1,2": "", "1,2.3": "", "1,https://example.com/": "https://example.com/",
	} {
		got, err := ReadSeeds([]string{"-"}, "", strings.NewReader(line+"\n"))
		if want == "" && err == nil || want != "" && (err != nil || !slices.Equal(got.URLs, []string{want})) {
			t.Errorf("%q: %q, %v; want %q", line, got.URLs, err, want)
		}
	}
}

// A list that Windows has written, in either order of bytes.
func TestSeedsInUTF16(t *testing.T) {
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		list, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String("1,example.com\r\nmünchen.de # one\r\n\r\nhttp://a.example/x\r\n")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"example.com", "münchen.de", "http://a.example/x"}
		if got, err := ReadSeeds([]string{"-"}, "", strings.NewReader(list)); err != nil || !slices.Equal(got.URLs, want) || got.Bad != "" {
			t.Errorf("%q, %q, %v", got.URLs, got.Bad, err)
		}
	}
}

// A hundred thousand lines are read at once, compressed or not, and of many bad ones the numbers
// stay few.
func TestManySeeds(t *testing.T) {
	var list, packed bytes.Buffer
	for n := range 100_000 {
		if n%3 == 0 {
			list.WriteString("?\n")
		}
		fmt.Fprintf(&list, "%d,host%d.example\n", n, n)
	}
	z := gzip.NewWriter(&packed)
	z.Write(list.Bytes())
	z.Close()
	seeds, err := ReadSeeds([]string{"-"}, "", &packed)
	if err != nil || len(seeds.URLs) != 100_000 || seeds.Bare != 100_000 || !strings.HasPrefix(seeds.Bad, "33,334 lines skipped") || len(seeds.Bad) > 1500 {
		t.Errorf("%d seeds, %d bare, %v: %s", len(seeds.URLs), seeds.Bare, err, seeds.Bad)
	}
}
