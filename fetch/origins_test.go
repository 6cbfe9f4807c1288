package fetch

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// heard keeps what requests had in a field.
type heard struct {
	mu   sync.Mutex
	what []string
}

func (h *heard) add(r *http.Request, field string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.what = append(h.what, r.URL.Path+" "+strings.Join(r.Header[field], "+"))
}

func (h *heard) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.what = nil }()
	return strings.Join(h.what, ", ")
}

// A header of an origin reaches it, for pages and robots.txt, and no other: not that where its
// redirects lead, nor the same name at another port.
func TestOriginHeaders(t *testing.T) {
	for name, more := range map[string]Config{
		"alone":          {},
		"with a hook":    {Prepare: func(*http.Request) error { return nil }},
		"with a jar":     {Jar: emptyJar(t)},
		"with net/http":  {HTTP2: true},
		"with the bytes": {KeepWire: true},
	} {
		t.Run(name, func(t *testing.T) {
			var mine, theirs heard
			other, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { theirs.add(r, "Authorization") })
			own, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				mine.add(r, "Authorization")
				http.Redirect(w, r, other+r.URL.Path, http.StatusFound)
			})
			more.Header = http.Header{"Authorization": {"everybody"}, "X-A": {"1"}}
			more.OriginHeaders = []OriginHeader{
				{Origins: []string{own}, Header: http.Header{"authorization": {"early"}, "X-A": {"2"}}},
				{Origins: []string{"https://e.test", own, own}, Header: http.Header{"Authorization": {"secret"}}},
			}
			c := newClient(t, more)
			res := get(t, c, own+"/page")
			if got := fmt.Sprint(res.Request["Authorization"], res.Request["X-A"]); got != "[secret] [2]" {
				t.Errorf("the header that was sent: %s", got)
			}
			get(t, c, res.Location)
			if _, err := NewRobots(c, RobotsConfig{}).Fetch(t.Context(), own, nil); err != nil {
				t.Fatal(err)
			}
			if got := mine.take(); got != "/page secret, /robots.txt secret" {
				t.Errorf("the origin got %s", got)
			}
			if got := theirs.take(); got != "/page everybody, /robots.txt everybody" {
				t.Errorf("the other origin got %s", got)
			}
			if v := c.base.Header["Authorization"]; !slices.Equal(v, []string{"everybody"}) {
				t.Errorf("the shared header now has %q", v)
			}
		})
	}
}

// A hundred thousand origins with the same fields share one header.
func TestOriginHeadersAreShared(t *testing.T) {
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf("https://h%d.test", i))
	}
	c := newClient(t, Config{OriginHeaders: []OriginHeader{
		{Origins: all, Header: http.Header{"Cookie": {"a=1"}}},
		{Origins: all[:1], Header: http.Header{"Cookie": {"b=1"}}},
	}})
	distinct := map[*http.Request]bool{}
	for req := range maps.Values(c.origins) {
		distinct[req] = true
	}
	if len(c.origins) != 1000 || len(distinct) != 2 {
		t.Errorf("%d origins have %d headers", len(c.origins), len(distinct))
	}
}

func TestOriginHeadersRefused(t *testing.T) {
	fine := http.Header{"Cookie": {"a=1"}}
	for _, h := range []OriginHeader{
		{Origins: []string{"https://e.test"}, Header: http.Header{"Host": {"f.test"}}},
		{Origins: []string{"https://e.test"}, Header: http.Header{"X-A": {"b\r\nX-C: d"}}},
		{Origins: []string{"e.test"}, Header: fine},
		{Origins: []string{"https://e.test:443"}, Header: fine},
		{Origins: []string{"https://E.test"}, Header: fine},
		{Origins: []string{"https://e.test/"}, Header: fine},
		{Origins: []string{""}, Header: fine},
	} {
		if c, err := New(Config{OriginHeaders: []OriginHeader{h}}); err == nil {
			c.Close()
			t.Errorf("%v: accepted", h)
		}
	}
}

func emptyJar(t *testing.T) http.CookieJar {
	jar, err := LoadCookies(strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	return jar
}
