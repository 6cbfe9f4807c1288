package diff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"crawler/dedup"
)

// version is that of the protocol. Each end refuses another.
const version = 1

// hello begins the first request and its answer: no program says this by chance.
const hello = "\x89crawler diff\n"

// A request begins with one of these, and its answer with the same; or with answerError and a
// text that says what is wrong.
const (
	askHello   = 'H' // version, what, seed; the answer: version, flags, items, sum of the keys
	askSymbols = 'S' // how many of the next symbols; the answer: those
	askFirst   = 'F' // the answer: the first message about ranges
	askRanges  = 'R' // a message about ranges; the answer: the reply
	askFound   = 'D' // the answer: keys that only this side has, and those that only the other has
	askFilter  = 'G' // kind, items of the other side; the answer: a filter
	askMissing = 'M' // kind, a filter; the answer: nodes visited, items that are not in it
	askPassing = 'Q' // kind, a filter; the answer: the keys of the items that are in it, exactly
	askKeys    = 'K' // the answer: all keys, exactly
	askTexts   = 'T' // a Golomb set; the answer: the items whose keys are in it

	answerError = 'E'
	longestText = 1000 // bytes of what an error says

	flagPartial = 1 // in the answer to askHello: the crawl has items that are not known any more
)

// What filters are made of. The Merkle filter has more bits for its leaves: a leaf that errs is
// not found by correction.
const (
	bloomBits   = 16
	golombBits  = 14 // the rate is 2^-14, and a key takes some 15.5 bits
	commonBits  = 8  // of the filter for what both have, where a false positive costs 6 bytes
	merkleInner = 8
	merkleLeaf  = 16
	correction  = 5
)

// kinds of filters.
const (
	kindBloom  = 'B'
	kindGolomb = 'G'
	kindCommon = 'C' // a Golomb set with commonBits
	kindMerkle = 'M'
)

// side answers for one crawl.
type side struct {
	source  Source
	keyer   keyer
	seed    uint64
	keys    []uint64 // ascending
	partial bool

	symbols *dedup.Rateless
	ranges  *dedup.Ranges
}

// answer returns the answer to a request.
func (s *side) answer(request []byte) ([]byte, error) {
	if len(request) == 0 {
		return nil, fmt.Errorf("%w: an empty request", ErrProtocol)
	}
	kind, body := request[0], request[1:]
	out := []byte{kind}
	if kind == askHello {
		return s.hello(out, body)
	}
	if s.keys == nil {
		return nil, fmt.Errorf("%w: a request before the first", ErrProtocol)
	}
	switch kind {
	case askSymbols:
		return s.sendSymbols(out, body)
	case askFirst:
		s.ranges = dedup.NewRanges(s.keys)
		return append(out, s.ranges.First()...), nil
	case askRanges:
		if s.ranges == nil {
			s.ranges = dedup.NewRanges(s.keys)
		}
		reply, err := s.ranges.Reply(body)
		return append(out, reply...), err
	case askFound:
		if s.ranges == nil {
			return nil, fmt.Errorf("%w: nothing was compared", ErrProtocol)
		}
		mine, theirs := s.ranges.Difference()
		return appendKeys(appendKeys(out, mine), theirs), nil
	case askFilter:
		return s.filter(out, body)
	case askMissing:
		return s.missing(out, body)
	case askPassing:
		return s.passing(out, body)
	case askKeys:
		return dedup.NewGolomb(s.keys, 64).AppendBinary(out)
	case askTexts:
		return s.texts(out, body)
	}
	return nil, fmt.Errorf("%w: a request of kind %q", ErrProtocol, kind)
}

// hello reads the items.
func (s *side) hello(out, body []byte) ([]byte, error) {
	switch {
	case s.keys != nil || len(body) < len(hello)+10 || string(body[:len(hello)]) != hello:
		return nil, fmt.Errorf("%w: it does not begin as crawler diff does", ErrProtocol)
	case body[len(hello)] != version:
		return nil, fmt.Errorf("this side knows version %d of the protocol, not %d", version, body[len(hello)])
	}
	body = body[len(hello)+1:]
	if len(body) != 9 || int(body[0]) >= len(whatNames) {
		return nil, fmt.Errorf("%w: it does not say what is compared", ErrProtocol)
	}
	s.seed = binary.LittleEndian.Uint64(body[1:])
	s.keyer = keyer{dedup.NewURLHash(s.seed), What(body[0])}
	s.keys = []uint64{}
	var err error
	s.partial, err = s.source.Each(s.keyer.what, func(i Item) error {
		s.keys = append(s.keys, s.keyer.of(i))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.keys) > math.MaxInt32 {
		return nil, fmt.Errorf("%d URLs are too many to compare", len(s.keys))
	}
	slices.Sort(s.keys)
	s.keys = slices.Compact(s.keys)
	flags := byte(0)
	if s.partial {
		flags = flagPartial
	}
	out = append(append(out, hello...), version, flags)
	out = binary.AppendUvarint(out, uint64(len(s.keys)))
	return binary.LittleEndian.AppendUint64(out, dedup.SumOf(s.keys)), nil
}

func (s *side) sendSymbols(out, body []byte) ([]byte, error) {
	if s.symbols == nil {
		s.symbols = dedup.NewRateless(s.keys)
	}
	at := s.symbols.At()
	n, used := binary.Uvarint(body)
	if used != len(body) || n == 0 || n > uint64(min(dedup.MaxSymbols-at, maxMessage/20)) {
		return nil, fmt.Errorf("%w: %d symbols are too many", ErrProtocol, n)
	}
	return dedup.AppendForm(out, s.symbols.AppendSymbols(nil, int(n)), at, len(s.keys)), nil
}

// filter makes a filter of the keys.
func (s *side) filter(out, body []byte) ([]byte, error) {
	if len(body) < 2 {
		return nil, fmt.Errorf("%w: a filter of no kind", ErrProtocol)
	}
	others, used := binary.Uvarint(body[1:])
	if used != len(body)-1 || others > math.MaxInt32 {
		return nil, fmt.Errorf("%w: a filter for %d items", ErrProtocol, others)
	}
	switch n := len(s.keys); body[0] {
	case kindBloom:
		f := dedup.NewBloom(dedup.SizeWithin(int64(n), bloomBits*int64(n)), s.seed)
		for _, k := range s.keys {
			f.Add(k)
		}
		return f.AppendBinary(out)
	case kindGolomb:
		return dedup.NewGolomb(s.keys, dedup.GolombBits(n, golombBits)).AppendBinary(out)
	case kindCommon:
		return dedup.NewGolomb(s.keys, dedup.GolombBits(n, commonBits)).AppendBinary(out)
	case kindMerkle:
		t := dedup.NewMerkleTree(s.keys, dedup.MerklePlaces(n, int(others)), s.seed)
		return t.Filter(merkleInner, merkleLeaf).AppendBinary(out)
	}
	return nil, fmt.Errorf("%w: a filter of kind %q", ErrProtocol, body[0])
}

// openFilter returns what asks a filter of the other side.
func openFilter(body []byte) (has func(uint64) bool, tree *dedup.MerkleFilter, err error) {
	if len(body) == 0 {
		return nil, nil, fmt.Errorf("%w: a filter of no kind", ErrProtocol)
	}
	switch body[0] {
	case kindBloom:
		var f dedup.Bloom
		err = f.UnmarshalBinary(body[1:])
		has = f.Has
	case kindGolomb, kindCommon:
		var f dedup.Golomb
		err = f.UnmarshalBinary(body[1:])
		has = f.Has
	case kindMerkle:
		tree = &dedup.MerkleFilter{}
		err = tree.UnmarshalBinary(body[1:])
	default:
		err = fmt.Errorf("a filter of kind %q", body[0])
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return has, tree, nil
}

// missing answers with the items that are not in a filter.
func (s *side) missing(out, body []byte) ([]byte, error) {
	has, tree, err := openFilter(body)
	if err != nil {
		return nil, err
	}
	visited := len(s.keys)
	if tree != nil {
		var missing []uint64
		missing, visited = tree.Tree(s.keys).Missing(tree, correction)
		slices.Sort(missing)
		has = func(k uint64) bool {
			_, found := slices.BinarySearch(missing, k)
			return !found
		}
	}
	items, err := s.items(func(k uint64) bool { return !has(k) })
	if err != nil {
		return nil, err
	}
	return appendTexts(binary.AppendUvarint(out, uint64(visited)), items, s.keyer.what), nil
}

// passing answers with the keys that are in a filter.
func (s *side) passing(out, body []byte) ([]byte, error) {
	has, tree, err := openFilter(body)
	if err != nil {
		return nil, err
	}
	if tree != nil {
		return nil, fmt.Errorf("%w: a tree cannot be asked for keys", ErrProtocol)
	}
	var keys []uint64
	for _, k := range s.keys {
		if has(k) {
			keys = append(keys, k)
		}
	}
	return dedup.NewGolomb(keys, 64).AppendBinary(out)
}

// texts answers with the items whose keys are in a set.
func (s *side) texts(out, body []byte) ([]byte, error) {
	var wanted dedup.Golomb
	if err := wanted.UnmarshalBinary(body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	items, err := s.items(wanted.Has)
	if err != nil {
		return nil, err
	}
	return appendTexts(out, items, s.keyer.what), nil
}

// errChanged says that a crawl is not the one whose keys were compared.
var errChanged = errors.New("the crawl was changed while it was compared")

// items reads the items whose keys are wanted, each once. What the crawl has found since the
// keys were made is left out.
func (s *side) items(wanted func(key uint64) bool) ([]Item, error) {
	var items []Item
	took := make([]uint64, (len(s.keys)+63)/64) // bit by bit, which were read
	_, err := s.source.Each(s.keyer.what, func(i Item) error {
		k := s.keyer.of(i)
		if !wanted(k) {
			return nil
		}
		at, found := slices.BinarySearch(s.keys, k)
		if !found || took[at/64]>>(at%64)&1 != 0 {
			return nil
		}
		took[at/64] |= 1 << (at % 64)
		items = append(items, i)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for at, k := range s.keys {
		if wanted(k) && took[at/64]>>(at%64)&1 == 0 {
			return nil, errChanged
		}
	}
	return items, nil
}

// appendKeys appends keys, 8 bytes each, behind their number.
func appendKeys(dst []byte, keys []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(keys)))
	for _, k := range keys {
		dst = binary.LittleEndian.AppendUint64(dst, k)
	}
	return dst
}

// cutKeys reads what appendKeys wrote.
func cutKeys(data []byte) (keys []uint64, rest []byte, err error) {
	n, used := binary.Uvarint(data)
	if used <= 0 || n > uint64(len(data)-used)/8 {
		return nil, nil, fmt.Errorf("%w: %d keys in %d bytes", ErrProtocol, n, len(data))
	}
	data = data[used:]
	keys = make([]uint64, n)
	for i := range keys {
		keys[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return keys, data[8*n:], nil
}
