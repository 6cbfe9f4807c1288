package trap

import (
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
		{"http://10.1.0.7/x", "http://10.2.0.7/x", false},
		{"http://10.1.0.7/x", "http://10.1.0.7:8080/x", true},
		{"http://[2001:db8::7]/x", "http://[2001:db8::8]/x", false},
		{"http://[2001:db8::7]/x", "http://[2001:db8::7]:8080/x", true},
	} {
		a, nameA := wide(tt.a)
		b, nameB := wide(tt.b)
		if (a == b) != tt.shared || (nameA == nameB) != tt.shared {
			t.Errorf("%s and %s share %q and %q: %t, want %t", tt.a, tt.b, nameA, nameB, a == b, tt.shared)
		}
	}
}
