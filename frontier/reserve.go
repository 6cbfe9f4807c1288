package frontier

import "time"

// Reservation is a request to a host that no item is leased for: where the robots.txt of another
// host redirects to.
type Reservation struct {
	Host string    // and port
	At   time.Time // when it may be sent, or when to ask again
	Ok   bool      // it may be sent
	Mine bool      // nobody else has it; the host may still be asked by who has leased it
}

// reserveLook is the time between two looks at a host that is being asked.
const reserveLook = 50 * time.Millisecond

// Reserve asks for the turn of a host, again until it is Ok: no other request of the host begins
// meanwhile, and those under way end first. Unreserve ends it, Ok or not. A host that nobody knows
// has no clock: the reservation is Ok at once.
func (f *Frontier) Reserve(r *Reservation, now time.Time) {
	h, ok := f.known(r.Host)
	if !ok {
		r.At, r.Ok = now, true
		return
	}
	if !r.Mine && !h.reserved {
		h.reserved, r.Mine = true, true
		f.changed(h)
	}
	if r.Ok = r.Mine && h.leased == 0; r.Ok {
		r.At = later(now, h.notBefore)
	} else {
		r.At = now.Add(reserveLook)
	}
}

// Unreserve ends a reservation. asked is when the request was sent at the latest; zero if none was.
func (f *Frontier) Unreserve(r *Reservation, asked time.Time) {
	h, ok := f.known(r.Host)
	if !ok {
		return
	}
	if !asked.IsZero() {
		h.notBefore = later(h.notBefore, asked.Add(h.spacing()))
	}
	if r.Mine {
		h.reserved, r.Mine = false, false
	}
	f.changed(h)
}
