package weburl

import "unsafe"

// chunkSize is how many bytes a Resolver allocates at a time for the URLs it
// returns, and minFree how many must be left for it to begin another one.
const (
	chunkSize = 8192
	minFree   = 512
)

// Resolver canonicalises many references against one base, such as the links
// of a page. The URLs it returns are cut from chunks of 8 KiB, so that one
// allocation serves about a hundred links; a URL that outlives its page by far
// should be cloned (URL.Clone), since it keeps its chunk alive. Not safe for
// concurrent use.
type Resolver struct {
	opts  Options
	base  URL
	chunk []byte // what is used of the current chunk; never written again
}

// NewResolver returns a Resolver without a base: until SetBase it knows
// absolute URLs only.
func NewResolver(o Options) *Resolver { return &Resolver{opts: o} }

// SetBase makes u the base of the calls of Resolve that follow.
func (r *Resolver) SetBase(u URL) { r.base = u }

// Resolve returns the canonical form of ref, as URL.Resolve does. It does not
// keep ref. Errors are the bare sentinels (ErrScheme, ...) without the text of
// ref, which the caller has: pages are full of mailto: and javascript:, and a
// refusal should cost nothing.
func (r *Resolver) Resolve(ref []byte) (URL, error) {
	b := builder{out: r.free()}
	if err := b.build(r.opts, r.base, view(ref)); err != nil {
		return URL{}, err
	}
	if string(b.out) == r.base.s {
		return r.base, nil // "#top", or the page's link to itself
	}
	return b.url(r.keep(b.out)), nil
}

// free returns the unused end of the chunk, empty, with room to append.
func (r *Resolver) free() []byte {
	if cap(r.chunk)-len(r.chunk) < minFree {
		r.chunk = make([]byte, 0, chunkSize)
	}
	return r.chunk[len(r.chunk):]
}

// keep makes a string of out, which was appended to free's result.
func (r *Resolver) keep(out []byte) string {
	if cap(out) == cap(r.chunk)-len(r.chunk) {
		r.chunk = r.chunk[:len(r.chunk)+len(out)]
	} // else out outgrew the chunk and has memory of its own
	return view(out)
}

// view returns b as a string without copying. It is sound where b is not
// written to as long as the string lives: the caller's ref for the length of a
// call, and finished results.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
