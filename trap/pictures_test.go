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

func each(n int, text func(int) string) (all []string) {
	for i := range n {
		all = append(all, text(i))
	}
	return all
}
