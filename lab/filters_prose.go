package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// filtersIntro says what is compared and what to look at.
func filtersIntro() []string {
	return []string{
		"What it teaches: a few bits a URL replace the whole list if a few answers may be wrong, and what decides between filters is their rate " +
			"on the URLs of real sites and the cache lines they touch, not the formula.",
		"Look at the share of false positives first: URLs that were never inserted and are answered \"seen\", pages that a crawl that trusts " +
			"the filter never fetches. Smaller is better; linear search, binary search and the hash table have none, and take the most memory. " +
			"Then compare the times at the size of your crawl. The questions that break a filter are at the end.",
		"Compared are linear search and binary search in a slice, Go's map, and five filters: the classic Bloom filter (classic), the split-block " +
			"one (bloom), one classic filter of all segments of all URLs (segments; algorithms 1 and 2 of the source), the multilayer " +
			"filter to the letter of Cen, Xu and Sun 2010 (published; algorithms 3 and 4), and the one that the crawl uses (repaired).",
	}
}

// termsSection explains the words once for all sections.
func (c *comparison) termsSection() sheet.Section {
	notes := []string{
		"A segment is what stands between two slashes of a URL: the host, a directory, the last part with its query. The published filter has " +
			"a layer, a Bloom filter of its own, for the hosts, one for the segments behind them, and so on for the first l places, and a last array " +
			"for all of these together. The repaired one has layers of prefixes (the host with all directories up to there) and a last array of whole URLs.",
		"n is how many URLs are in, m how many bits an array has, k how many hash functions, l how many layers. The formula of the classic filter " +
			"is (1 - e^(-kn/m))^k; \"as printed\" is (1 - e^(-kn/m))^(kl), which descriptions of the published filter have and which takes every " +
			"segment for new and different.",
		"Times are medians, from the text of the URL on: comparing or hashing it is part of it.",
	}
	for i := range c.settings {
		notes = append(notes, c.memoryNote(&c.settings[i]))
	}
	return sheet.Section{ID: "terms", Title: "Words and settings", Notes: notes}
}

func (c *comparison) memoryNote(s *setting) string {
	if s.perURL != 0 {
		return fmt.Sprintf("At %s every filter has these bits with all its arrays: the published one of %d layers has a %s of them in each "+
			"array, with k = %d. The classic one has its best k, %d.", s.title, c.cfg.Layers, fraction(c.cfg.Layers+1), paperHashes, dedup.BestK(s.perURL))
	}
	return fmt.Sprintf("At the paper's memory the published filter has %d arrays of %s bits, each other filter one array, or as many bits with all "+
		"its arrays; k = %d where k can be chosen. The repaired filter uses at most %g bits a URL.", c.cfg.Layers+1, group(paperBits), paperHashes, maxBitsPerURL)
}

func fraction(n int) string {
	return [...]string{"whole", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth"}[n-1]
}

// outcomeSection has the results in a few sentences, those of the first setting at its
// last size.
func (c *comparison) outcomeSection() sheet.Section {
	s := &c.settings[0]
	last := s.sizes[len(s.sizes)-1]
	return sheet.Section{ID: "outcome", Title: "What came out", Notes: slices.Concat(
		[]string{outcomeRates(s, last), outcomeCost(last)}, c.outcomeHard(last), []string{outcomeTimes(last), c.outcomeLost()},
	)}
}

func outcomeRates(s *setting, last sizeResult) string {
	text := fmt.Sprintf("With %s and %s URLs the published filter answered %s of the held-out URLs \"seen\", the crawl's (repaired) %s, "+
		"bloom %s, classic %s, segments %s", s.title, group(last.urls), percentSeen(last.of(publishedName).heldOut), percentSeen(last.of(repairedName).heldOut),
		percentSeen(last.of(bloomName).heldOut), percentSeen(last.of(classicName).heldOut), percentSeen(last.of(segmentsName).heldOut))
	filters := slices.DeleteFunc(slices.Clone(last.contenders), func(r contenderResult) bool { return r.exact })
	best := slices.MinFunc(filters, func(a, b contenderResult) int { return cmp.Compare(a.heldOut.share(), b.heldOut.share()) })
	var names []string
	for _, r := range filters {
		if r.heldOut.seen == best.heldOut.seen {
			names = append(names, r.name)
		}
	}
	return text + ". The fewest of them: " + strings.Join(names, ", ") + "."
}

// outcomeCost says what the repaired filter pays for its layers.
func outcomeCost(last sizeResult) string {
	repaired, bloom := last.of(repairedName).heldOut.expected, last.of(bloomName).heldOut.expected
	text := "The repaired filter's last array is smaller than bloom's, as up to an eighth of its memory goes to layers"
	if bloom > 0 {
		text += fmt.Sprintf(": on these questions %.1f times the rate of bloom is expected", repaired/bloom)
	}
	return text + ". With these it answers \"new\" to nearly every URL under a new host or directory."
}

// outcomeHard says what the questions do that the published filter cannot get right.
func (c *comparison) outcomeHard(last sizeResult) []string {
	for _, class := range c.hard {
		if class.name != knownSwapped || class.answers[mapIndex].asked == 0 {
			continue
		}
		share := map[string]string{}
		for j, r := range last.contenders {
			share[r.name] = percentSeen(class.answers[j])
		}
		return []string{fmt.Sprintf("Asked about new URLs made of known ones by exchanging two segments (%s), the published filter answered %s \"seen\", "+
			"repaired %s, bloom %s.", class.name, share[publishedName], share[repairedName], share[bloomName])}
	}
	return nil
}

func outcomeTimes(last sizeResult) string {
	list := slices.DeleteFunc(slices.Clone(last.contenders), func(r contenderResult) bool { return r.skipped || math.IsNaN(r.fresh) })
	if len(list) == 0 {
		return "No times were taken."
	}
	slices.SortStableFunc(list, func(a, b contenderResult) int { return cmp.Compare(a.fresh, b.fresh) })
	var times []string
	for _, r := range list {
		times = append(times, fmt.Sprintf("%s %s ns", r.name, group(int(math.Round(r.fresh)))))
	}
	return "A question about a URL that was not inserted took, at this size: " + strings.Join(times, ", ") + "."
}

func (c *comparison) outcomeLost() string {
	lost, checked := 0, 0
	for _, s := range c.settings {
		for _, size := range s.sizes {
			for _, r := range size.contenders {
				lost, checked = lost+r.lost, checked+r.checked
			}
		}
	}
	return fmt.Sprintf("Inserted URLs that were answered \"new\" (false negatives): %s, in %s questions.", group(lost), group(checked))
}

// of returns the result of one structure.
func (s *sizeResult) of(name string) *contenderResult {
	for i := range s.contenders {
		if s.contenders[i].name == name {
			return &s.contenders[i]
		}
	}
	return &contenderResult{}
}

// percentSeen writes a share in percent with two digits, and where none was seen what
// it is at most: with 95 % confidence 3 in as many as were asked.
func percentSeen(a answers) string {
	switch {
	case a.asked == 0:
		return "none (not asked)"
	case a.seen == 0:
		return fmt.Sprintf("at most %s %% (none of %s)", twoDigits(min(100, 300/float64(a.asked))), group(a.asked))
	}
	return twoDigits(100*a.share()) + " %"
}

func twoDigits(x float64) string {
	digits := max(0, 1-int(math.Floor(math.Log10(x))))
	return fmt.Sprintf("%.*f", digits, x)
}
