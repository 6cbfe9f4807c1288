package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"crawler/crawl"
)

// preparedExchanges is an ExchangePreparer that counts what it is given.
type preparedExchanges struct {
	crawl.Cutter
	t              *testing.T
	prepared, came atomic.Int64
}

func (e *preparedExchanges) PrepareExchange(v *crawl.Visit, x *crawl.Exchange) int64 {
	if x.Response == nil == (x.Err == nil) || x.Response != nil && x.Response.Header == nil {
		e.t.Errorf("%s: %+v", x.URL, x)
	}
	e.prepared.Add(1)
	x.Prepared = fmt.Sprint("of ", x.URL)
	return 100 << 20 // more than all that may wait: the crawl must not stop for it
}

func (e *preparedExchanges) Exchange(v *crawl.Visit, x *crawl.Exchange) error {
	if x.Response != nil || x.Prepared != fmt.Sprint("of ", x.URL) {
		e.t.Errorf("%s: an exchange that was prepared has %+v", x.URL, x)
	}
	e.came.Add(1)
	return nil
}

// Workers prepare every exchange once, and what they have made comes to the recorder in the
// place of the answer. Who also wants the pages' answers still has them.
func TestExchangesArePrepared(t *testing.T) {
	for seed := range uint64(10) {
		s, _ := randomWeb(rand.New(rand.NewPCG(seed, 79)))
		for _, p := range s.pages {
			p.failWith = max(p.failWith, 429)
		}
		e := &preparedExchanges{t: t}
		bodies := &bodyCounter{t: t}
		inBubble(t, s, func(c *crawl.Config) {
			c.KeepResponse = seed%2 == 1
			bodies.want, bodies.Recorder = c.KeepResponse, c.Recorder
			e.Cutter = keep{bodies}
			c.Recorder = e
		}, "http://h0.example/p0")
		asked := int64(0)
		for _, n := range s.askedFor() {
			asked += int64(n)
		}
		if e.prepared.Load() != e.came.Load() || e.came.Load() != asked {
			t.Errorf("seed %d: %d requests, %d exchanges prepared, %d recorded", seed, asked, e.prepared.Load(), e.came.Load())
		}
	}
}

// bodyCounter wants each page to have its answer, or none to.
type bodyCounter struct {
	crawl.Recorder
	t    *testing.T
	want bool
}

func (b *bodyCounter) Page(v *crawl.Visit) error {
	if (v.Response != nil) != b.want || b.want && int64(len(v.Response.Body)) != v.Bytes {
		b.t.Errorf("%s: answer %v, want one %v", v.URL, v.Response, b.want)
	}
	return b.Recorder.Page(v)
}
