package trap_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"crawler/trap"
)

// A site whose pages end with the time, how long they took to make, and how many came: other
// numbers with each answer. Its pages under ever new session ids are copies all the same, and the
// honest ones come first.
func TestClocksHideNoCopies(t *testing.T) {
	for _, link := range []string{"/post?id=%d&sid=%08x", "/s/%[2]x5c/post-%[1]d", "/post?id=%d&k=a%x"} {
		answers, posts := 0, map[string]bool{}
		web := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answers++
			id := 0
			if q := r.URL.Query().Get("id"); q != "" {
				fmt.Sscan(q, &id)
			} else if _, name, ok := strings.Cut(r.URL.Path, "post-"); ok {
				fmt.Sscan(name, &id)
			}
			posts[fmt.Sprint(id)] = true
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<p>%s", prose(id, 60))
			for i := range 4 {
				fmt.Fprintf(w, "<a href='"+link+"'>other</a> ", (id*7+i*13+1)%60, 0x10000000+answers*0x10001*8+i)
			}
			fmt.Fprintf(w, "<p>The page was made in 0.%04d s at %02d:%02d:%02d for visitor %d", answers*2654435761%10000, answers/3600%24, answers/60%60, answers%60, 12345+answers)
		})
		refused, fetched := crawlWeb(t, web, "http://clock.test/", 5000)
		if refused == 0 || fetched > 2000 || len(posts) != 60 {
			t.Errorf("%s: %d URLs refused, %d pages fetched, %d of 60 posts", link, refused, fetched, len(posts))
		}
	}
}

func TestSteady(t *testing.T) {
	var s trap.Sampler
	words := make([]uint64, 200)
	for i := range words {
		words[i] = uint64(i)
	}
	at := func(numerals ...int32) []int32 { return numerals }
	for _, tt := range []struct {
		url      string
		words    int
		numerals []int32
		without  []uint64
	}{
		{"http://a.test/x?sid=1", 200, nil, nil},
		{"http://a.test/x?sid=1", 200, at(0, 15, 16, 100, 167, 168, 199), []uint64{0, 15, 168, 199}},
		{"http://a.test/x?k=0123456789abcdef", 200, at(3, 100), []uint64{3}},
		{"http://a.test/0123456789abcdef/x", 200, at(3, 100), []uint64{3}},
		{"http://a.test/a1b2c3d4-e5f6-a7b8-c9d0-e1f2a3b4c5d6", 200, at(3, 100), []uint64{3}},
		{"http://a.test/x;jsessionid=0a", 200, at(3, 100), []uint64{3}},
		{"http://a.test/hex-bolt-m4x20-a2-steel-m8x10", 200, at(3, 199), nil},
		{"http://a.test/2024/01/x", 200, at(3, 199), nil},
		{"http://a.test/x?page=2", 200, at(3, 199), nil},
		{"http://a.test/x?sid=1", 12, at(1, 2, 3), []uint64{1, 2, 3}},
		{"http://a.test/x?sid=1", 11, at(1, 2, 3), nil},
		{"http://a.test/x?sid=1", 200, at(1, 2, 3, 4, 5, 190), []uint64{190}},
		{"http://a.test/x?sid=1", 200, at(1, 180, 181, 182, 183, 184, 185, 186, 187, 188), []uint64{1}},
	} {
		got := s.Steady(mustParse(t, tt.url), words[:tt.words], tt.numerals)
		want := slices.Clone(words[:tt.words])
		for i, w := range want {
			if slices.Contains(tt.without, w) {
				want[i] = got[tt.without[0]] // one word for all
			}
		}
		if !slices.Equal(got, want) || len(tt.without) > 0 && slices.Contains(words, got[tt.without[0]]) {
			t.Errorf("%s, %d words, numerals at %d: %d, want all but %d", tt.url, tt.words, tt.numerals, got, tt.without)
		}
	}
}

// An address that repeats its words is a way through a pedigree or a key of species, and no
// trap: each page is another.
func TestRepeatedSegments(t *testing.T) {
	pages := 0
	web := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages++
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>%s", prose(pages, 12))
		if strings.Count(r.URL.Path, "/") < 9 {
			fmt.Fprintf(w, "<a href='%[1]sfather/'>father</a> <a href='%[1]smother/'>mother</a>", r.URL.Path)
		}
	})
	if refused, fetched := crawlWeb(t, web, "http://kin.test/", 5000); refused > 0 || fetched != 511 {
		t.Errorf("%d URLs refused, %d pages fetched of 511", refused, fetched)
	}
}
