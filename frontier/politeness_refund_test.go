package frontier

import (
	"fmt"
	"testing"
	"time"
)

// A lease that is given back at once, without a request, costs its host no time and the
// crawl no interval, whatever the number of connections.
func TestGivenBackAtOnceCostsNothing(t *testing.T) {
	for _, perHost := range []int{1, 2, 8} {
		f := New(Config{Delay: time.Second, PerHost: perHost, Interval: 100 * time.Millisecond})
		for i := range 100 {
			f.Push(item(t, fmt.Sprintf("http://a/%d", i), 0))
		}
		for i := range 100 {
			it, ok := f.Next(epoch)
			if !ok {
				t.Fatalf("%d connections: nothing after %d refusals", perHost, i)
			}
			f.Done(it, epoch, Outcome{Kind: Unasked, NoPage: true})
		}
	}
}

// With several connections a request that is under way keeps its time, whatever another
// lease comes to later.
func TestGivenBackLaterKeepsTheTime(t *testing.T) {
	f := New(Config{Delay: time.Second, PerHost: 2})
	for i := range 4 {
		f.Push(item(t, fmt.Sprintf("http://a/%d", i), 0))
	}
	a, _ := f.Next(epoch)
	f.Start(a, epoch)
	b, ok := f.Next(at(time.Second))
	if !ok {
		t.Fatal("no second lease")
	}
	f.Start(b, at(time.Second))
	f.Done(a, at(time.Second), Outcome{Kind: Unasked})
	if _, ok := f.Next(at(1500 * time.Millisecond)); ok {
		t.Error("the host is asked half a second after its last request")
	}
}
