package mazes

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// endless returns the sites that make up pages for any address: all their pages are traps.
func endless() []*Site {
	site := func(name string, page func(s *Site, uri string) Answer) *Site {
		return &Site{Name: name, Trap: true, page: func(s *Site, _, uri string) Answer {
			a := page(s, uri)
			a.Trap = a.Status != 404
			return a
		}}
	}
	return []*Site{
		site("repeating segments", repeating),
		site("longer paths", longerPaths),
		site("longer queries", longerQueries),
		site("calendar of months", months),
		site("calendar of days", days),
		site("one shape", oneShape),
		site("soft 404", softNotFound),
		site("markov maze", func(s *Site, uri string) Answer { return s.maze(uri, 600, 0) }),
		site("markov maze, large vocabulary", func(s *Site, uri string) Answer { return s.maze(uri, vocabularySize, 0) }),
		site("maze of new words", func(s *Site, uri string) Answer { return s.maze(uri, 600, 60) }),
		site("maze under a directory", func(s *Site, uri string) Answer { return s.mazeBelow("/library/", uri) }),
	}
}

// repeating is a site with a relative link that lacks its slash, and a server that
// ignores what follows: /about/news/about/news/...
func repeating(s *Site, uri string) Answer {
	names := []string{s.words[500], s.words[501], s.words[502]}
	p := cut(uri)
	d := s.begin(s.text("name "+p[len(p)-1], 3))
	d.say("<p>%s</p>", s.text("page "+p[len(p)-1], 100))
	for _, n := range names {
		d.link(n+"/", n)
	}
	return d.answer()
}

// longerPaths adds a segment with every link, and some new text.
func longerPaths(s *Site, uri string) Answer {
	d := s.begin("Deeper")
	d.say("<p>%s</p>", s.text(uri, 60))
	base := strings.TrimSuffix(uri, "/")
	d.link(base+"/"+s.prose(s.random("down"+uri), 1, 900), "on")
	return d.answer()
}

// longerQueries adds a parameter with every link, and some new text.
func longerQueries(s *Site, uri string) Answer {
	r := s.random("more" + uri)
	d := s.begin("More")
	d.say("<p>%s</p>", s.text(uri, 60))
	sep := "&"
	if !strings.Contains(uri, "?") {
		sep = "?"
	}
	d.link(fmt.Sprintf("%s%s%s=%d", uri, sep, s.prose(r, 1, 900), r.IntN(10)), "on")
	return d.answer()
}

// months is a calendar by the month, forward and back for ever, with hardly an event.
func months(s *Site, uri string) Answer {
	month := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	if uri != "/" {
		var err error
		if month, err = time.Parse("/calendar/2006/01", uri); err != nil {
			return gone()
		}
	}
	d := s.begin(month.Format("January 2006"))
	for day := month; day.Month() == month.Month(); day = day.AddDate(0, 0, 1) {
		d.say("%d", day.Day())
	}
	if r := s.random(uri); r.IntN(12) == 0 {
		d.say("%s", s.prose(r, 6, 500))
	}
	for _, m := range []int{-1, 1} {
		d.link(month.AddDate(0, m, 0).Format("/calendar/2006/01"), month.AddDate(0, m, 0).Format("January 2006"))
	}
	return d.answer()
}

// days is a calendar whose months link days, none of which has an event.
func days(s *Site, uri string) Answer {
	day := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	monthly := true
	if uri != "/" {
		var err error
		if day, err = time.Parse("/cal?date=2006-01-02", uri); err == nil {
			monthly = false
		} else if day, err = time.Parse("/cal?month=2006-01", uri); err != nil {
			return gone()
		}
	}
	if !monthly {
		d := s.begin(day.Format("2 January 2006"))
		d.say("No events on this day.")
		d.link(day.AddDate(0, 0, -1).Format("/cal?date=2006-01-02"), "before")
		d.link(day.AddDate(0, 0, 1).Format("/cal?date=2006-01-02"), "after")
		d.link(day.Format("/cal?month=2006-01"), "month")
		return d.answer()
	}
	d := s.begin(day.Format("January 2006"))
	for x := day; x.Month() == day.Month(); x = x.AddDate(0, 0, 1) {
		d.link(x.Format("/cal?date=2006-01-02"), strconv.Itoa(x.Day()))
	}
	d.link(day.AddDate(0, -1, 0).Format("/cal?month=2006-01"), "earlier")
	d.link(day.AddDate(0, 1, 0).Format("/cal?month=2006-01"), "later")
	return d.answer()
}

// oneShape has a page for every number, all alike but for one other number.
func oneShape(s *Site, uri string) Answer {
	n := 0
	if p := cut(uri); p[0] == "offer" && len(p) == 2 {
		n = number(p[1])
	}
	r := s.random(uri)
	d := s.begin("Offer")
	d.say("<p>%s</p><p>Only %d left</p>", s.text("offer", 120), r.IntN(100_000))
	for range 4 {
		d.link(fmt.Sprint("/offer/", n+1+r.IntN(1_000_000)), "another offer")
	}
	return d.answer()
}

// softNotFound answers every address with one page, full of links that are wrong.
func softNotFound(s *Site, uri string) Answer {
	d := s.begin("Sorry")
	d.say("<p>The page %s was not found. %s</p>", uri, s.text("sorry", 50))
	r := s.random("not found" + uri)
	base := strings.TrimSuffix(uri, "/")
	for range 4 {
		d.link(base+"/"+s.prose(r, 1, 900), "perhaps this")
	}
	return d.answer()
}

// maze babbles with a vocabulary of few words, and fresh ones coined for the page. It
// links further pages of random names at random depths, all new, and on some sites the
// same handful from everywhere.
func (s *Site) maze(uri string, few, fresh int) Answer {
	return s.babble(uri, "/", few, fresh)
}

// mazeBelow keeps to its directory, and to one depth.
func (s *Site) mazeBelow(dir, uri string) Answer {
	return s.babble(uri, dir, 3000, 0)
}

func (s *Site) babble(uri, dir string, few, fresh int) Answer {
	r := s.random(uri)
	d := s.begin(s.prose(r, 4, few))
	for range 2 + r.IntN(4) {
		d.say("<p>%s</p>", s.prose(r, 20+r.IntN(60), few))
	}
	for range fresh {
		d.say("%s", coin(r)+coin(r))
	}
	for i := range s.vary("navigation", 0, 6) {
		d.link(dir+s.words[4000+i]+"-"+s.words[5000+i]+"/", s.words[4000+i])
	}
	for range 3 + r.IntN(4) {
		path := dir + s.words[r.IntN(vocabularySize)] + "-" + s.words[r.IntN(vocabularySize)]
		if dir == "/" {
			for range r.IntN(3) {
				path += "/" + s.words[r.IntN(vocabularySize)]
			}
		}
		d.link(path+"/", s.prose(r, 3, few))
	}
	return d.answer()
}
