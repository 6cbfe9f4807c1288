package stats

// Words keeps the number of different words and the surprise number of one
// stream. The head of its Surprise is exact, so its Distinct looks at the other
// words only, and the estimate is the sum of both: more accurate than a
// Distinct alone, and faster, as nine of ten words of a text are in the head.
//
// Cost: by a Bag 5 to 6 ns a word of text for the default Config, about 7 for
// SiteConfig once a site is large, and up to 20 while it is small. Memory: 137
// KiB and 16 KiB at most; 1 KiB for an empty sketch of either kind, 5 KiB after
// 200 different words and 9 KiB after 300.
//
// How the stream is cut into calls of AddAll does not matter. It is not safe for concurrent use.
type Words struct {
	surprise Surprise
	tail     Distinct // the words that are not in the head of surprise
}

// Config says how large the sketches of a Words are. The zero values stand for
// the defaults, which suit a whole crawl.
type Config struct {
	Registers int    // of Distinct
	Head      int    // of Surprise
	Width     int    // of Surprise
	Seed      uint64 // the same for all sketches of a crawl

	cache int // slots for recent words; 0 stands for Registers
}

// SiteConfig returns the sizes for one site of many, at most 16 KiB: exact up
// to 600 different words or so, then with an error of 2 to 4 % for the different
// words and below 1 % for the surprise number of a text, 6 % of a list of words.
func SiteConfig(seed uint64) Config {
	return Config{Registers: 512, Head: 384, Width: 128, Seed: seed, cache: siteCache}
}

// siteCache is enough for the few words of a site that are not in the head.
const siteCache = 128

// NewWords returns empty sketches.
func NewWords(c Config) *Words {
	head := c.Head
	if head <= 0 {
		head = DefaultHead
	}
	w := &Words{
		surprise: *NewSurprise(head, c.Width, c.Seed),
		tail:     *NewDistinct(c.Registers, c.Seed),
	}
	if c.cache > 0 {
		w.tail.cache = c.cache
	}
	return w
}

// Add counts a word by its 64-bit hash.
func (w *Words) Add(h uint64) {
	w.surprise.pass(1)
	v := mix(h, w.surprise.key) & w.surprise.known
	if !w.surprise.front.add(v) && w.surprise.take(v) {
		w.tail.take(v)
	}
}

// AddAll counts the words of a page.
func (w *Words) AddAll(hashes []uint64) { AddAll(hashes, w) }

// AddAll counts the words of a page in several sketches, such as those of the crawl and of
// the site. For many pages keep a Bag and call its AddAll: this one makes a new Bag.
func AddAll(hashes []uint64, to ...*Words) {
	if len(hashes) < fewWords {
		for _, w := range to {
			for _, h := range hashes {
				w.Add(h)
			}
		}
		return
	}
	var b Bag
	b.AddAll(hashes, to...)
}

// fewWords are added one by one sooner than a Bag is made for them.
const fewWords = 64

// Clone returns an independent copy.
func (w *Words) Clone() *Words { return &Words{w.surprise.clone(), *w.tail.clone()} }

// N returns the number of words added.
func (w *Words) N() uint64 { return w.surprise.N() }

// Distinct returns the number of different words.
func (w *Words) Distinct() Interval {
	return w.tail.Estimate().plus(float64(w.surprise.heads))
}

// Surprise returns the second moment.
func (w *Words) Surprise() Interval { return w.surprise.Estimate() }

// Bytes returns the memory the sketches hold.
func (w *Words) Bytes() int { return w.surprise.Bytes() + w.tail.Bytes() }
