package crawler_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"crawler/weburl"
)

// The kinds of deviation from the URL standard; docs/conformance.md has the
// reasons.
const (
	otherScheme   = "other schemes are refused"
	noFragment    = "the fragment is dropped"
	noUserInfo    = "user info is dropped"
	plainEncoding = "percent-encodings are normalised"
	asciiLabels   = "xn-- labels of ASCII names are not decoded"
)

// failure is the table's word for what is no URL.
const failure = "FAILURE"

// TestConformanceWHATWG holds URLs against the URL standard's own table.
func TestConformanceWHATWG(t *testing.T) {
	var count tally
	readCases(t, "whatwg.txt", func(_, line string) {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			t.Fatalf("%q is no row", line)
		}
		input, want := fromJSON(t, cells[0]), failure
		if cells[2] != failure {
			want = fromJSON(t, cells[2])
		}
		if kind := judgeURL(t, input, cells[1], want); kind == "" {
			count.pass()
		} else {
			count.deviate(kind)
		}
	})
	count.report(t, "whatwg", 300)
}

func fromJSON(t *testing.T, s string) (out string) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return out
}

// judgeURL returns the kind of deviation, "" for none.
func judgeURL(t *testing.T, input, baseCell, want string) string {
	t.Helper()
	var base weburl.URL
	if baseCell != "-" {
		base, _ = weburl.Parse(fromJSON(t, baseCell)) // other schemes are on no page we read
	}
	got, err := base.Resolve(input)
	switch {
	case want == failure && err != nil:
		return ""
	case want == failure && strings.Contains(got.Hostname(), "xn--"):
		return asciiLabels
	case want != failure && !strings.HasPrefix(want, "http:") && !strings.HasPrefix(want, "https:") && err != nil:
		return otherScheme
	case err != nil:
		return input + ": " + err.Error()
	}
	return compareURL(got.String(), want)
}

// compareURL takes the rules of docs/url.md off one after another, to name the
// first that explains the difference.
func compareURL(got, want string) string {
	if got == want {
		return ""
	}
	kind := noFragment
	plain, _, cut := strings.Cut(want, "#")
	if got == plain && cut {
		return kind
	}
	if scheme, rest, ok := strings.Cut(plain, "//"); ok {
		end := strings.IndexAny(rest+"/", "/?")
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			plain, kind = scheme+"//"+rest[at+1:], noUserInfo
		}
	}
	if got == plain {
		return kind
	}
	if got == spellPlainly(plain) {
		return plainEncoding
	}
	return "got " + got + ", want " + want
}

var encoded = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// spellPlainly decodes what RFC 3986 calls unreserved and writes other encodings
// in upper case (section 6.2.2).
func spellPlainly(s string) string {
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	return encoded.ReplaceAllStringFunc(s, func(e string) string {
		for _, c := range unreserved {
			if strings.EqualFold(e, "%"+hexOf(byte(c))) {
				return string(c)
			}
		}
		return strings.ToUpper(e)
	})
}

func hexOf(c byte) string {
	const digits = "0123456789ABCDEF"
	return string(digits[c>>4]) + string(digits[c&15])
}
