package stats

import "crawler/internal/binform"

const (
	wordsKind    = binform.Kind("WORD")
	wordsVersion = 2 // version 1 had a reservoir for the tail
)

// AppendBinary appends the binary form of the sketches to dst: the fields of
// the Surprise, then those of the Distinct, 92 KiB for a whole crawl and 13 KiB for
// a site. The Words read from it continues exactly as this one would.
// The error is always nil.
//
// The form holds the key that the seed gives, and so the seed: keep it as
// secret as the seed is.
func (w *Words) AppendBinary(dst []byte) ([]byte, error) {
	e := binform.Begin(dst, wordsKind, wordsVersion)
	w.surprise.encode(e)
	w.tail.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns the binary form; see AppendBinary.
func (w *Words) MarshalBinary() ([]byte, error) { return w.AppendBinary(nil) }

// UnmarshalBinary replaces w by the Words that data is the form of. It returns
// an error that wraps binform.ErrFormat, and leaves w as it was, if data is no
// such form. It allocates at most some ten times the length of data.
func (w *Words) UnmarshalBinary(data []byte) error {
	from, version, err := binform.Open(data, wordsKind, wordsVersion)
	if err != nil {
		return err
	}
	from.Check(version == wordsVersion, tooOld, version)
	var fresh Words
	fresh.surprise.decode(from)
	fresh.tail.decode(from)
	if from.OK() {
		fresh.check(from)
	}
	if err := from.Close(); err != nil {
		return err
	}
	*w = fresh
	return nil
}

// check compares the two sketches: Distinct must have seen exactly the words that
// are not in the head.
func (w *Words) check(from *binform.Decoder) {
	s, d := &w.surprise, &w.tail
	from.Check(s.key == d.key, "the sketches have different keys")
	from.Check(s.limit > 0, "no head")
	from.Check(uint64(d.words) <= s.tail.n, "more different words than the tail has")
	from.Check((d.words == 0) == (s.tail.n == 0), "a tail without words")
	if d.reg != nil || !from.OK() {
		return
	}
	for _, v := range d.listed() {
		from.Check(v&^s.known == 0, unknownBits)
		from.Check(s.closed || s.front.shutTo(v), "a word of the tail belongs in the front")
		_, inFront := s.front.find(v)
		_, inBack := s.back.look(v)
		from.Check(!inFront && !inBack, "a word of the tail is in the head")
	}
}
