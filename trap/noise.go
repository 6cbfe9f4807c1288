package trap

// hear counts how many words of a copy, or of a page that is nearly one, are new to its site. Only
// words that are sampled on all pages count, and mostHeard of them at most. Such words are noise: a
// quotation, say, or an advertisement that changes with each answer.
func (g *Guard) hear(domain uint64, words int) {
	if g.texts.times(heard(domain, 0)) == mostTimes {
		return // it is known well enough
	}
	for n := range 1 + min(words, mostHeard) {
		g.remember(heard(domain, n))
	}
}

// heard returns the hash under which the copies of a domain with n new words or more are counted.
func heard(domain uint64, n int) uint64 { return mix(mix(domain, 30), uint64(n)) }

// noise returns how much copies tell on average, as a share of wholeText.
func (g *Guard) noise(domain uint64) float32 {
	copies, words := g.texts.times(heard(domain, 0)), 0
	for n := 1; n <= mostHeard; n++ {
		words += min(copies, g.texts.times(heard(domain, n))) // one may have been forgotten
	}
	return min(mostNoise, float32(words)*everyCoarse/(wholeText*(float32(copies)+fewCopies)))
}

// beyondNoise returns what a page has told beyond noise, below 0 if that is less, so that copies
// and pages that say nothing else come to nothing together. A silent one is short, and none of its
// words is sampled of all pages.
func (g *Guard) beyondNoise(domain uint64, n news, silent bool) float32 {
	noise := g.noise(domain)
	if noise < leastNoise || g.off&ruleNoise != 0 {
		return n.told
	}
	told := n.told
	switch {
	case silent, n.copied:
		told = 0
	case !n.unread: // of few words one that is sampled would say too much
		told = min(told, n.share*manyWords/wholeText)
	}
	return (told - noise) / (1 - noise)
}

const (
	mostHeard  = 3   // beyond wholeText
	leastNoise = 0.1 // four words: less is no more than chance
	mostNoise  = 0.75
	fewCopies  = 4 // as if as many more had said nothing new
)
