package frontier

import (
	"testing"
	"time"
)

// A reservation waits for what is under way, keeps others from beginning, and counts on the host's
// clock.
func TestReserve(t *testing.T) {
	f := New(Config{Delay: time.Second})
	for _, u := range []string{"http://b/1", "http://b/2"} {
		f.Push(item(t, u, 0))
	}
	it, _ := f.Next(epoch)
	r, second := Reservation{Host: "b"}, Reservation{Host: "b"}
	if f.Reserve(&r, epoch); r.Ok {
		t.Error("reserved while the host is being asked")
	}
	f.Done(it, at(100*time.Millisecond), Outcome{Started: epoch})
	if _, ok := f.Next(at(time.Minute)); ok {
		t.Error("another request begins before the reservation")
	}
	if f.Reserve(&second, at(200*time.Millisecond)); second.Ok {
		t.Error("reserved twice")
	}
	if f.Reserve(&r, at(200*time.Millisecond)); !r.Ok || !r.At.Equal(at(time.Second)) {
		t.Errorf("reserved %v for %v", r.Ok, r.At.Sub(epoch))
	}
	f.Unreserve(&second, time.Time{}) // takes nothing from the first
	if _, ok := f.Next(at(time.Minute)); ok {
		t.Error("another request begins while one is reserved")
	}
	f.Unreserve(&r, at(1500*time.Millisecond))
	if due, ok := f.Wake(); !ok || !due.Equal(at(2500*time.Millisecond)) {
		t.Errorf("next turn at %v, %v", due.Sub(epoch), ok)
	}
	stranger := Reservation{Host: "nobody"}
	if f.Reserve(&stranger, epoch); !stranger.Ok || f.Hosts() != 1 {
		t.Errorf("of a host that nobody knows: %+v, %d hosts", stranger, f.Hosts())
	}
	f.Unreserve(&stranger, epoch)
}
