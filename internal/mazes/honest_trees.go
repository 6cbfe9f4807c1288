package mazes

import (
	"fmt"
	"strconv"
	"strings"
)

// documentation is like that of a class library: modules, packages and classes, deep
// paths, pages that are alike, and links across.
func documentation(size int) func(s *Site, host, uri string) Answer {
	const packages, perPackage = 40, 250
	total := min(size, packages*perPackage)
	path := func(s *Site, i int) string {
		pkg := i % packages
		w := func(k int) string { return s.words[1000+k] }
		return fmt.Sprintf("/api/%s/%s/%s/%s%d.html", w(pkg%7), w(10+pkg%13), w(30+pkg), w(100+i%400), i)
	}
	return func(s *Site, _, uri string) Answer {
		if uri == "/" {
			d := s.begin("Overview")
			for p := range packages {
				d.link(fmt.Sprintf("/api/package%d/summary.html", p), s.text(fmt.Sprint("package", p), 2))
			}
			return d.answer()
		}
		var p int
		if _, err := fmt.Sscanf(uri, "/api/package%d/summary.html", &p); err == nil && p < packages {
			d := s.begin("Package " + s.text(fmt.Sprint("package", p), 2))
			for i := p; i < total; i += packages {
				d.link(path(s, i), s.text(fmt.Sprint("class", i), 1))
			}
			return d.answer()
		}
		base := strings.TrimSuffix(uri[strings.LastIndexByte(uri, '/')+1:], ".html")
		i := number(base[len(strings.TrimRight(base, "0123456789")):])
		if i < 0 || i >= total || path(s, i) != uri {
			return gone()
		}
		r := s.random(uri)
		d := s.begin("Class " + s.text(fmt.Sprint("class", i), 1))
		d.say("<p>%s</p>", s.prose(r, 20+r.IntN(150), 3000))
		for range 4 {
			d.link(path(s, r.IntN(total)), "see")
		}
		d.link("/", "Overview")
		return d.answer()
	}
}

// wiki has articles that link each other, each with a history and a talk page by query.
func wiki(articles int) func(s *Site, host, uri string) Answer {
	return func(s *Site, _, uri string) Answer {
		i, action := 0, ""
		if uri != "/" {
			rest, ok := strings.CutPrefix(uri, "/w/index.php?title=Article_")
			if !ok {
				return gone()
			}
			name, query, _ := strings.Cut(rest, "&")
			i, action = number(name), strings.TrimPrefix(query, "action=")
		}
		if i < 0 || i >= articles {
			return gone()
		}
		here := "/w/index.php?title=Article_" + strconv.Itoa(i)
		r := s.random(uri)
		d := s.begin(s.text(fmt.Sprint("article", i), 2) + " " + action)
		switch action {
		case "history":
			for range 3 + r.IntN(20) {
				d.say("%d-%02d-%02d %02d:%02d %s %d bytes", 2005+r.IntN(20), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), s.prose(r, 1, 300), r.IntN(9000))
			}
		case "talk":
			d.say("<p>%s</p>", s.prose(r, 10+r.IntN(40), vocabularySize))
		case "":
			d.say("<p>%s</p>", s.prose(r, 50+r.IntN(200), vocabularySize))
			for range 8 {
				d.link("/w/index.php?title=Article_"+strconv.Itoa(int(float64(articles)*r.Float64()*r.Float64())), "link")
			}
			d.link("/w/index.php?title=Article_"+strconv.Itoa((i+1)%articles), "next")
			d.link(here+"&action=history", "history")
			d.link(here+"&action=talk", "talk")
		default:
			return gone()
		}
		d.link(here, "article")
		return d.answer()
	}
}

// versions is a manual whose text stands under several versions, mostly unchanged.
func versions(pages int) func(s *Site, host, uri string) Answer {
	return func(s *Site, _, uri string) Answer {
		most := s.vary("versions", 3, 8)
		if uri == "/" {
			d := s.begin("Manual")
			for v := range most {
				d.link(fmt.Sprintf("/docs/%d/page0.html", v+1), fmt.Sprint("version ", v+1))
			}
			return d.answer()
		}
		var v, i int
		if _, err := fmt.Sscanf(uri, "/docs/%d/page%d.html", &v, &i); err != nil || v < 1 || v > most || i < 0 || i >= pages {
			return gone()
		}
		d := s.begin(s.text(fmt.Sprint("title", i), 4))
		d.say("<p>%s</p>", s.text(postName(i), 120))
		for _, o := range []int{i - 1, i + 1, i * 2, i / 2} {
			if o >= 0 && o < pages {
				d.link(fmt.Sprintf("/docs/%d/page%d.html", v, o), "see")
			}
		}
		return d.answer()
	}
}

// repeated has addresses whose segments repeat for good reasons.
func repeated(size int) func(s *Site, host, uri string) Answer {
	path := func(i int) string {
		switch y, m := 2015+i%10, 1+i/10%12; i % 3 {
		case 0:
			return fmt.Sprintf("/%d/%02d/%d-%02d-%02d/%d", y, m, y, m, 1+i%28, i)
		case 1:
			return fmt.Sprintf("/en/en-gb/en/%d", i)
		default:
			return fmt.Sprintf("/src/main/src/main/test/%d", i)
		}
	}
	return func(s *Site, _, uri string) Answer {
		i := 0
		if uri != "/" {
			p := cut(uri)
			if i = number(p[len(p)-1]); i < 1 || i >= size || path(i) != uri {
				return gone()
			}
		}
		d := s.begin(s.text(fmt.Sprint("title", i), 4))
		d.say("<p>%s</p>", s.text(postName(i), 100))
		for _, o := range []int{i + 1, i*2 + 1, i*2 + 2, i / 2} {
			if o > 0 && o < size {
				d.link(path(o), "see")
			}
		}
		return d.answer()
	}
}

// ids names its pages by long numbers and hexadecimal keys.
func ids(size int) func(s *Site, host, uri string) Answer {
	path := func(i int) string {
		if i%2 == 0 {
			return fmt.Sprintf("/item/%d", 100_000_000+i)
		}
		return fmt.Sprintf("/file/%012xa1f%d", i*7919, i)
	}
	return func(s *Site, _, uri string) Answer {
		i := -1
		if p := cut(uri); len(p) == 2 && p[0] == "item" {
			i = number(p[1]) - 100_000_000
		} else if len(p) == 2 && p[0] == "file" {
			_, n, _ := strings.Cut(p[1], "a1f")
			i = number(n)
		} else if uri == "/" {
			i = 0
		}
		if i < 0 || i >= size || uri != "/" && path(i) != uri {
			return gone()
		}
		d := s.begin(s.text(fmt.Sprint("title", i), 3))
		d.say("<p>%s</p>", s.text(postName(i), 40))
		for _, o := range []int{i + 1, i + 2, i*3 + 1, i / 3} {
			if o > 0 && o < size {
				d.link(path(o), "see")
			}
		}
		return d.answer()
	}
}

// tables is an archive of scanned tables: numbers and nothing else.
func tables(size int) func(s *Site, host, uri string) Answer {
	return func(s *Site, _, uri string) Answer {
		if uri == "/" {
			d := s.begin("Tables")
			for i := range size {
				d.link(fmt.Sprintf("/table/%d.html", i), strconv.Itoa(i))
			}
			return d.answer()
		}
		i := number(strings.TrimSuffix(strings.TrimPrefix(uri, "/table/"), ".html"))
		if i < 0 || i >= size {
			return gone()
		}
		d, r := s.begin(strconv.Itoa(i)), s.random(uri)
		for range 100 {
			d.say("<td>%d</td>", r.IntN(20_000))
		}
		d.link("/", "0")
		return d.answer()
	}
}

// directory is a tree of directories and files, as web servers list them: nothing leads
// back but the way up.
func directory(size int) func(s *Site, host, uri string) Answer {
	name := func(s *Site, i int) string { return s.words[2000+i%3000] + strconv.Itoa(i) }
	path := func(s *Site, i, branch int) string {
		p := "/"
		for ; i > 0; i = (i - 1) / branch {
			p = "/" + name(s, i) + p
		}
		return p
	}
	return func(s *Site, _, uri string) Answer {
		i, branch := 0, s.vary("branch", 2, 20)
		if uri != "/" {
			p := cut(uri)
			last := p[len(p)-1]
			i = number(last[len(strings.TrimRight(last, "0123456789")):])
		}
		if i < 0 || i >= size || path(s, i, branch) != uri {
			return gone()
		}
		d := s.begin("Index of " + uri)
		for c := i*branch + 1; c <= min(i*branch+branch, size-1); c++ {
			d.link(path(s, c, branch), name(s, c))
		}
		r := s.random(uri)
		for range 3 + r.IntN(10) {
			d.say("%s.txt %d-%02d-%02d %d", s.prose(r, 2, vocabularySize), 2010+r.IntN(15), 1+r.IntN(12), 1+r.IntN(28), r.IntN(100_000))
		}
		if i > 0 {
			d.link(path(s, (i-1)/branch, branch), "Parent directory")
		}
		return d.answer()
	}
}
