package weburl

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wptDir names the environment variable that says where the web platform tests'
// folder url/resources lies: the whole of it, as new as it is. An older table's
// rows for http and https are in testdata/conformance (docs/conformance.md).
const wptDir = "WPT_URL_RESOURCES"

// wptCase is one row of urltestdata.json.
type wptCase struct {
	Input              string
	Base               *string
	Href               string
	Failure            bool
	Username, Password string
	Hash               string
}

// TestWHATWG_urltestdata holds the package against the URL standard's own test
// table: every row whose input, base or result is http or https. docs/url.md
// gives the figures and names each kind of difference.
func TestWHATWG_urltestdata(t *testing.T) {
	count := map[string]int{}
	for _, c := range readWPT[wptCase](t, "urltestdata.json") {
		kind := checkWPT(t, c)
		count[kind]++
		if testing.Verbose() && strings.HasPrefix(kind, "differs") {
			t.Logf("%s: %q", kind, c.Input)
		}
	}
	for kind, n := range count {
		t.Logf("%4d %s", n, kind)
	}
	if count["same"] < 100 {
		t.Errorf("only %d rows agreed to the letter: is this the right file?", count["same"])
	}
}

// readWPT reads the rows of a file, skipping the test when there is none.
func readWPT[Row any](t *testing.T, file string) (rows []Row) {
	dir := os.Getenv(wptDir)
	if dir == "" {
		t.Skip(wptDir + " is not set; testdata/conformance/whatwg.txt has most of it")
	}
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, raw := range all {
		var row Row
		if raw[0] == '{' { // the others are comments
			if err := json.Unmarshal(raw, &row); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// checkWPT compares one row and returns what kind of row it is.
func checkWPT(t *testing.T, c wptCase) string {
	var base URL
	if c.Base != nil {
		b, err := Parse(*c.Base)
		if err != nil && isHTTP(*c.Base) {
			t.Errorf("base %q: %v", *c.Base, err)
		}
		base = b
	}
	foreignBase := c.Base != nil && base.IsZero()
	got, err := base.Resolve(c.Input)
	switch {
	case c.Failure && err == nil:
		t.Errorf("%q on %v: got %s, want failure", c.Input, base, got)
		return "wrong"
	case c.Failure && (isHTTP(c.Input) || !base.IsZero()):
		return "same refusal"
	case c.Failure || foreignBase && !isHTTP(c.Href) || !isHTTP(c.Href) && base.IsZero() && !isHTTP(c.Input):
		return "not http"
	case !isHTTP(c.Href):
		if err == nil {
			t.Errorf("%q on %v: got %s, want %s", c.Input, base, got, c.Href)
		}
		return "other scheme, refused"
	case err != nil:
		t.Errorf("%q on %v: %v, want %s", c.Input, base, err, c.Href)
		return "wrong"
	}
	return compareWPT(t, c, got)
}

func isHTTP(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:")
}

// compareWPT compares an accepted row, and takes our rules off one by one to
// name a difference.
func compareWPT(t *testing.T, c wptCase, got URL) string {
	href := c.Href
	kind := "same"
	if i := strings.IndexByte(href, '#'); i >= 0 {
		href, kind = href[:i], "same but for the fragment"
	}
	if c.Username != "" || c.Password != "" {
		scheme, rest, _ := strings.Cut(href, "//")
		_, rest, _ = strings.Cut(rest, "@")
		href, kind = scheme+"//"+rest, "differs: user info dropped"
	}
	if got.String() == href {
		return kind
	}
	if got.String() == plainPercent(href) {
		return "differs: percent-encoding normalised"
	}
	t.Errorf("%q: got %s, want %s", c.Input, got, href)
	return "wrong"
}

var anyTriplet = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// plainPercent is the percent-encoding normal form for input without lone
// percent signs, said another way than the package says it.
func plainPercent(s string) string {
	return anyTriplet.ReplaceAllStringFunc(s, func(e string) string {
		c := unhex(e[1])<<4 | unhex(e[2])
		if strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~", c) >= 0 {
			return string(rune(c))
		}
		return strings.ToUpper(e)
	})
}

// TestWHATWG_toascii holds host names against the standard's tables. Where they
// differ, Unicode's version does (docs/url.md): we then refuse the host, or read
// a capital sharp s as "ss", but never take another host for it.
func TestWHATWG_toascii(t *testing.T) {
	type row struct {
		Input  string
		Output *string
	}
	for _, file := range []string{"toascii.json", "IdnaTestV2.json"} {
		differ, rows := 0, readWPT[row](t, file)
		for _, r := range rows {
			if r.Input == "" {
				continue // the host is then missing, not empty
			}
			want := ""
			if r.Output != nil {
				want = *r.Output
			}
			u, err := Parse("https://" + url.PathEscape(r.Input) + "/")
			if u.Host() == want {
				continue
			}
			differ++
			if err == nil && strings.ReplaceAll(r.Input, "\u1E9E", "ss") == r.Input {
				t.Errorf("%s: %+q: got %s, want %q", file, r.Input, u.Host(), want)
			}
		}
		t.Logf("%s: %d of %d rows differ", file, differ, len(rows))
		if differ*30 > len(rows) && file == "IdnaTestV2.json" {
			t.Errorf("too many rows of %s differ", file)
		}
	}
}
