package frontier

import (
	"encoding/binary"
	"fmt"

	"crawler/internal/binform"
	"crawler/weburl"
)

// AppendItem appends the binary form of an item, without Lease, to dst.
// docs/format/frontier.md describes the bytes. Depth and Attempt must be
// from 0 to 2^31-1.
func AppendItem(dst []byte, it Item) []byte {
	start := len(dst)
	dst = append(dst, it.flags())
	dst = binform.AppendText(dst, it.URL.String())
	dst = binform.AppendText(dst, it.Via)
	dst = binary.AppendUvarint(dst, uint64(it.Depth))
	dst = it.appendRest(dst)
	if it.Rank > 0 {
		dst[start] |= flagRank
		dst = append(dst, it.Rank)
	}
	return dst
}

// DecodeItem reads an item that AppendItem wrote at the beginning of b and returns the
// bytes that follow. Its error has ErrDamaged in its chain. It keeps nothing of b.
func DecodeItem(b []byte) (it Item, rest []byte, err error) {
	r := reader{buf: b}
	it = r.item()
	if r.bad {
		return Item{}, nil, fmt.Errorf("a queued URL in %d bytes: %w", len(b), ErrDamaged)
	}
	return it, r.buf, nil
}

// item reads an item, the zero Item if that is not possible.
func (r *reader) item() Item {
	rec := record{flags: r.byte()}
	u, ok := canonical(string(r.bytes()))
	it := Item{URL: u, Via: string(r.bytes()), Depth: r.small()}
	r.rest(&rec)
	if rec.has(flagRank) {
		if it.Rank = r.byte(); it.Rank == 0 || it.Rank > maxRank {
			r.fail()
		}
	}
	if !ok || rec.flags&^(flagFrom|flagAttempt|flagSitemap|flagSince|flagRank|flagNewAt) != 0 {
		r.fail()
	}
	if r.bad {
		return Item{}
	}
	it.Sitemap, it.From, it.First = rec.has(flagSitemap), string(rec.from), string(rec.first)
	it.Hops, it.Attempt, it.Since, it.NewAt = rec.hops, rec.attempt, rec.since, rec.newAt
	return it
}

// canonical returns the URL with that spelling.
func canonical(text string) (weburl.URL, bool) {
	u, err := weburl.Parse(text)
	return u, err == nil && u.String() == text
}
