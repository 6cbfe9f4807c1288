package mazes

import (
	"fmt"
	"strings"
)

// tablePlans are the honest sites of the Table. At a size below 5,000 they have fewer years
// and seasons.
func tablePlans(size int) []*Site {
	firstDay := date(2017, 1, 1)
	monthName := func(p *leaf) string { return firstDay.AddDate(0, p.i, 0).Format("January 2006") }
	month := func(g int) int { return int(firstDay.AddDate(0, g, 0).Sub(firstDay).Hours() / 24) }
	rounds := func(name, pattern, match string, season field) *plan {
		return &plan{name: "fixtures, " + name, ways: inARow, group: named(pattern, season, from(1, 38)), each: 10, leaf: named(match, from(20_001, 0)),
			title: captions(3, 60), label: func(p *leaf) string { return fmt.Sprint("Round ", p.i%38+1) }, says: matchReport}
	}
	var all []*Site
	for _, k := range []struct {
		*plan
		leaves int
	}{
		{&plan{name: "months and days", ways: inARow, group: named("/{}/", monthly(firstDay, "2006/01")), label: monthName, span: month, leaf: named("/{}/", daily(firstDay, "2006/01/02")),
			title: func(p *leaf) string { return fmt.Sprint(firstDay.AddDate(0, 0, p.i).Day()) }, says: func(p *leaf) { p.write(50, vocabularySize) }}, 3287},
		{&plan{name: "months, days by date", ways: inARow, group: named("/calendar/{}", monthly(firstDay, "2006/01")), label: monthName, span: month, leaf: named("/day/{}", daily(firstDay, "2006-01-02")),
			title: func(p *leaf) string { return fmt.Sprint(firstDay.AddDate(0, 0, p.i).Day()) }, heads: func(p *leaf) { p.say("Mo Tu We Th Fr Sa Su") }, says: func(p *leaf) { p.write(50, vocabularySize) }}, 3287},
		{rounds("season and round", "/season/{}/round/{}", "/report/{}", from(2005, 0)), 4940},
		{rounds("league and matchday", "/league/{}/matchday/{}", "/match/{}.html", from(2005, 0)), 4940},
		{rounds("by query", "/fixtures?season={}&round={}", "/match?id={}", from(2005, 0)), 4940},
		{rounds("numbered seasons", "/season/{}/round/{}", "/report/{}", from(1, 0)), 4940},
		{&plan{name: "tables by day", ways: []string{chained}, leaf: named("/weather/{}", daily(date(2015, 1, 1), "2006/01/02")), title: func(p *leaf) string { return "Weather" }, says: hours}, 2920},
		{&plan{name: "tokens", ways: []string{chained, listed, linked}, leaf: tokens(), says: tokenPage}, 60},
	} {
		whole := k.plan.lay(chained, k.leaves)
		if size >= 5000 || whole.pages() <= size {
			all = append(all, k.exactly(k.leaves)...)
		} else {
			all = append(all, k.plan.sites(size)...)
		}
	}
	return append(all, manyAddresses(min(size, 1200)))
}

// tokens names a page by its number and six digits that belong to it.
func tokens() address {
	return named("/view?node={}", field{write: func(_ *Site, v int) string {
		return fmt.Sprintf("%d&tok=%s", v+1, hexKey(uint64(v), 16)[:6])
	}, read: func(_ *Site, text string) int {
		n, _, _ := strings.Cut(text, "&")
		return number(n) - 1
	}})
}

// tokenPage leads to the next pages of a tree.
func tokenPage(p *leaf) {
	p.write(60, vocabularySize)
	if p.way == linked {
		for c := 3*p.i + 1; c <= 3*p.i+3; c++ {
			p.see(c)
		}
	}
}

func matchReport(p *leaf) {
	p.say("%d : %d", p.IntN(6), p.IntN(6))
	p.write(50+p.IntN(60), 3000)
}

func hours(p *leaf) {
	for hour := range 24 {
		p.say("<td>%02d:00</td><td>%d.%d</td><td>%d %%</td><td>%d</td>", hour, p.IntN(30), p.IntN(10), 20+p.IntN(80), 980+p.IntN(60))
	}
}

const perAddress = 20

// manyAddresses is one site on many IPv4 addresses that differ in their second byte only, so
// that the last two of them look like a domain. Each has a page of its own and some more.
func manyAddresses(size int) *Site {
	hosts := size / perAddress
	return &Site{Name: "addresses", Shape: "addresses", Seed: "http://10.0.0.1/", Pages: hosts * perAddress, addresses: true, page: func(s *Site, host, uri string) Answer {
		var h, i int
		if n, _ := fmt.Sscanf(host, "10.%d.0.1", &h); n != 1 || h >= hosts || fmt.Sprintf("10.%d.0.1", h) != host {
			return gone()
		}
		if uri != "/" {
			if i = number(strings.TrimPrefix(uri, "/page")); i < 1 || i >= perAddress {
				return gone()
			}
		}
		d := s.begin(s.text(fmt.Sprint("title", h, i), 3))
		d.say("<p>%s</p>", s.text(fmt.Sprint("page", h, i), 60))
		if i+1 < perAddress {
			d.link(fmt.Sprint("/page", i+1), "next")
		}
		for _, other := range []int{2*h + 1, 2*h + 2} {
			if i == 0 && other < hosts {
				d.link(fmt.Sprintf("http://10.%d.0.1/", other), fmt.Sprint("machine ", other))
			}
		}
		return d.answer()
	}}
}
