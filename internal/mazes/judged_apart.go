package mazes

import (
	"fmt"
	"strings"
)

// apartPlans are the honest shapes that are kept apart: no bound may be set, and no rule
// written, by looking at what a guard does on them. They are the even ones of a list of 44 that
// was written down before any of them was crawled; judged_open.go has the odd ones.
func apartPlans() []*plan {
	return []*plan{
		{name: "forum threads", ways: anyWay, leaf: named("/topic/{}/page/{}", from(1, 0), from(2, 4)), group: named("/topic/{}/", from(1, 0)), each: 4, inRow: true, label: words(5), heads: replies, title: ordinal("Page"), says: replies},
		{name: "timetable", ways: anyWay, leaf: named("/line/{}/stop/{}", from(1, 0), from(1, 25)), group: named("/line/{}/", from(1, 0)), each: 25, title: captions(2, 800), says: departures},
		{name: "price lists", ways: anyWay, leaf: named("/prices/{}", from(1, 0)), title: ordinal("List"), says: prices},
		{name: "gallery", ways: anyWay, leaf: named("/photo/{}", from(1, 0)), title: func(*leaf) string { return "" }, says: photo},
		{name: "parliament", ways: anyWay, leaf: named("/sitting/{}/speech/{}", daily(date(2009, 1, 12), "2006-01-02"), from(1, 12)), group: named("/sitting/{}", daily(date(2009, 1, 12), "2006-01-02")), each: 12, title: speaker, says: speech},
		{name: "tide tables", ways: anyWay, leaf: named("/tides/{}", daily(date(2012, 1, 1), "2006/01/02")), title: func(p *leaf) string { return fmt.Sprint(p.i%31 + 1) }, says: tides},
		{name: "languages", ways: anyWay, leaf: named("/{}/page{}", oneOf(languages...), from(1, 200)), group: named("/{}/", oneOf(languages...)), each: 200, says: translated},
		{name: "colours", ways: anyWay, leaf: named("/product/{}?color={}", from(1, 0), oneOf(colours...)), group: named("/product/{}", from(1, 0)), each: len(colours), title: productTitle, says: coloured, heads: plain, label: captions(3, 600)},
		{name: "scanned tables", ways: anyWay, leaf: named("/scan/{}.html", padded(1, 0, 6)), title: ordinal("Scan"), says: scan},
		{name: "phone directory", ways: anyWay, leaf: named("/directory/{}/{}", slug(1, 0), from(1, 30)), title: ordinal("Page"), says: directoryPage},
		{name: "weather stations", ways: anyWay, leaf: named("/station/{}/day/{}", from(10_001, 0), from(1, 90)), group: named("/station/{}/", from(10_001, 0)), each: 90, title: ordinal("Day"), says: observations},
		{name: "chess games", ways: anyWay, leaf: named("/game/{}", from(1_000_001, 0)), title: captions(2, 400), says: chess},
		{name: "bug tracker", ways: anyWay, leaf: named("/show_bug.cgi?id={}", from(1, 0)), title: words(6), says: bug},
		{name: "standards", ways: anyWay, leaf: named("/rfc{}.html", from(1, 0)), title: words(5), says: standard},
		{name: "exam questions", ways: anyWay, leaf: named("/exam/{}/question/{}", from(1, 0), from(1, 30)), group: named("/exam/{}", from(1, 0)), each: 30, inRow: true, title: ordinal("Question"), says: question},
		{name: "church registers", ways: anyWay, leaf: named("/register/{}/{}", from(1580, 0), from(1, 20)), group: named("/register/{}", from(1580, 0)), each: 20, title: ordinal("Page"), says: register},
		{name: "train delays", ways: inARow, leaf: named("/delays/{}", daily(date(2010, 12, 12), "2006-01-02")), words: 800, title: ordinal("Day"), says: delays},
		{name: "hashed ids", ways: anyWay, leaf: named("/item/{}", keyed(strings.Repeat("x", 40))), says: func(p *leaf) { p.write(25+p.IntN(40), vocabularySize) }},
		{name: "long slugs", ways: anyWay, leaf: named("/{}", slug(12, 0)), title: words(9), says: func(p *leaf) { p.write(50+p.IntN(60), vocabularySize) }},
		{name: "dated blog", ways: anyWay, leaf: named("/{}", dated(date(2008, 3, 1), 4)), says: func(p *leaf) { p.write(80+p.IntN(120), vocabularySize) }},
		{name: "glossary", ways: anyWay, leaf: named("/glossary/{}/{}", oneOf(letters...), slug(1, 200)), group: named("/glossary/{}", oneOf(letters...)), each: 200, title: words(1), says: term},
		{name: "event calendar", ways: inARow, leaf: named("/event/{}", slug(4, 0)), group: named("/events/{}", monthly(date(2011, 1, 1), "2006/01")), each: 8, label: func(p *leaf) string { return date(2011, 1, 1).AddDate(0, p.i, 0).Format("January 2006") }, says: event},
	}
}

var (
	languages = strings.Fields("de fr es it pt nl pl cs sv da fi hu ro bg el tr ru uk ja ko zh ar he hi th vi id no et lv")
	colours   = []string{"black", "white", "red", "green", "blue", "grey"}
	letters   = strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	moves     = strings.Fields("e4 e5 d4 d5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 h3 Nb8 Nbd7 c4 g6 Nc3 Bg7 Qc2 cxd5 exd5 Rc8 Qe2 Bxf6 Rad1 Kh1 f4 g4 h6 Rfd8")
)

// replies is a page of a thread.
func replies(p *leaf) {
	for range 6 {
		p.say("<p>%s</p><small>%s</small>", p.some(8+p.IntN(25), vocabularySize), p.text(fmt.Sprint("user", p.IntN(200)), 6))
	}
}

func departures(p *leaf) {
	minute := p.IntN(30)
	for hour := 5; hour < 24; hour++ {
		p.say("%02d:%02d %02d:%02d", hour, minute, hour, minute+30)
	}
	if p.i%25 < 24 {
		p.see(p.i + 1)
	}
}

// prices has thirty of the products of the same shop, at the prices of the day.
func prices(p *leaf) {
	for range 30 {
		p.say("<td>%s</td><td>%d.%02d</td>", p.text(fmt.Sprint("ware", p.IntN(300)), 2), 1+p.IntN(99), p.IntN(100))
	}
}

func photo(p *leaf) {
	p.say("<img src=\"/img/%d.jpg\"> %s", p.i, p.some(max(0, p.IntN(5)-2), 500))
}

func speaker(p *leaf) string { return p.text(fmt.Sprint("speaker", p.IntN(60)), 3) }

func speech(p *leaf) { p.write(60+p.IntN(140), 2500) }

func tides(p *leaf) {
	for k := range 4 {
		p.say("%02d:%02d %d.%02d", 6*k+p.IntN(6), p.IntN(60), p.IntN(7), p.IntN(100))
	}
}

// translated is a page in one of the languages, with links to the others.
func translated(p *leaf) {
	p.write(50, vocabularySize)
	for other := p.i % 200; other < p.leaves; other += 200 {
		p.see(other)
	}
}

func productTitle(p *leaf) string {
	return p.text(fmt.Sprint("product", p.i/len(colours)), 3) + " " + colours[p.i%len(colours)]
}

// coloured is a product in another colour: all but that is the same.
func coloured(p *leaf) { p.say("<p>%s</p>", p.text(fmt.Sprint("about", p.i/len(colours)), 40)) }

func plain(p *leaf) { p.say("<p>%s</p>", p.text(fmt.Sprint("about", p.i), 40)) }

func scan(p *leaf) {
	for range 80 {
		p.say("<td>%d</td>", p.IntN(9000))
	}
	for range 5 {
		p.say("%s", coin(p.Rand)[:3])
	}
}

func directoryPage(p *leaf) {
	for range 40 {
		p.say("%s 0%d %d", p.some(2, 900), 100+p.IntN(900), 10_000+p.IntN(990_000))
	}
}

func observations(p *leaf) {
	for hour := range 24 {
		p.say("<td>%02d</td><td>%d.%d</td><td>%d</td>", hour, p.IntN(30), p.IntN(10), 980+p.IntN(60))
	}
}

func chess(p *leaf) {
	for n := range 20 + p.IntN(30) {
		p.say("%d. %s %s", n+1, moves[p.IntN(len(moves))], moves[p.IntN(len(moves))])
	}
}

func bug(p *leaf) {
	p.say("Status: %s Component: %s", p.some(1, 5), p.some(1, 40))
	p.write(20+p.IntN(60), 3000)
	if p.IntN(6) == 0 {
		p.see(p.IntN(p.leaves))
	}
}

func standard(p *leaf) {
	p.say("<pre>%s</pre>", p.text("status of this memo", 100))
	p.write(400, 1500)
	for range 3 {
		p.see(p.IntN(p.i + 1))
	}
}

func question(p *leaf) {
	p.write(15, 1500)
	for range 4 {
		p.say("<li>%s</li>", p.some(2, 1500))
	}
}

func register(p *leaf) {
	for range 12 {
		p.say("bapt. %d.%d. %s %s", 1+p.IntN(28), 1+p.IntN(12), p.some(1, 40), p.some(1, 300))
	}
}

// delays has four numbers of its own.
func delays(p *leaf) {
	p.say("%d %d %d.%d", p.IntN(900), p.IntN(90), 80+p.IntN(19), p.IntN(10))
}

func term(p *leaf) {
	p.write(8+p.IntN(8), 4000)
	if p.IntN(4) == 0 {
		p.see(p.IntN(p.leaves))
	}
}

func event(p *leaf) { p.write(30+p.IntN(40), vocabularySize) }
