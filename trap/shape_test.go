package trap

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/weburl"
)

// Hosts of one registrable domain share their wide patterns. Addresses that end alike have
// no domain in common; the ports of one host do.
func TestWidePatternsOfHosts(t *testing.T) {
	s := newShapes(100)
	wide := func(url string) (uint64, string) {
		u, err := weburl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		return s.of(u).wide, s.wideName(u)
	}
	for _, tt := range []struct {
		a, b   string
		shared bool
	}{
		{"http://a.shop.test/x", "http://b.shop.test/y", true},
		{"http://shop.test/x", "http://b.shop.test:8080/y", true},
		{"http://a.shop.test/x", "http://a.other.test/x", false},
		{"http://a.shop.co.uk/x", "http://a.other.co.uk/x", false},
		{"http://10.1.0.7/x", "http://10.2.0.7/x", true},
		{"http://10.1.0.7/x", "http://10.1.0.7:8080/x", true},
		{"http://[2001:db8::7]/x", "http://[2001:db8::8]/x", true},
		{"http://[2001:db8::7]/x", "http://[2001:db8::7]:8080/x", true},
	} {
		a, nameA := wide(tt.a)
		b, nameB := wide(tt.b)
		if (a == b) != tt.shared || (nameA == nameB) != tt.shared {
			t.Errorf("%s and %s share %q and %q: %t, want %t", tt.a, tt.b, nameA, nameB, a == b, tt.shared)
		}
		if address := strings.Contains(tt.a, "//10.") || strings.Contains(tt.a, "//["); strings.HasPrefix(nameA, "*.") == address {
			t.Errorf("the wide pattern of %s is called %q", tt.a, nameA)
		}
	}
}

// What differs in keys, numbers, values, the sequence or the number of parameters, or in how often
// segments alternate, is one pattern.
func TestFinePatterns(t *testing.T) {
	for want, urls := range map[string][]string{
		"a.test/shop/#": {"http://a.test/shop/1", "http://a.test/shop/23"},
		"a.test/shop/*": {
			"http://a.test/shop/blue", "http://a.test/shop/red-chair.de",
			"http://a.test/shop/green/", "http://a.test/shop/.html",
		},
		"a.test/shop/*.html":     {"http://a.test/shop/red-chair.html", "http://a.test/shop/red.html;sid=7"},
		"a.test/shop/@":          {"http://a.test/shop/0badcafe12", "http://a.test/shop/5f2b7c1d9a"},
		"a.test/cal/#":           {"http://a.test/cal/2024", "http://a.test/cal/2024/01", "http://a.test/cal/2024/01/31"},
		"a.test/x?f":             {"http://a.test/x?f[]=1", "http://a.test/x?f[]=1&f[]=2", "http://a.test/x?f[0]=1&f[1]=2", "http://a.test/x?f%5B0%5D=1&f%5b7%5d=3", "http://a.test/x?f=1", "http://a.test/x?f=1,2,3"},
		"a.test/x?f&g":           {"http://a.test/x?f[]=1&g=1", "http://a.test/x?f[]=1&f[]=2&g=3&g=4"},
		"a.test/post/#/post/#/*": {"http://a.test/post/1/post/2/post/3", "http://a.test/post/1/post/2/post/3/post/4", "http://a.test/post/1/post/2/post/3/post/4/x/5"},
		"a.test/list?page&sort":  {"http://a.test/list?page=1&sort=up", "http://a.test/list?page=2&sort=down"},
	} {
		s := newShapes(100)
		var fine uint64
		for i, url := range urls {
			u, err := weburl.Parse(url)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				fine = s.of(u).fine
			}
			if got, name := s.of(u).fine, s.nameOf(u); got != fine || name != want {
				t.Errorf("%s has the pattern %s, want %s; like %s: %t", url, name, want, urls[0], got == fine)
			}
		}
	}
	s := newShapes(100)
	fine := func(url string) uint64 {
		u, err := weburl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		return s.of(u).fine
	}
	if fine("http://a.test/list?sort=up&page=1") != fine("http://a.test/list?page=2&sort=up") {
		t.Error("the sequence of parameters makes another pattern")
	}
	if fine("http://a.test/list?sort=up") == fine("http://a.test/list?page=2") {
		t.Error("other parameters make no other pattern")
	}
	if fine("http://a.test/shop/red") == fine("http://a.test/shop/red.html") {
		t.Error("another kind of file makes no other pattern")
	}
}

// What is remembered of hosts, names and links says what reading them anew would say, also when a
// host has become a domain of its own and when names were forgotten.
func TestShapesAreRemembered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s, alone := newShapes(60), 0
	for i := range 20_000 {
		behind := []string{"?sid=", "?page=2&sid=", "/y;sid=", "/", "/?f[]=1&f[]=2&", "/y/4/?x", "/y.php;sid=", ".html?sid=", ".html/"}
		url := fmt.Sprintf("http://www%d.shop%d.test/%d/name-%d/x%d%s%032x",
			random.IntN(4), random.IntN(3), random.IntN(3), random.IntN(30), random.IntN(9), behind[random.IntN(len(behind))], random.IntN(9))
		u, err := weburl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		l, wide := *s.of(u), s.wideOf(u)
		anew := s
		anew.hosts, anew.lately = make([][hostWays]knownHost, hostSets), [mostLately]uint64{}
		anew.forgetHosts()
		x := anew.at(u)
		if anew.lastIs.asked || l != *x || wide != x.wide {
			t.Fatalf("%d, %s: %+v, wide %x, anew %+v", i, url, l, wide, *x)
		}
		switch random.IntN(400) {
		case 0:
			s.forgetNames()
		case 1:
			clear(s.pages)
			s.forgetHosts()
		default:
			s.learned(x.host)
		}
		if s.knownHost.alone {
			alone++
		}
	}
	if alone < 1000 {
		t.Errorf("%d of hosts that are domains of their own", alone)
	}
}

// Letters that are written as bytes are letters, in whatever script.
func TestEncodedLettersAreNoKeys(t *testing.T) {
	for s, want := range map[string]class{
		"%D0%9C%D0%BE%D1%81%D0%BA%D0%B2%D0%B0": word,
		"j%C3%A9ch%C3%A9b%C3%A9":               word,
		"%E6%9D%B1%E4%BA%AC-2020":              word,
		"Main%20Page":                          word,
		"a%2Cb":                                list,
		"12%2E5":                               digits,
		"100%":                                 digits,
		"%":                                    word,
		"9f86d081884c7d65":                     key,
		"%39f86d081884c7d6":                    key,
	} {
		if got := classify(s); got != want {
			t.Errorf("%q is %d, want %d", s, got, want)
		}
	}
}

// Functions have names of letters and digits, with underscores between: these are no keys, as long
// as no part of them is one. What is base64 may have dashes, too.
func TestNamesOfFunctionsAreNoKeys(t *testing.T) {
	for s, want := range map[string]class{
		"fn.vld1q_f32_x3.html":               word,
		"fn._mm256_mask_cvtepi32_epi16.html": word,
		"fn.vqrdmlsh_laneq_s16.html":         word,
		"IwAR2x8kQ4zL-b7Tg_v9Wm1":            key,
		"mp3k9x2b-q8v4z7w1":                  key,
		"k7x2m9q4z8w1v6t3":                   key,
	} {
		if got := classify(s); got != want {
			t.Errorf("%q is %d, want %d", s, got, want)
		}
	}
}

// A byte is what classify takes it for.
func TestBytes(t *testing.T) {
	for c := range 256 {
		s := string([]byte{'1', '2', '3', '4', '5', '6', '7', 'a', byte(c)})
		hex := strings.ContainsRune("0123456789abcdefABCDEF-_.:,", rune(c))
		want := word
		switch {
		case hex:
			want = key
		case c == '+':
			want = list
		}
		if got := classify(s); got != want {
			t.Errorf("%q is %d, want %d", s, got, want)
		}
	}
}

// A wide pattern answers for URLs of any parameters, so it has the names of none: an owner would
// look for those.
func TestWidePatternsNameNoParameters(t *testing.T) {
	for url, want := range map[string]string{
		"http://shop.test/list?page=1":             "*.shop.test/*?*",
		"http://shop.test/list?f=1&t=2":            "*.shop.test/*?*&*",
		"http://shop.test/list?f[]=1&f[]=2":        "*.shop.test/*?*&*",
		"http://shop.test/a/b/c?x=1&y=2&z=3&z=4":   "*.shop.test/*?*&*",
		"http://shop.test/a/7":                     "*.shop.test/*/#",
		"http://shop.test/a.html/b.html":           "*.shop.test/*.html",
		"http://127.0.0.1:8000/map?x=1&y=2&zoom=3": "#.#.#.#/*?*&*",
	} {
		s := newShapes(leastPatterns)
		u, err := weburl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.wideName(u); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
