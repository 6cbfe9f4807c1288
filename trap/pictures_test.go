package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
)

// Scans of books have no word but the page's number, which the URL has, too, so by their words they
// are one page under any number. They are listed, so they end; without pictures they are closed.
// Whatever is shown, a number has no end where each page leads to the next.
func TestScansAreNoCopies(t *testing.T) {
	const books, scans = 12, 60
	for _, tt := range []struct {
		name    string
		picture func(book, scan int) string
		endless bool
		all     bool
	}{
		{"scans", func(book, scan int) string { return fmt.Sprintf("/scan/%d-%d.jpg", book, scan) }, false, true},
		{"the same picture", func(int, int) string { return "/logo.png" }, false, false},
		{"counted visits", func(book, scan int) string { return fmt.Sprintf("/visit.gif?n=%d", scans*book+scan) }, false, false},
		{"without end", func(book, scan int) string { return fmt.Sprintf("/scan/%d-%d.jpg", book, scan) }, true, false},
	} {
		get := func(path string) string {
			var book, scan int
			switch k, _ := fmt.Sscanf(path, "/book/%d/?pg=%d", &book, &scan); {
			case path == "/":
				return strings.Join(each(books, func(i int) string { return link(fmt.Sprintf("/book/%d/", i)) }), "")
			case k == 0:
				return ""
			case k == 1:
				return prose(book, 30) + strings.Join(each(scans, func(i int) string { return link(fmt.Sprintf("/book/%d/?pg=%d", book, i+1)) }), "")
			}
			body := fmt.Sprintf("%s<h1>Scan %d</h1><img src='%s'>", prose(9999, 40), scan, tt.picture(book, scan))
			if tt.endless {
				body += link(fmt.Sprintf("/book/%d/?pg=%d", book, scan+1))
			}
			return body
		}
		n, want := len(pages(trap.New(trap.Config{}), 5000, get)), 1+books+books*scans
		if tt.all && n != want || !tt.all && !tt.endless && n == want || tt.endless && n > want+2*trap.DefaultBudget {
			t.Errorf("%s: %d pages of %d", tt.name, n, want)
		}
	}
}

// A session ends though its pictures are other ones each time: what is said is known, so its pages
// earn nothing, and if they say something they are copies.
func TestSessionsWithPicturesEnd(t *testing.T) {
	const articles = 40
	for name, picture := range map[string]func(request int, session string) string{
		"none":       func(int, string) string { return "" },
		"a logo":     func(int, string) string { return "<img src=/logo.png>" },
		"in session": func(_ int, session string) string { return "<img src=/s/" + session + "/logo.png>" },
		"banners":    func(request int, _ string) string { return fmt.Sprintf("<img src=/banner/%d.jpg>", request*7919%53) },
	} {
		for _, words := range []int{6, 60} {
			request, met := 0, map[int]bool{}
			get := func(path string) string {
				session, article := "", 0
				if n, _ := fmt.Sscanf(path, "/s/%32s/%d", &session, &article); path != "/" && n < 2 {
					return ""
				}
				met[article] = true
				request++
				session = fmt.Sprintf("%032x", uint64(request)*0x9e3779b97f4a7c15)
				body := prose(article, words) + picture(request, session)
				for i := range articles {
					body += fmt.Sprintf("<a href='/s/%s/%d'></a>", session, i)
				}
				return body
			}
			n := len(pages(trap.New(trap.Config{}), 5000, get))
			if most := map[int]int{6: articles + trap.DefaultBudget, 60: articles + 3*trap.DefaultBudget/4}[words]; len(met) != articles || n > most {
				t.Errorf("%s, %d words: %d articles of %d, %d requests, want %d at most", name, words, len(met), articles, n, most)
			}
		}
	}
}

func each(n int, text func(int) string) (all []string) {
	for i := range n {
		all = append(all, text(i))
	}
	return all
}
