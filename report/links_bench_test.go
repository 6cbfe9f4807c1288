package report

import "testing"

// BenchmarkLinks is what links.bin costs a page of 25 links, to write and to read.
func BenchmarkLinks(b *testing.B) {
	pages := benchPages(b, 500)
	links := len(pages[0].Page.Links)
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed())/float64(b.N*links), "ns/link")
	}
	b.Run("write", func(b *testing.B) {
		var w linkWriter
		var buf []byte
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			buf = w.appendPage(buf[:0], pages[i%len(pages)])
			i++
		}
		report(b)
	})
	b.Run("read", func(b *testing.B) {
		line := new(linkWriter).appendPage(nil, pages[7])
		p, n := new(PageLinks), 0
		b.ReportAllocs()
		for b.Loop() {
			err := p.read(line[:len(line)-1], func(p *PageLinks) error {
				for p.Next() {
					n += len(p.Link().URL)
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
}
