package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
)

// Lists have a next page and one ten further on for ever, without anything beyond their fourth.
// What they list is fetched, page 2 of list 2 included, whose number is the list's by chance.
func TestPagesBeyondTheLast(t *testing.T) {
	const lists, pagesOfList, perPage = 6, 4, 10
	get := func(path string) string {
		body := prose(9999, 80)
		for list := range lists {
			body += link(fmt.Sprintf("/list/%d", list+1))
		}
		var list, page, item int
		switch k, _ := fmt.Sscanf(path, "/list/%d?page=%d", &list, &page); {
		case path == "/":
			return body
		case strings.HasPrefix(path, "/item/"):
			fmt.Sscanf(path, "/item/%d", &item)
			return body + prose(item, 40+item%40)
		case k == 0:
			return ""
		case k == 1:
			page = 1
		}
		if page > pagesOfList {
			body += "<p>Nothing.</p>"
		} else {
			for i := range perPage {
				item = 1000*list + perPage*page + i
				body += fmt.Sprintf("<p><a href='/item/%d'>%s</a></p>", item, prose(item, 5))
			}
			for n := range pagesOfList {
				body += link(fmt.Sprintf("/list/%d?page=%d", list, n+1))
			}
		}
		return body + link(fmt.Sprintf("/list/%d?page=%d", list, page+1)) + link(fmt.Sprintf("/list/%d?page=%d", list, page+10))
	}
	items, rest := 0, 0
	for _, path := range pages(trap.New(trap.Config{}), 5000, get) {
		if strings.HasPrefix(path, "/item/") {
			items++
		} else {
			rest++
		}
	}
	if want := lists * pagesOfList * perPage; items != want || rest > 2*trap.DefaultBudget {
		t.Errorf("%d of %d items, and %d others", items, want, rest)
	}
}
