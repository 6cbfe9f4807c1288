package demosite

// mirror copies the first book of the manual as it is and the last with small
// changes, as mirrors, translations of dates and "original content" do it.
func (w *Web) mirror(manual []book) {
	s := w.site(mirrorHost, "The demo manual")
	same, changed := manual[0], manual[2].edit(s.text)
	s.publish(draft{uri: "/", title: "Mirror", body: func(d *doc) {
		d.paragraphs(s.text.paragraph(80), s.text.paragraph(40))
		d.list([]ref{{same.slug + "/", same.title}, {changed.slug + "/", changed.title}})
		d.further("The original", ref{"http://" + docsHost + "/", "is elsewhere"})
	}})
	copied := func(b book, groups *[][]string) {
		first := len(s.ordinary)
		s.publishBook(b)
		for _, u := range s.ordinary[first:] {
			*groups = append(*groups, []string{"http://" + docsHost + u[len("http://"+mirrorHost):], u})
		}
	}
	copied(same, &w.exact)
	copied(changed, &w.near)
}

// edit returns the book with a few words changed on every page.
func (b book) edit(w *writer) book {
	b.intro = w.edit(b.intro)
	b.chapters = append([]chapter(nil), b.chapters...)
	for i, c := range b.chapters {
		b.chapters[i] = c.edit(w)
	}
	return b
}

func (c chapter) edit(w *writer) chapter {
	c.intro = w.edit(c.intro)
	c.sections = append([]section(nil), c.sections...)
	for i, sec := range c.sections {
		c.sections[i] = sec.edit(w)
	}
	return c
}

// edit changes every other paragraph, the first among them.
func (sec section) edit(w *writer) section {
	sec.paragraphs = append([]string(nil), sec.paragraphs...)
	for i := 0; i < len(sec.paragraphs); i += 2 {
		sec.paragraphs[i] = w.edit(sec.paragraphs[i])
	}
	return sec
}
