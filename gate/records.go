package gate

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/internal/binform"
	"crawler/trap"
	"crawler/weburl"
)

// The Gate's records; docs/format/engine.md describes them.
const (
	keySeeds    = "seeds"
	keyAdded    = "added/"
	keyMoves    = "moves/"
	keyPending  = "pending"
	keyBacklog  = "backlog"
	keyReported = "reported/"
	keyDeferred = "deferred/"
	keyNext     = "next"
	keyDepths   = "depths/"
	keyTraps    = "traps"
	keyLessons  = "lessons"

	keyTrapEvents = "traps/"
	keyTrapForm   = "trap-form/"
	keyGivenUp    = "given-up/"
	keyRetry      = "retry/"
	keyHostSample = "host-sample"
)

// move is a seed's redirect.
type move struct{ From, To string }

// recordKey is the key of one record.
func recordKey(name string) []byte { return append([]byte{'m'}, name...) }

// numberedKey is the key of one record among many; keys ascend with the numbers.
func numberedKey(name string, n uint64) []byte {
	return binary.BigEndian.AppendUint64(recordKey(name), n)
}

func deferralKey(id uint64) []byte { return numberedKey(keyDeferred, id) }

func damaged(key string, err error) error {
	return fmt.Errorf("the crawl's state is damaged: record %s: %w", key, err)
}

var errShort = errors.New("it ends too early")

// appendJSON returns the JSON of a value that always has one: strings and numbers.
func appendJSON(v any) []byte {
	data, _ := json.Marshal(v)
	return data
}

// readJSON reads a record that every commit has.
func readJSON(r Reader, name string, v any) error {
	data, err := r.Get(recordKey(name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return damaged(name, err)
	}
	return nil
}

// ReadSeeds returns the seeds that a crawl began with.
func ReadSeeds(r Reader) ([]weburl.URL, error) {
	var texts []string
	if err := readJSON(r, keySeeds, &texts); err != nil {
		return nil, err
	}
	seeds := make([]weburl.URL, len(texts))
	for i, s := range texts {
		u, err := weburl.Parse(s)
		if err != nil {
			return nil, damaged(keySeeds, err)
		}
		seeds[i] = u
	}
	return seeds, nil
}

func readMove(value []byte) (from, to weburl.URL, err error) {
	var m move
	if err = json.Unmarshal(value, &m); err != nil {
		return from, to, err
	}
	if from, err = weburl.Parse(m.From); err == nil {
		to, err = weburl.Parse(m.To)
	}
	return from, to, err
}

// What an offer's byte says beside its item.
const (
	offerNofollow = 1 << iota
	offerDeclined
	offerNearer
	offerKnown = 1<<iota - 1
)

func appendOffer(b []byte, o offer) []byte {
	var flags byte
	if o.nofollow {
		flags |= offerNofollow
	}
	if o.declined {
		flags |= offerDeclined
	}
	if o.nearer {
		flags |= offerNearer
	}
	return frontier.AppendItem(append(b, flags), o.Item)
}

// readOffer undoes appendOffer.
func readOffer(b []byte) (o offer, rest []byte, err error) {
	if len(b) == 0 {
		return o, nil, errShort
	}
	if b[0]&^offerKnown != 0 {
		return o, nil, fmt.Errorf("unknown flags %#x", b[0])
	}
	o.nofollow, o.declined, o.nearer = b[0]&offerNofollow != 0, b[0]&offerDeclined != 0, b[0]&offerNearer != 0
	o.Item, rest, err = frontier.DecodeItem(b[1:])
	return o, rest, err
}

// appendDeferral appends d: its reason, the trap's number, kind and pattern, then the offer.
func appendDeferral(b []byte, d deferral) []byte {
	b = binary.BigEndian.AppendUint64(binform.AppendText(b, string(d.reason)), d.trap.ID)
	b = binform.AppendText(binform.AppendText(b, string(d.trap.Kind)), d.trap.Pattern)
	return appendOffer(b, d.offer)
}

// readDeferral reads what appendDeferral wrote.
func readDeferral(key, b []byte) (d deferral, err error) {
	reason, b, ok := binform.CutText(b)
	if !ok || len(b) < 8 || len(key) < 8 {
		return d, errShort
	}
	d.id, d.reason, d.trap.ID = binary.BigEndian.Uint64(key[len(key)-8:]), Reason(reason), binary.BigEndian.Uint64(b)
	kind, b, ok := binform.CutText(b[8:])
	if !ok {
		return d, errShort
	}
	d.trap.Kind = trap.Kind(kind)
	pattern, b, ok := binform.CutText(b)
	if !ok {
		return d, errShort
	}
	d.trap.Pattern = string(pattern)
	d.offer, _, err = readOffer(b)
	return d, err
}

// appendTo appends all pending checks: of each the refusal, the offer, and which link of which page
// it is that waits for it.
func (p *pendingChecks) appendTo(b []byte) []byte {
	for _, list := range [][]pendingCheck{p.checking, p.waiting} {
		for i := range list {
			b = binform.AppendText(b, string(list[i].refusal))
			b = appendOffer(b, list[i].offer)
			if l := list[i].page; l == nil {
				b = append(b, 0)
			} else {
				b = binary.AppendUvarint(binary.AppendUvarint(b, l.number), uint64(list[i].link))
			}
		}
	}
	return b
}

// readPending reads what pendingChecks.appendTo wrote.
func readPending(r Reader, log *dedup.Reopened, lessons []*lesson) (p pendingChecks, err error) {
	err = eachPending(r, lessons, func(c *pendingCheck) error {
		c.open = log.Pending(c.URL)
		if p.add(*c) && c.page != nil {
			c.page.waiting++
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	for _, l := range lessons {
		if l.waiting == 0 {
			return p, damaged(keyLessons, errors.New("a page waits for nothing"))
		}
	}
	return p, nil
}

// eachPending gives fn the checks of a commit.
func eachPending(r Reader, lessons []*lesson, fn func(*pendingCheck) error) error {
	b, err := r.Get(recordKey(keyPending))
	for err == nil && len(b) > 0 {
		c := &pendingCheck{}
		if b, err = c.read(b, lessons); err != nil {
			return damaged(keyPending, err)
		}
		err = fn(c)
	}
	return err
}

// read reads one check and returns what follows.
func (c *pendingCheck) read(b []byte, lessons []*lesson) (rest []byte, err error) {
	refusal, b, ok := binform.CutText(b)
	if !ok {
		return nil, errShort
	}
	c.refusal = Reason(refusal)
	if c.offer, b, err = readOffer(b); err != nil {
		return nil, err
	}
	return c.readLink(b, lessons)
}

// readLink reads which link waits for c.
func (c *pendingCheck) readLink(b []byte, lessons []*lesson) (rest []byte, err error) {
	page, b, err := cutUvarint(b, uint64(len(lessons)))
	if err != nil || page == 0 {
		return b, err
	}
	c.page = lessons[page-1]
	link, b, err := cutUvarint(b, uint64(len(c.page.links)))
	if err == nil && link == uint64(len(c.page.links)) {
		err = errShort
	}
	c.link = int(link)
	return b, err
}

// cutUvarint reads a number, which is most at most.
func cutUvarint(b []byte, most uint64) (v uint64, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	switch {
	case n <= 0:
		return 0, nil, errShort
	case v > most:
		return 0, nil, fmt.Errorf("%d, the most is %d", v, most)
	}
	return v, b[n:], nil
}
