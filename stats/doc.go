// Package stats counts words that are too many to remember: how many different
// ones a stream has, how unevenly they are used, and which are the most frequent,
// in a few kilobytes and a few nanoseconds a word.
//
// # Why a crawler wants this
//
// An unusually small or large number of different words on a site, for its
// length, points to pages written by machine, and so does a vocabulary used
// more evenly, or less, than language is. Both are moments of the stream: with
// m(w) the number of times word w occurs, the k-th moment is the sum of m(w)^k
// over all words. The 0th is the number of different words, the 1st the length,
// the 2nd the surprise number: 100 words over 11 values give 910 when the
// counts are 10 and ten times 9, and 8,110 when they are 90 and ten times 1.
//
// # The types
//
//   - [Distinct] estimates the 0th moment, after Flajolet and Martin: K
//     registers, each holding the longest run of zeros that its hash function
//     gave any word. Exact while the words are few; then an error of 0.8/√K,
//     which is 1.3 % for the default 4,096 registers. Sketches merge.
//   - [Surprise] estimates the 2nd moment, by the signed counters of Alon, Matias and
//     Szegedy. The first words are counted exactly, the rest in four rows of counters. It is
//     off by 3 % of what the rest adds, whatever the stream, on text by less than 0.1 %.
//   - [Reservoir] is their other estimator, of sampled positions, which the source has: for
//     comparison.
//   - [Words] is both for one stream, faster and more accurate together than
//     apart: every word the head of Surprise counts exactly is one that
//     Distinct need not estimate. A crawl keeps one for everything and one for
//     each site, and gives them each page by a [Bag].
//   - [CountSketch], after Charikar, Chen and Farach-Colton, estimates the 2nd
//     moment too, and the count of any word. It costs more memory and time than
//     Surprise.
//   - [HeavyHitters], the Space-Saving algorithm of Metwally, Agrawal and El
//     Abbadi, keeps the most frequent words, each with a count and how much too
//     high that may be.
//   - [Sample] keeps keys by their hash, all occurrences or none, within a size
//     limit: for shares of keys, such as of those that occur once, which a sample
//     of positions misjudges.
//   - [Exact] counts in a map, for tests and for small crawls.
//   - [FitHeaps] fits Heaps' law, V = K·n^β, to many sites, and [Outliers]
//     finds the sites that stand apart from the others.
//
// All but HeavyHitters and the functions have a versioned binary form with a checksum,
// described in docs/format/sketches.md; a sketch that was saved and loaded continues as if it
// had not been. It contains the seed, so it is as secret as that is. Two sketches
// of one kind, size and seed merge into that of both streams.
//
// Every estimate is an [Interval]: the figure and the range that holds the
// truth in 95 cases of 100. Where nothing was estimated, the range is a point.
//
// # Words are hashes
//
// The sketches take 64-bit hashes (xxhash, say) and know no words. Two words
// with one hash count as one; of a thousand streams of a hundred million
// different words each, that happens in fewer than one. A seed turns the hashes
// into others before use, so that nobody who does not know it can write pages
// that make a sketch slow or wrong. Give every sketch of a crawl the same one.
//
// # Costs
//
// On one core of a server, by AddAll: Distinct 2 to 3 ns a word of text, Surprise
// 4 to 5, Words for a whole crawl 5, and for a crawl and a site together by a Bag 6
// to 9 (the figures and commands are in docs/figures.md). Nothing is allocated
// per word. The package starts no goroutine, takes no lock, and reads no clock;
// a sketch belongs to one goroutine at a time. The same seed and the same calls
// give the same sketch.
//
// # Caveats
//
// The intervals cover the sketch's random choices, not the stream. What comes after the first
// words, a Surprise knows by its rows only: in a stream where that is nearly all of the sum,
// such as a list of words, it is off by 3 % for a crawl and 6 % for a site.
package stats
