package diff

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"crawler/dedup"
)

// Config says what to compare, and how.
type Config struct {
	What   What
	Method Method
	Common bool // find what both have, not what only one has; Method is not used

	// Seed of the keys, drawn for this comparison: whoever knows it before the crawls are made
	// can make URLs that are taken for one.
	Seed uint64
}

// Result is what was found, in the order of the URLs.
type Result struct {
	A, B Summary

	OnlyA, OnlyB []Item // of Content: URLs that the other does not have
	Changed      []Item // Content: URLs that both have, with the text that B has
	Common       []Item // Config.Common: what both have

	// Equal says that the two have the same, and Complete that nothing is missing in the lists:
	// that is certain but for a chance of 2^-64. A filter may find less.
	Equal, Complete bool

	Traffic Traffic // between the two machines
	Visited int     // Merkle: nodes looked at, both ways
}

// Summary is one side's set.
type Summary struct {
	Items   int  // different ones
	Partial bool // the crawl has items that are not known any more

	sum uint64
}

// Compare finds what a has and b lacks, and the reverse. After an error nothing is known; it
// is a SideError unless Config is wrong.
func Compare(a, b *Peer, cfg Config) (*Result, error) {
	c := &comparison{a: a, b: b, home: a, other: b, cfg: cfg, keyer: keyer{dedup.NewURLHash(cfg.Seed), cfg.What}, Result: &Result{}}
	if a.local == nil && b.local != nil {
		c.home, c.other = b, a
	}
	if int(cfg.What) >= len(whatNames) || int(cfg.Method) >= len(methodNames) {
		return nil, fmt.Errorf("diff: there is no such set or method: %v, %v", cfg.What, cfg.Method)
	}
	a.number, b.number = 0, 1
	if err := c.run(); err != nil {
		return nil, c.other.failed(err)
	}
	c.Traffic = c.other.traffic
	if c.home.local == nil {
		c.Traffic = c.Traffic.add(c.home.traffic)
	}
	return c.Result, nil
}

// comparison is a Result in the making.
type comparison struct {
	*Result
	cfg         Config
	keyer       keyer
	a, b        *Peer
	home, other *Peer // the same two; home is the one that is here, if one is
}

func (c *comparison) run() error {
	if err := c.begin(); err != nil {
		return err
	}
	if c.cfg.Common {
		return c.common()
	}
	find := map[Method]func() error{Rateless: c.rateless, Ranges: c.ranges, Merkle: c.filters, Bloom: c.filters, Digest: c.filters}[c.cfg.Method]
	if err := find(); err != nil {
		return err
	}
	c.judge()
	if c.cfg.What == Content {
		c.pair()
	}
	return nil
}

// begin lets both read their items, at the same time if they are on two machines. With
// Rateless the first symbols come along.
func (c *comparison) begin() error {
	request := append([]byte{askHello}, hello...)
	request = append(request, version, byte(c.cfg.What))
	request = binary.LittleEndian.AppendUint64(request, c.cfg.Seed)
	for _, p := range []*Peer{c.other, c.home} {
		if err := p.ask(request); err != nil {
			return err
		}
		if c.cfg.Method == Rateless && !c.cfg.Common {
			if err := p.ask(binary.AppendUvarint([]byte{askSymbols}, dedup.FirstSymbols)); err != nil {
				return err
			}
		}
	}
	for _, p := range []*Peer{c.home, c.other} {
		answer, err := p.answer()
		if err != nil {
			return err
		}
		s, err := readHello(answer)
		if err != nil {
			return p.failed(err)
		}
		if p == c.a {
			c.A = s
		} else {
			c.B = s
		}
	}
	return nil
}

func readHello(answer []byte) (s Summary, err error) {
	if len(answer) < len(hello)+2 || string(answer[:len(hello)]) != hello || answer[len(hello)] != version {
		return s, fmt.Errorf("%w: it does not begin as crawler diff --serve does, or is another version of it", ErrProtocol)
	}
	s.Partial = answer[len(hello)+1]&flagPartial != 0
	answer = answer[len(hello)+2:]
	n, used := binary.Uvarint(answer)
	if used <= 0 || n > math.MaxInt32 || len(answer) != used+8 {
		return s, fmt.Errorf("%w: %d items", ErrProtocol, n)
	}
	s.Items, s.sum = int(n), binary.LittleEndian.Uint64(answer[used:])
	return s, nil
}

// items returns how many items a peer said it has.
func (c *comparison) items(p *Peer) int {
	if p == c.a {
		return c.A.Items
	}
	return c.B.Items
}

// rateless finds the keys from symbols of both.
func (c *comparison) rateless() error {
	d := dedup.NewDifference(c.A.Items, c.B.Items)
	for n := dedup.FirstSymbols; !d.Done(); {
		at := d.Symbols()
		a, err := c.symbols(c.a, n, at)
		if err != nil {
			return err
		}
		b, err := c.symbols(c.b, n, at)
		if err != nil {
			return err
		}
		if err := d.Add(a, b); err != nil {
			return fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		if d.Done() {
			break
		}
		if n = min(d.Wanted(), maxMessage/20); n == 0 {
			return dedup.ErrTooDifferent
		}
		if c.mostDiffers(d) {
			return c.allKeys()
		}
		for _, p := range []*Peer{c.other, c.home} {
			if err := p.ask(binary.AppendUvarint([]byte{askSymbols}, uint64(n))); err != nil {
				return err
			}
		}
	}
	return c.found(d.Keys())
}

// symbols reads the next symbols of a peer.
func (c *comparison) symbols(p *Peer, n, at int) ([]dedup.Symbol, error) {
	form, err := p.answer()
	if err != nil {
		return nil, err
	}
	s, err := dedup.ReadForm(form, n, at, c.items(p))
	if err != nil {
		return nil, p.failed(fmt.Errorf("%w: %w", ErrProtocol, err))
	}
	return s, nil
}

// mostDiffers reports whether the symbols that are still needed take more bytes than all keys of
// the other side, of which each takes 64 bits less the logarithm of their number, and 1.5.
func (c *comparison) mostDiffers(d *dedup.Difference) bool {
	n := float64(max(c.items(c.other), 1))
	if c.home.local == nil {
		n += float64(c.A.Items)
	}
	all := n * (65.5 - math.Log2(n)) / 8
	return 13.5*(1.35*d.Estimate()-float64(d.Symbols())) > all
}

// allKeys finds the keys by comparing all.
func (c *comparison) allKeys() error {
	var sets [2]dedup.Golomb
	for i, p := range []*Peer{c.a, c.b} {
		form, err := p.one(askKeys)
		if err != nil {
			return err
		}
		if err := sets[i].UnmarshalBinary(form); err != nil || !sets[i].Exact() {
			return p.failed(fmt.Errorf("%w: its keys are none", ErrProtocol))
		}
	}
	return c.found(apart(sets[0].Values(), sets[1].Values()))
}

// apart returns what only one of two ascending lists has.
func apart(a, b []uint64) (onlyA, onlyB []uint64) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			onlyA = append(onlyA, a[i])
			i++
		case i == len(a) || b[j] < a[i]:
			onlyB = append(onlyB, b[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
	return onlyA, onlyB
}

// maxRangeMessages is more than an exchange about ranges of 64-bit keys can take.
const maxRangeMessages = 40

// ranges lets the sides exchange sums.
func (c *comparison) ranges() error {
	message, err := c.home.one(askFirst)
	for n := 0; err == nil && len(message) > 0; n++ {
		if n == maxRangeMessages {
			return fmt.Errorf("%w: there is no end of ranges", ErrProtocol)
		}
		to := c.other
		if n%2 == 1 {
			to = c.home
		}
		message, err = to.one(askRanges, message...)
	}
	if err != nil {
		return err
	}
	found, err := c.home.one(askFound)
	if err != nil {
		return err
	}
	mine, found, err := cutKeys(found)
	if err != nil {
		return err
	}
	theirs, _, err := cutKeys(found)
	if err != nil {
		return err
	}
	if c.home == c.b {
		mine, theirs = theirs, mine
	}
	return c.found(mine, theirs)
}

// found asks for the texts of keys.
func (c *comparison) found(onlyA, onlyB []uint64) error {
	if c.A.sum-dedup.SumOf(onlyA) != c.B.sum-dedup.SumOf(onlyB) || c.A.Items-len(onlyA) != c.B.Items-len(onlyB) {
		return fmt.Errorf("%w: its keys are not those it said it has", ErrProtocol)
	}
	var err error
	if c.OnlyA, err = c.texts(c.a, onlyA); err != nil {
		return err
	}
	c.OnlyB, err = c.texts(c.b, onlyB)
	return err
}

// rarity is how rare it is that a text is sent that was not wanted: 1 in 2^rarity of those
// wanted.
const rarity = 10

// texts asks a peer for the items of keys. The first bits of a key are enough to name it.
func (c *comparison) texts(p *Peer, keys []uint64) ([]Item, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	before := p.traffic
	wanted, err := dedup.NewGolomb(keys, dedup.GolombBits(c.items(p), rarity)).MarshalBinary()
	if err != nil {
		return nil, err
	}
	answer, err := p.one(askTexts, wanted...)
	if err != nil {
		return nil, err
	}
	p.traffic.Texts += p.traffic.Sent + p.traffic.Received - before.Sent - before.Received
	// One in 2^rarity of those wanted comes besides, on average.
	items, err := readTexts(answer, len(keys)+len(keys)>>(rarity-4)+64, c.cfg.What)
	if err != nil {
		return nil, p.failed(err)
	}
	sorted := slices.Clone(keys)
	slices.Sort(sorted)
	items = slices.DeleteFunc(items, func(i Item) bool {
		_, found := slices.BinarySearch(sorted, c.keyer.of(i))
		return !found
	})
	if len(items) != len(keys) {
		return nil, p.failed(fmt.Errorf("%w: texts of %d of %d keys", ErrProtocol, len(items), len(keys)))
	}
	return items, nil
}

// filters sends each side's filter to the other.
func (c *comparison) filters() (err error) {
	kind := byte(map[Method]rune{Merkle: kindMerkle, Bloom: kindBloom, Digest: kindGolomb}[c.cfg.Method])
	if c.OnlyB, err = c.notIn(c.a, c.b, kind); err != nil {
		return err
	}
	c.OnlyA, err = c.notIn(c.b, c.a, kind)
	return err
}

// notIn returns the items of p that are not in the filter of one.
func (c *comparison) notIn(one, p *Peer, kind byte) ([]Item, error) {
	filter, err := one.one(askFilter, binary.AppendUvarint([]byte{kind}, uint64(c.items(p)))...)
	if err != nil {
		return nil, err
	}
	answer, err := p.one(askMissing, append([]byte{kind}, filter...)...)
	if err != nil {
		return nil, err
	}
	visited, used := binary.Uvarint(answer)
	if used <= 0 || visited > math.MaxInt32 {
		return nil, p.failed(fmt.Errorf("%w: it visited %d nodes", ErrProtocol, visited))
	}
	c.Visited += int(visited)
	p.traffic.Texts += len(answer) - used
	items, err := readTexts(answer[used:], c.items(p), c.cfg.What)
	return items, p.failed(err)
}

// common finds what both have: the home side sends a filter, the other answers with the keys
// that pass, and those of them that the home side has are exactly what both have.
func (c *comparison) common() error {
	filter, err := c.home.one(askFilter, binary.AppendUvarint([]byte{kindCommon}, uint64(c.items(c.other)))...)
	if err != nil {
		return err
	}
	passing, err := c.other.one(askPassing, append([]byte{kindCommon}, filter...)...)
	if err != nil {
		return err
	}
	answer, err := c.home.one(askTexts, passing...)
	if err != nil {
		return err
	}
	if c.Common, err = readTexts(answer, c.items(c.home), c.cfg.What); err != nil {
		return c.home.failed(err)
	}
	c.Complete = true
	c.Equal = len(c.Common) == c.A.Items && len(c.Common) == c.B.Items
	return nil
}

// judge says by the sums of all keys whether all was found.
func (c *comparison) judge() {
	sum := func(items []Item) (sum uint64) {
		for _, i := range items {
			sum += dedup.SumOf([]uint64{c.keyer.of(i)})
		}
		return sum
	}
	c.Equal = c.A.sum == c.B.sum && c.A.Items == c.B.Items
	c.Complete = c.A.sum-sum(c.OnlyA) == c.B.sum-sum(c.OnlyB) && c.A.Items-len(c.OnlyA) == c.B.Items-len(c.OnlyB)
}

// pair moves what both sides have under one URL with different texts to Changed.
func (c *comparison) pair() {
	var onlyA, onlyB []Item
	a, b := c.OnlyA, c.OnlyB
	for len(a) > 0 && len(b) > 0 {
		switch order := compareItems(a[0], b[0]); cmp.Compare(order, 0) {
		case -1:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case 1:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			c.Changed = append(c.Changed, b[0])
			a, b = a[1:], b[1:]
		}
	}
	c.OnlyA, c.OnlyB = append(onlyA, a...), append(onlyB, b...)
}
