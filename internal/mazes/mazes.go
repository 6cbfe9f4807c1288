// Package mazes is a labelled set of web sites for the tests of package trap: traps
// without end, honest sites that look like them, and both behind one host. Every page is
// made from its address and a seed; nothing is stored, so a site may be endless.
//
// A trap page is a page without worth: every page of an endless space, and every copy but
// the first of a page that stands under many addresses (Answer.Content). All other pages
// are honest, and an honest site has finitely many.
//
// All returns the sites on which the bounds of package trap were set. Judged returns those that
// judge it: they were written from what the web has before the guard was changed, and nothing
// may be tuned on the half of them that is kept apart (judged_apart.go, judged_apart_traps.go).
// A page takes some 15 µs.
package mazes

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Site is one labelled site. Get only reads it, so goroutines may share it.
type Site struct {
	Name string
	Seed string // the URL a crawl begins with
	Trap bool   // it has trap pages

	// Of the sites of Judged only.
	Shape    string // what several sites share that are found in other ways
	Half     Half
	Pages    int // honest ones, copies counted once
	Template int // words that all its pages share

	seed     uint64
	words    []string
	ranks    []uint16 // of words, as often as they are used
	template string   // the text of every page's head

	host      string
	addresses bool // IPv4 addresses are its hosts, too
	page      func(s *Site, host, uri string) Answer
}

// Answer is what a site says at one address.
type Answer struct {
	Body    []byte // HTML
	Status  int
	Content string // pages of one Content are copies; "" means there are none
	Trap    bool   // worthless, whatever was fetched before
	Space   string // the trap that the page belongs to; "" if the site has no name for it
}

// Get answers a request for the path and query uri at host.
func (s *Site) Get(host, uri string) Answer {
	a := s.page(s, host, uri)
	if a.Status == 0 {
		a.Status = 200
	}
	return a
}

// All returns the sites of a seed: the same kinds, other words, sizes and links. Honest
// sites have about size pages or a share of that, whichever their kind has in life.
func All(seed uint64, size int) []*Site {
	var all []*Site
	words, ranks := vocabulary(seed), zipf(seed)
	for _, group := range [][]*Site{honest(size), endless(), copied(), mixed(size)} {
		for _, s := range group {
			s.seed, s.words, s.ranks, s.Seed = seed, words, ranks, "http://"+host(s.Name)+"/"
			s.template = s.text("template", s.vary("template", 20, 120))
			all = append(all, s)
		}
	}
	return all
}

// host is where a site of a name is.
func host(name string) string {
	return strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(name)) + ".test"
}

// random returns the generator of a purpose: the same one every time.
func (s *Site) random(purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// vary draws a number of the site from least to most, for sizes that no threshold should
// be made for.
func (s *Site) vary(what string, least, most int) int {
	return least + s.random("vary "+s.Name+what).IntN(most-least+1)
}

// gone is the answer where there is no page.
func gone() Answer { return Answer{Status: 404, Body: []byte("<p>Not found</p>")} }

// cut splits an address at its slashes, without query: "/a/b?c" is a, b.
func cut(uri string) []string {
	path, _, _ := strings.Cut(uri, "?")
	return strings.Split(strings.Trim(path, "/"), "/")
}

// number reads a non-negative number that is written as this package writes it; -1 is no number.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || strconv.Itoa(n) != strings.TrimLeft(s, "0") && n > 0 {
		return -1
	}
	return n
}
