package trap

// hear counts what a copy, or what is near to one, says that is new to its site, in words that are
// sampled of all pages. That is noise, such as a quotation or an advertisement that changes with
// each answer.
func (g *Guard) hear(domain uint64, words int) {
	copies, heard := mix(domain, 30), mix(domain, 31)
	words = min(words, wholeText/everyCoarse+1)
	if g.texts.times(copies) == mostHeard || int(g.texts.times(heard))+words > mostHeard {
		return // it is known well enough
	}
	g.remember(copies)
	for range words {
		g.remember(heard)
	}
}

// beyondNoise returns what a page has told beyond what copies tell on average, below 0 if that is
// less: so the pages of a pattern that say nothing else come to nothing together. A silent one is
// short, and none of its words is sampled of all pages.
func (g *Guard) beyondNoise(domain uint64, n news, silent bool) float32 {
	copies, heard := g.texts.times(mix(domain, 30)), g.texts.times(mix(domain, 31))
	if heard == 0 || g.off&ruleNoise != 0 {
		return n.told
	}
	told, noise := n.told, min(mostNoise, float32(heard)*everyCoarse/(wholeText*(float32(copies)+fewCopies)))
	switch {
	case silent:
		told = 0
	case !n.unread: // of few words one that is sampled would say too much
		told = min(told, n.share*manyWords/wholeText)
	}
	return (told - noise) / (1 - noise)
}

const (
	mostHeard = 255
	mostNoise = 0.75 // of wholeText
	fewCopies = 4    // as if as many more had said nothing new
)
