package weburl

// Options says how URLs are canonicalised beyond the fixed rules. The zero
// value is the plain canonical form.
type Options struct {
	// DropParams names query parameters to drop, such as trackers that do not
	// change the page: an exact name, or a prefix followed by "*" ("utm_*").
	// Names are compared with case, in their canonical spelling.
	DropParams []string
}

// Parse returns the canonical form of an absolute URL. When raw is canonical
// already the result shares its memory and nothing is allocated, the rare hosts
// aside that end in a dot or look like ending in a number.
func Parse(raw string) (URL, error) { return Options{}.Parse(raw) }

// Resolve returns the canonical form of the reference ref, as a browser would
// follow it on a page whose base URL is u.
func (u URL) Resolve(ref string) (URL, error) { return Options{}.Resolve(u, ref) }

// Parse is the function Parse with options.
func (o Options) Parse(raw string) (URL, error) {
	if u, ok := scanAbsolute(raw); ok && (len(o.DropParams) == 0 || !u.HasQuery()) {
		return u, nil
	}
	return o.build(URL{}, raw)
}

// Resolve is URL.Resolve with options.
func (o Options) Resolve(base URL, ref string) (URL, error) {
	if u, ok := scanAbsolute(ref); ok && (len(o.DropParams) == 0 || !u.HasQuery()) {
		return u, nil
	}
	return o.build(base, ref)
}

// build canonicalises any reference. A result that is a prefix of ref or the
// base itself shares its memory.
func (o Options) build(base URL, ref string) (URL, error) {
	b := builder{out: make([]byte, 0, len(base.s)+len(ref)+32)}
	if err := b.build(o, base, ref); err != nil {
		return URL{}, named(err, ref)
	}
	switch {
	case len(ref) >= len(b.out) && string(b.out) == ref[:len(b.out)]:
		return b.url(ref[:len(b.out)]), nil
	case string(b.out) == base.s:
		return base, nil
	}
	return b.url(view(b.out)), nil
}
