package trap_test

import (
	"testing"

	"crawler/trap"
)

// What serves a visitor waits four ranks, by its name; what may be an article does not.
func TestServicesWait(t *testing.T) {
	for _, url := range []string{
		"/login", "/LOGIN.php?x=1", "/de/login/", "/admin/users", "/posting.php?mode=quote&p=7", "/search?q=owl", "/search/owl",
		"/comment/reply/17", "/story/17/print", "/story.php?id=17&print=1", "/story.php?id=17&format=print", "/show/17?replytocom=4",
		"/wiki/Special:WhatLinksHere/Owl", "/w/index.php?title=Owl&oldid=17", "/w/index.php?title=Owl&action=history",
		"/list?sort=name", "/list?sort[]=name", "/list?a=1;sort=name", "/report.php?id=7", "/topic/17/report", "/calendar/2031/05",
		"/cart/add/17", "/redirect?to=http%3A%2F%2Fa.test%2F", "/blame/main/file.go", "/events.ics/feed", "/login;jsessionid=AB12", "/report.phtml",
		"/opac-search.pl?idx=kw", "/advanced_search_result.php", "/owls/?q=nest&page=2", "/list?Query=owl", "/list?q=owl", "/hotel/7?checkin=2031-05-01",
		"/story/17?utm_source=feed", "/files/owls.tar.gz", "/owls.ZIP", "/memberlist.php", "/owls/ajax/", "/list?filter=owls",
	} {
		if v := judge(t, trap.New(trap.Config{}), "http://a.test"+url); v.Rank != 4 || v.Wait || v.Kind != "" {
			t.Errorf("%s: %+v", url, v)
		}
	}
	for _, url := range []string{
		"/", "/report", "/report/2031/owls", "/reports", "/history/of/owls", "/order/strigiformes", "/quote/OWL", "/printing", "/print-shop",
		"/blogin", "/story?id=17", "/logins?page=2", "/random/owl", "/theme/owls", "/destination/faroe", "/lang/go",
		"/?q=node/17", "/?q=about-us", "/?q=node%2f17&page=2", "/index.php?q=forum/3&page=2", "/index.php?Q=node%2F17", "/stats/2031/owls", "/statistics.html", "/query/owls", "/q", "/owls.gz.html", "/filter/oil",
		"/x?id=query", "/research.php", "/search-engines.html", "/lib/binary_search.py", "/lib/search_tree.pl", "/departure/17", "/gz", "/wiki/File:Owls.zip",
		"/category/ajax/owls", "/search-owls.php", "/result.php", "/a.gz/owls",
		"/x?title=search+for+owls", "/search-for-owls", "/research", "/calendars", "/a?" + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=b",
	} {
		if v := judge(t, trap.New(trap.Config{}), "http://a.test"+url); v.Rank != 0 {
			t.Errorf("%s: %+v", url, v)
		}
	}
}

// On a site that has nothing but services they are in the sequence in which they were found, and
// bring what they bring.
func TestServicesAreNotRefused(t *testing.T) {
	g := newGuard()
	for i := range 1000 {
		url := "http://a.test/calendar/" + called(i)
		if v := judge(t, g, url); v.Kind != "" || v.Rank < 4 || v.Rank > 16 {
			t.Fatalf("%d: %+v", i, v)
		}
		teach(t, g, url, "http://a.test/", prose(i, 60))
	}
}
