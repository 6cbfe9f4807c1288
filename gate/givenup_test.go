package gate

import (
	"reflect"
	"testing"

	"crawler/frontier"
	"crawler/weburl"
)

func TestGivenUpRecord(t *testing.T) {
	u, err := weburl.Parse("http://a.test/x")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []givenUp{
		{offer: offer{Item: frontier.Item{URL: u, Via: "http://a.test/", Depth: 3}}, reason: HostClosed, admitted: true, charged: true},
		{offer: offer{Item: frontier.Item{URL: u, Sitemap: true}, nofollow: true}, reason: RobotsUnreachable},
		{offer: offer{Item: frontier.Item{URL: u, From: "http://b.test/", Hops: 1}}, status: 503, admitted: true},
		{offer: offer{Item: frontier.Item{URL: u}}, reason: "body", status: 200, admitted: true, charged: true},
	} {
		b := appendGivenUp(nil, g)
		if got, err := readGivenUp(b); err != nil || !reflect.DeepEqual(got, g) {
			t.Errorf("%+v becomes %+v, %v", g, got, err)
		}
		for n := range b {
			if _, err := readGivenUp(b[:n]); err == nil {
				t.Errorf("%d of %d bytes are taken for a record", n, len(b))
			}
		}
		if _, err := readGivenUp(append(b, 0)); err == nil {
			t.Error("a byte too many is taken")
		}
		b[0] |= 0x80
		if _, err := readGivenUp(b); err == nil {
			t.Error("unknown flags are taken")
		}
	}
}
