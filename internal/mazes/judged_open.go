package mazes

import "fmt"

var (
	anyWay   = []string{chained, listed, tree}
	inARow   = []string{chained, listed}
	acrossIt = []string{linked, listed}
)

// openPlans are the honest shapes that bounds may be set on: the odd ones of a list of 44 that
// was written down before any of them was crawled. judged_apart.go has the even ones.
func openPlans() []*plan {
	return []*plan{
		{name: "catalogue", ways: anyWay, leaf: named("/catalogue/{}/{}", from(1, 0), from(1, 20)), group: named("/catalogue/{}", from(1, 0)), each: 20, says: catalogue},
		{name: "genealogy", ways: acrossIt, leaf: named("/person/I{}", from(1, 0)), title: personName, says: person},
		{name: "sports results", ways: anyWay, leaf: named("/results/{}/{}", from(1990, 0), from(1, 30)), title: ordinal("Round"), says: results},
		{name: "dictionary", ways: anyWay, leaf: named("/entry/{}", slug(1, 0)), title: words(1), says: dictionary},
		{name: "statutes", ways: anyWay, leaf: named("/act/{}/section/{}", from(1, 0), from(1, 40)), group: named("/act/{}/", from(1, 0)), each: 40, title: ordinal("Section"), says: statute},
		{name: "radio programmes", ways: inARow, leaf: named("/schedule/{}", daily(date(2013, 5, 1), "2006-01-02")), title: ordinal("Programme"), says: programmes},
		{name: "job board", ways: anyWay, leaf: named("/job/{}", from(400_100, 0)), says: job},
		{name: "versions of a manual", ways: anyWay, leaf: named("/manual/{}/page{}.html", from(1, 0), from(1, 250)), group: named("/manual/{}/", from(1, 0)), each: 250, title: manualTitle, says: manual},
		{name: "recipes", ways: anyWay, leaf: named("/recipe/{}", slug(3, 0)), says: recipe},
		{name: "museum objects", ways: anyWay, leaf: named("/object/1987.{}.{}", from(1, 0), from(1, 100)), title: captions(2, 40), says: object},
		{name: "real estate", ways: anyWay, leaf: named("/expose/{}.html", from(88_000, 0)), title: captions(3, 80), says: estate},
		{name: "star catalogue", ways: anyWay, leaf: named("/star/HD{}", from(1, 0)), title: ordinal("HD"), says: star},
		{name: "poems", ways: inARow, leaf: named("/poem/{}", from(1, 0)), says: func(p *leaf) { p.write(40+p.IntN(80), vocabularySize) }},
		{name: "mailing list", ways: anyWay, leaf: named("/archive/{}/msg{}.html", monthly(date(1998, 2, 1), "2006-January"), padded(0, 50, 5)), group: named("/archive/{}/thread.html", monthly(date(1998, 2, 1), "2006-January")), each: 50, label: func(p *leaf) string { return date(1998, 2, 1).AddDate(0, p.i, 0).Format("January 2006") }, title: thread, says: message},
		{name: "map tiles", ways: acrossIt, leaf: named("/map/7/{}/{}.html", from(0, 0), from(0, 64)), title: ordinal("Tile"), says: tile},
		{name: "verses", ways: anyWay, leaf: named("/{}/{}", slug(1, 0), from(1, 30)), group: named("/{}/", slug(1, 0)), each: 30, title: ordinal("Verse"), says: verse},
		{name: "court decisions", ways: anyWay, leaf: named("/decision/{}-C-{}", from(1996, 0), from(1, 250)), title: ordinal("Case"), says: decision},
		{name: "patents", ways: acrossIt, leaf: named("/patent/US{}B2", from(7_000_000, 0)), says: patent},
		{name: "ids as UUIDs", ways: anyWay, leaf: named("/doc/{}", keyed("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")), says: func(p *leaf) { p.write(30+p.IntN(40), vocabularySize) }},
		{name: "only an id", ways: anyWay, leaf: named("/?id={}", from(1, 0)), says: func(p *leaf) { p.write(20+p.IntN(40), vocabularySize) }},
		{name: "podcast", ways: inARow, leaf: named("/episode/{}", padded(1, 0, 3)), title: ordinal("Episode"), says: episode},
		{name: "citations", ways: acrossIt, leaf: named("/paper/{}", keyed("xxxxxxxxxxxxxxxx")), title: words(6), says: citations},
	}
}

// words is a title of its own of so many words.
func words(n int) func(p *leaf) string {
	return func(p *leaf) string { return p.some(n, vocabularySize) }
}

// captions is a title of n words of the first few.
func captions(n, few int) func(p *leaf) string {
	return func(p *leaf) string { return p.some(n, few) }
}

// ordinal is a title that all pages share but for a number.
func ordinal(name string) func(p *leaf) string {
	return func(p *leaf) string { return fmt.Sprint(name, " ", p.i+1) }
}

func catalogue(p *leaf) {
	for a := range 6 {
		p.say("<td>%s</td><td>%s</td>", p.text(fmt.Sprint("attribute", a), 1), p.some(1, 120))
	}
	p.say("%s", p.price(p.i))
	p.write(15, 900)
}

func personName(p *leaf) string { return p.some(2, 700) }

// person has parents 2i+1 and 2i+2.
func person(p *leaf) {
	p.say("born %d in %s, died %d in %s", 1500+p.IntN(400), p.some(1, 300), 1560+p.IntN(400), p.some(1, 300))
	for _, other := range []int{2*p.i + 1, 2*p.i + 2, (p.i - 1) / 2, p.i - 1 + 2*(p.i%2)} {
		p.see(other)
	}
}

func results(p *leaf) {
	for range 9 {
		p.say("<td>%s</td><td>%d : %d</td>", p.some(2, 20), p.IntN(6), p.IntN(6))
	}
}

func dictionary(p *leaf) { p.say("<i>n.</i> %s", p.some(1, vocabularySize)) }

func statute(p *leaf) {
	p.write(20+p.IntN(60), 500)
	if p.i%9 == 4 {
		p.see(p.IntN(p.leaves))
	}
}

// programmes has the same shows at the same hours of a weekday; a few have a guest.
func programmes(p *leaf) {
	for hour := range 18 {
		p.say("%02d:00 %s", hour+6, p.text(fmt.Sprint("show", (p.i%7*18+hour)%40), 4))
	}
	if p.IntN(3) == 0 {
		p.write(4, 2000)
	}
}

// job is an ad, three of four times one that has expired.
func job(p *leaf) {
	if p.i%4 > 0 {
		p.say("<p>%s</p>", p.text("expired", 14))
		return
	}
	p.write(50, 900)
	p.say("<p>%s</p>", p.text(fmt.Sprint("employer", p.IntN(90)), 25))
}

// manualText names the text of a page: four of five pages are as in the version before.
func manualText(p *leaf) string {
	v, page := p.i/250, p.i%250
	for v > 0 && p.random(fmt.Sprint("changed", v, page)).IntN(5) > 0 {
		v--
	}
	return fmt.Sprint("manual", v, page)
}

func manualTitle(p *leaf) string { return p.text(fmt.Sprint("title", p.i%250), 4) }

func manual(p *leaf) {
	p.say("<p>%s</p>", p.text(manualText(p), 110))
	for _, other := range []int{p.i - 1, p.i + 1} {
		if other/250 == p.i/250 {
			p.see(other)
		}
	}
}

func recipe(p *leaf) {
	for range 5 + p.IntN(8) {
		p.say("<li>%d g %s</li>", 10*(1+p.IntN(60)), p.some(1, 200))
	}
	p.write(60+p.IntN(90), 700)
}

func object(p *leaf) {
	p.say("%s, %s, %s, %d.%d × %d.%d cm, inv. %d", p.some(1, 8), p.some(1, 12), p.some(1, 60), 1+p.IntN(40), p.IntN(10), 1+p.IntN(40), p.IntN(10), 10_000+p.i)
}

func estate(p *leaf) {
	p.say("%d rooms, %d m², %d EUR, %s", 1+p.IntN(6), 25+p.IntN(180), 1000*(80+p.IntN(900)), p.some(1, 60))
	p.write(25, 200)
}

func star(p *leaf) {
	p.say("%02d %02d %02d.%d", p.IntN(24), p.IntN(60), p.IntN(60), p.IntN(10))
	p.say("%+03d %02d %02d", p.IntN(180)-90, p.IntN(60), p.IntN(60))
	p.say("%d.%02d %c%d V", 2+p.IntN(8), p.IntN(100), "OBAFGKM"[p.IntN(7)], p.IntN(10))
}

// thread is the title of a message: seven in a row have the same.
func thread(p *leaf) string { return p.text(fmt.Sprint("thread", p.i/7), 5) }

// message quotes the one that it answers.
func message(p *leaf) {
	if p.i%7 > 0 {
		p.say("<blockquote>%s</blockquote>", p.text(fmt.Sprint("wrote", p.i-1), 30))
		p.see(p.i - 1)
	}
	p.say("<p>%s</p>", p.text(fmt.Sprint("wrote", p.i), 30))
	p.write(p.IntN(30), vocabularySize)
	if p.i%7 < 6 {
		p.see(p.i + 1)
	}
}

// tile is a piece of a map with the names of its places, if it has any.
func tile(p *leaf) {
	p.say("%d %d %s", p.i/64, p.i%64, p.some(p.IntN(4), 3000))
	for _, other := range []int{p.i - 64, p.i + 64} {
		p.see(other)
	}
	if p.i%64 > 0 {
		p.see(p.i - 1)
	}
	if p.i%64 < 63 {
		p.see(p.i + 1)
	}
}

func verse(p *leaf) {
	p.write(10+p.IntN(20), 1200)
	for range p.IntN(4) {
		p.see(p.IntN(p.leaves))
	}
}

func decision(p *leaf) {
	p.write(100+p.IntN(200), 1500)
	for range p.IntN(3) {
		p.see(p.IntN(p.i + 1))
	}
}

// patent cites older ones, and is cited by some.
func patent(p *leaf) {
	p.write(60, 3000)
	p.say("<p>%s</p>", p.text("what is claimed is", 20))
	p.write(30, 400)
	for range 4 {
		p.see(p.IntN(p.i + 1))
	}
	p.see(2*p.i + 1)
	p.see(2*p.i + 2)
}

func episode(p *leaf) {
	p.say("<p>%s</p><p>%s</p>", p.text(fmt.Sprint("sponsor", p.IntN(5)), 60), p.text("subscribe", 25))
	p.write(12+p.IntN(25), 2500)
}

// citations is a paper of which the site has what it cites and no text.
func citations(p *leaf) {
	p.say("%s %d", p.some(3, 900), 1960+p.IntN(65))
	for range 4 + p.IntN(8) {
		p.see(p.IntN(p.leaves))
	}
	for c := 3*p.i + 1; c <= 3*p.i+3; c++ {
		p.see(c)
	}
}
