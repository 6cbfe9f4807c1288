package survey

import (
	"fmt"
	"slices"
	"strings"

	"crawler/parse"
	"crawler/report"
)

// Kinds says which links count, beside those that always do: the anchors, areas, frames
// and refreshes that are not nofollow, and redirects.
type Kinds struct {
	nofollow bool
	kinds    uint64 // bit k is parse.LinkKind k
}

// always are the links that a reader clicks on or is sent along.
const always = 1<<parse.Anchor | 1<<parse.Area | 1<<parse.Frame | 1<<parse.Refresh

const (
	kindNoFollow = "nofollow"
	kindAll      = "all"
)

// optional are the kinds that have to be asked for, by their names.
var optional = map[string]uint64{
	"canonical": 1 << parse.Canonical, "next": 1 << parse.Next, "prev": 1 << parse.Prev,
	"alternate": 1 << parse.Alternate, "asset": 1 << parse.Asset, "entry": 1 << parse.Entry, "sitemap": 1 << parse.Sitemap,
}

// KindNames lists what ParseKinds takes.
func KindNames() []string {
	names := []string{kindNoFollow}
	for name := range optional {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	return append(names, kindAll)
}

// ParseKinds returns the Kinds of names: "nofollow", a kind of links as edges.csv calls
// it, or "all".
func ParseKinds(names []string) (k Kinds, err error) {
	for _, name := range names {
		bits, ok := optional[name]
		switch {
		case ok:
			k.kinds |= bits
		case name == kindNoFollow:
			k.nofollow = true
		case name == kindAll:
			k = Kinds{nofollow: true, kinds: ^uint64(0) &^ always}
		default:
			return Kinds{}, fmt.Errorf("links of the kind %q: want %s", name, strings.Join(KindNames(), ", "))
		}
	}
	return k, nil
}

// Names is the inverse of ParseKinds, without "all".
func (k Kinds) Names() []string {
	names := []string{}
	for _, name := range KindNames() {
		if name == kindNoFollow && k.nofollow || k.kinds&optional[name] != 0 {
			names = append(names, name)
		}
	}
	return names
}

// has reports whether a link counts.
func (k Kinds) has(l report.PageLink) bool {
	return (always|k.kinds)&(1<<l.Kind) != 0 && (k.nofollow || !l.NoFollow)
}
