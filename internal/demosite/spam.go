package demosite

import (
	"fmt"
	"slices"
	"strings"
)

const (
	numSpamPages     = 36
	wordsPerSpamPage = 900
	stuffingWords    = 5
)

// offers are all the words that the spam site knows.
const offers = "bonus cheap loans pills luxury watches casino credit diet miracle offer free winner deal jackpot crypto"

// spam makes the site that repeats itself: each page stuffs five of the words,
// the first of all in three places of ten.
func (w *Web) spam() {
	s := w.site(spamHost, "Bonus bonus bonus")
	s.restrict("", nothing)
	taken := map[string]bool{}
	for i := range numSpamPages {
		s.publishSpam(i, s.chosen(taken))
	}
	s.publish(draft{uri: "/", title: "Bonus", body: func(d *doc) {
		d.paragraphs(s.stuffing(strings.Fields(offers)))
		for i := range 6 {
			d.anchor(spamURI(i), "Bonus")
			d.say("\n")
		}
		d.anchor("http://"+docsHost+"/", "deal")
	}})
}

func spamURI(i int) string { return fmt.Sprintf("/buy-bonus-%d.html", i) }

// publishSpam adds a page that links its neighbours in the link farm.
func (s *site) publishSpam(i int, words []string) {
	s.publish(draft{uri: spamURI(i), title: "Bonus", body: func(d *doc) {
		d.paragraphs(s.stuffing(words))
		for j := 1; j <= 8; j++ {
			d.anchor(spamURI((i*3+j)%numSpamPages), "Bonus bonus")
			d.say("\n")
		}
	}})
}

// chosen draws the words of one page, the first of all among them. No two pages
// get the same: they would be duplicates. There are 1,365 choices.
func (s *site) chosen(taken map[string]bool) []string {
	for {
		words := strings.Fields(offers)
		s.r.Shuffle(len(words)-1, func(i, j int) { words[i+1], words[j+1] = words[j+1], words[i+1] })
		words = words[:stuffingWords]
		slices.Sort(words[1:])
		if key := strings.Join(words, " "); !taken[key] {
			taken[key] = true
			return words
		}
	}
}

// stuffing repeats a few words at length.
func (s *site) stuffing(words []string) string {
	text := make([]string, wordsPerSpamPage)
	for i := range text {
		text[i] = words[0]
		if s.r.IntN(10) >= 3 {
			text[i] = words[1+s.r.IntN(len(words)-1)]
		}
	}
	return capital(strings.Join(text, " ")) + "!"
}
