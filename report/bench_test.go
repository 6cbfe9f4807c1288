package report

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/stats"
	"crawler/store"
)

func benchmarkRecorder(b *testing.B, sites int) (*Recorder, []*crawl.Visit) {
	r, err := NewRecorder(Config{MaxSites: sites})
	if err != nil {
		b.Fatal(err)
	}
	r.unsaved.on = true
	rng := rand.New(rand.NewPCG(5, 6))
	t := new(testing.T)
	var pages []*crawl.Visit
	for i := range sites {
		v := visit(t, fmt.Sprintf("http://h%d.example/", i), 200)
		for range 20 * 1500 {
			v.Page.Words = append(v.Page.Words, uint64(rng.ExpFloat64()*3000)*0x9e3779b97f4a7c15)
		}
		r.count(v)
		v.Page.Words = v.Page.Words[:1000]
		pages = append(pages, v)
	}
	return r, pages
}

// A commit with a page of 1,000 words for each of this many sites since the last one, all sketches
// full: what is remembered of them before the words are counted, and what is written.
func BenchmarkCut(b *testing.B) {
	for _, sites := range []int{1, 100} {
		b.Run(fmt.Sprintf("sites=%d", sites), func(b *testing.B) {
			dir, err := store.Create(store.OnMem(vfs.NewMem()), "c", store.Meta{}, true)
			if err != nil {
				b.Fatal(err)
			}
			r, pages := benchmarkRecorder(b, sites)
			b.ReportAllocs()
			bytes := 0
			for b.Loop() {
				for _, v := range pages {
					markNow(r, &r.journal, r.total.words)
					if s := r.site(v.URL.Host()); !r.shares(s) {
						markNow(r, &s.journal, s.words)
					}
				}
				b.StopTimer()
				for _, v := range pages {
					forget(v)
					r.count(v)
				}
				r.countWaiting()
				batch := dir.DB().NewBatch()
				b.StartTimer()
				if err := r.Cut(batch); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				bytes += batch.Len()
				if err := dir.DB().Commit(batch); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(bytes)/float64(b.N), "bytes/commit")
		})
	}
}

// The words of 64 pages of 1,000 words each, which waited, for each of them: of one site, whose
// sketches are the crawl's, and of several, which have their own. With -cpu 1,4 the latter are
// counted side by side.
func BenchmarkCountWaiting(b *testing.B) {
	for _, sites := range []int{1, 20, 1000} {
		b.Run(fmt.Sprintf("sites=%d", sites), func(b *testing.B) {
			r, pages := benchmarkRecorder(b, sites)
			r.unsaved.on = false
			for i := 0; b.Loop(); {
				b.StopTimer()
				for r.waiting.n < maxWaiting-1 {
					v := pages[i%sites]
					forget(v)
					r.count(v)
					i++
				}
				b.StartTimer()
				r.countWaiting()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/(maxWaiting-1), "ns/page")
		})
	}
}

func markNow(r *Recorder, j *journal, words *stats.Words) {
	r.unsaved.lend(j)
	j.mark(words)
}

// The signature of a page of 1,000 words.
func BenchmarkSignature(b *testing.B) {
	_, pages := benchmarkRecorder(b, 1)
	s := signer{hash: newHash()}
	b.ReportAllocs()
	for b.Loop() {
		s.sign(pages[0].Page.Words)
	}
}
