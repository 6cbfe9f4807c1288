package gate

import "crawler/frontier"

// A chain of redirects that is too long is refused at the URL behind its last hop. A link or a
// shorter chain may lead to that hop as well, before it has answered or after: then the URL
// behind it is offered again, as what is one hop further. Of ways that join a chain before its
// last hop nothing is known.

// lastHop is the URL of that hop: of a refused target, what redirects there; of a URL that is
// the last hop itself, or of another way to it, that.
func (d *deferral) lastHop() string {
	if d.Hops > MaxRedirects {
		return d.From
	}
	return d.URL.String()
}

// takeLastHop takes out what is deferred for the sake of a last hop.
func (ds *deferrals) takeLastHop(url string) []deferral {
	list := ds.byLastHop[url]
	delete(ds.byLastHop, url)
	ds.n -= len(list)
	for i := range list {
		ds.forget(&list[i])
	}
	return list
}

// watch notes that a URL was admitted as a last hop: other ways may lead there before it has
// answered.
func (a *admitter) watch(it frontier.Item) {
	if it.Hops == MaxRedirects {
		a.deferHop(offer{Item: it})
	}
}

// deferHop keeps a way to a last hop.
func (a *admitter) deferHop(o offer) {
	o.URL = o.URL.Clone()
	if d := (deferral{offer: o, reason: RedirectLimit}); a.deferred.takes(&d) {
		a.deferred.add(d)
	}
}

// anotherWay notes an offer that passes the scope: it may be a shorter way to a last hop.
func (a *admitter) anotherWay(o *offer) {
	if len(a.deferred.byLastHop) == 0 || o.Hops >= MaxRedirects || o.nearer {
		return
	}
	for _, d := range a.deferred.takeLastHop(o.URL.String()) {
		switch {
		case d.Hops > MaxRedirects:
			a.again(o.onward(d.offer), RedirectLimit)
		case d.Hops > o.Hops:
			a.deferHop(*o)
		default:
			a.deferHop(d.offer)
		}
	}
}

// shorter returns the offer of a target that is refused for its chain's length by the shorter
// way to what redirects there, if there is one.
func (a *admitter) shorter(target offer) (o offer, ok bool) {
	for _, d := range a.deferred.byLastHop[target.From] {
		if d.Hops < MaxRedirects {
			a.deferred.takeLastHop(target.From)
			return d.onward(target), true
		}
	}
	return offer{}, false
}

// onward returns the offer of what a URL redirects to, by the way that o has led to that URL.
func (o *offer) onward(target offer) offer {
	target.Via, target.Depth, target.Hops, target.First = o.Via, o.Depth, o.Hops+1, ""
	if o.Hops > 0 {
		target.First = o.Linked()
	}
	return target
}
