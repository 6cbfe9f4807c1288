package trap_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"crawler/trap"
)

// Times of buses by stop and day are the same each day of a stop, so after the first days no page
// says anything new; but there are 62 stops and 28 days, and then it ends.
func TestProgramsOfFewValuesEnd(t *testing.T) {
	const stops, days = 62, 28
	at := func(stop, day int) string {
		return fmt.Sprintf("/timetable?stop=%d&date=202405%02d", 1000+7*stop, day+1)
	}
	site, home := map[string]string{}, ""
	for stop := range stops {
		if stop%4 == 0 {
			home += link(at(stop, 0))
		}
		for day := range days {
			page := prose(stop, 12)
			for d := max(0, day-1); d <= min(days-1, day+1); d++ {
				page += link(at(stop, d))
			}
			if stop+1 < stops {
				page += link(at(stop+1, day))
			}
			site[at(stop, day)] = page + fmt.Sprintf("<p>these are the times of day %d of this month of May</p>", day+1)
		}
	}
	site["/"] = home
	all(t, site, "span")
}

// What has no end is closed as before, though hardly a page has a value that was not met:
// selections of several values by one name, by some of many parameters, and by three, and a
// calendar.
func TestSelectionsOfFewValuesHaveNoEnd(t *testing.T) {
	span := slices.Index(trap.Rules, "span")
	sites := map[string]func(q url.Values) []url.Values{
		"several values": func(q url.Values) (next []url.Values) {
			for v := range 12 {
				if value := fmt.Sprint(v); !slices.Contains(q["colour"], value) && len(q["colour"]) < 6 {
					more := url.Values{"size": {"1"}, "colour": append(slices.Clone(q["colour"]), value)}
					next = append(next, more)
				}
			}
			return next
		},
		"some of many parameters": func(q url.Values) (next []url.Values) {
			for p := range 12 {
				for v := range 3 {
					more := url.Values{}
					for name, values := range q {
						more[name] = values
					}
					more.Set(fmt.Sprint("p", p), fmt.Sprint(v))
					next = append(next, more)
				}
			}
			return next
		},
		"three parameters": func(q url.Values) (next []url.Values) {
			for _, name := range []string{"x", "y", "z"} {
				for _, step := range []int{-1, 1} {
					more := url.Values{"x": {"7"}, "y": {"7"}, "z": {"7"}}
					for name, values := range q {
						more[name] = values
					}
					at, _ := strconv.Atoi(more.Get(name))
					more.Set(name, fmt.Sprint((at+step+15)%15))
					next = append(next, more)
				}
			}
			return next
		},
	}
	sites["year and week"] = func(q url.Values) (next []url.Values) {
		year, _ := strconv.Atoi(cmp.Or(q.Get("year"), "2024"))
		week, _ := strconv.Atoi(cmp.Or(q.Get("week"), "20"))
		for _, step := range []int{-1, 1} {
			at := 52*year + week - 1 + step
			next = append(next, url.Values{"year": {fmt.Sprint(at / 52)}, "week": {fmt.Sprint(at%52 + 1)}})
		}
		return next
	}
	for name, next := range sites {
		fetched := func(g *trap.Guard) int {
			return len(pages(g, 20_000, func(path string) string {
				if path == "/" {
					return link("/goods?size=1")
				}
				_, query, _ := strings.Cut(path, "?")
				q, _ := url.ParseQuery(query)
				q.Del("size")
				page := "" // goods that are known, in new company
				r := rand.New(rand.NewPCG(1, xxhash.Sum64String(path)))
				for range 5 {
					page += "<p>" + prose(r.IntN(40), 20) + "</p>"
				}
				for _, more := range next(q) {
					page += link("/goods?" + more.Encode())
				}
				return page
			}))
		}
		with, without := fetched(trap.New(trap.Config{})), fetched(trap.New(trap.Config{}).Without(span))
		t.Logf("%s: %d pages, %d without the rule", name, with, without)
		if with > without+without/10 || without >= 20_000 {
			t.Errorf("%s: %d pages, %d without the rule", name, with, without)
		}
	}
}
