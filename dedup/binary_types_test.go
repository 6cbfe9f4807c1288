package dedup

import (
	"encoding"
	"math"
	"math/rand/v2"
	"slices"

	"crawler/internal/binform"
	"crawler/weburl"
)

// form is what every type with a binary form has.
type form interface {
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// formType is one of the types with a binary form.
type formType struct {
	kind binform.Kind
	zero func() form
	good func(seed uint64) []form // empty, small and full ones
	use  func(form)               // calls what a user would call
}

// grows reports whether what grew by and by may have other tables and layers than
// what was decoded.
func (ft formType) grows() bool {
	switch ft.kind {
	case kindRestarting, kindAccount, kindSet, kindSpectral, kindLSH, kindHamming, kindDuplicates:
		return true
	}
	return false
}

// allowance is how many bytes a decoder may allocate for a form of n bytes: the
// filter of a Restarting and its Sets have sizes of their own.
func (ft formType) allowance(n int) uint64 {
	fixed := 64 << 10
	switch ft.kind {
	case kindRestarting:
		fixed = 2 << 20
	case kindAccount: // the caches of a log that is outside
		fixed = 5 << 19
	}
	return uint64(fixed + 40*n)
}

func formTypes() []formType { return slices.Concat(filterTypes(), countingTypes(), nearTypes()) }

func filterTypes() []formType {
	list := newWeb(9, 20).urls(300)
	return []formType{
		{kindBloom, func() form { return &Bloom{} }, goodBlooms, func(f form) {
			b := f.(*Bloom)
			b.Has(1 << 60)
			b.Add(1 << 60)
			mustBe(b.Has(1<<60) && !b.Add(1<<60) && sane(b.Fill()) && sane(b.ExpectedRate()))
			mustBe(b.Union(b) == nil && b.Intersect(b) == nil)
		}},
		{kindClassic, func() form { return &Classic{} }, goodClassics, func(f form) {
			c := f.(*Classic)
			c.Add(7)
			mustBe(c.Has(7) && !c.Add(7) && sane(c.Fill()) && sane(c.ExpectedRate()) && int64(len(c.String())) == c.Bits())
			mustBe(c.Union(c) == nil && c.Intersect(c) == nil)
		}},
		{kindSegment, func() form { return &SegmentBloom{} }, goodSegments(list), func(f form) {
			s := f.(*SegmentBloom)
			s.Add(list[0])
			mustBe(s.Has(list[0]) && !s.Add(list[0]) && sane(s.Fill()) && s.Union(s) == nil)
		}},
		{kindPublished, func() form { return &PublishedMultilayer{} }, goodPublished(list), func(f form) {
			p := f.(*PublishedMultilayer)
			p.Add(list[0])
			mustBe(p.Has(list[0]) && !p.Add(list[0]) && sane(p.ExpectedRate(0.5, 0.5)) && p.Union(p) == nil)
			for i := range p.Layers() + 1 {
				mustBe(sane(p.Fill(i + 1)))
			}
		}},
		{kindMultilayer, func() form { return &Multilayer{} }, goodMultilayers(list), func(f form) {
			m := f.(*Multilayer)
			m.Add(list[0])
			mustBe(m.Has(list[0]) && !m.Add(list[0]) && m.LayerOf(list[0]) == 0)
			mustBe(sane(m.Fill()) && sane(m.ExpectedRate()) && m.Union(m) == nil)
		}},
		{kindSet, func() form { return &Set{} }, goodSets, func(f form) {
			s := f.(*Set)
			n := s.Len()
			for _, h := range []uint64{0, 5, 1 << 58, math.MaxUint64} {
				n += count(s.Add(h))
				mustBe(s.Has(h))
			}
			mustBe(s.Len() == n && slices.IsSorted(slices.Collect(s.All)) && s.Bytes() > 0)
		}},
		{kindRestarting, func() form { return &Restarting{} }, goodRestartings(list), func(f form) {
			r := f.(*Restarting)
			for _, u := range list[:50] {
				// A forged log may hold a URL without its prefixes: then Has denies
				// it, and no check can tell; but nothing is admitted twice.
				before := r.Admitted()
				added := int64(count(r.Admit(u)))
				mustBe(r.Admitted() == before+added && !r.Admit(u) && r.Admitted() == before+added)
			}
			s := r.Stats()
			mustBe(s.New == r.Admitted() && sane(s.Fill) && sane(s.ExpectedRate) && sane(s.Rate))
		}},
		{kindAccount, func() form { return &account{&Restarting{}} }, goodAccounts(list), useAccount(list)},
	}
}

// account is a Restarting with the form that AppendAccount and Reopen give it.
type account struct{ *Restarting }

func (a *account) AppendBinary(dst []byte) ([]byte, error) { return a.AppendAccount(dst) }
func (a *account) MarshalBinary() ([]byte, error)          { return a.AppendAccount(nil) }
func (a *account) UnmarshalBinary(data []byte) error {
	r, err := Reopen(data)
	if err == nil {
		a.Restarting = r
	}
	return err
}

// goodAccounts are those of crawls with the log in memory, outside and nowhere.
func goodAccounts(urls []weburl.URL) func(uint64) []form {
	return func(seed uint64) (list []form) {
		for _, cfg := range []Config{
			{ExpectURLs: 10, Seed: seed, Layers: 1}, {ExpectURLs: 100, Seed: seed, Layers: 8, RestartEvery: 90},
			{ExpectURLs: 20, FilterOnly: true, Seed: seed}, {FilterOnly: true, FPRate: 0.5, ExpectURLs: 50, Layers: 3},
		} {
			r := must(NewRestarting(cfg))
			list = append(list, &account{r})
			for _, u := range urls[:150] {
				for range 2 {
					if _, a := r.Ask(u); a == New {
						r.Remember(u)
					}
				}
				if r.TailLen() == 100 {
					r.Freeze()
				}
			}
		}
		return append(list, &account{must(NewRestarting(Config{}))}, &account{must(NewRestarting(Config{FilterOnly: true}))})
	}
}

// useAccount does what a crawl that goes on would.
func useAccount(urls []weburl.URL) func(form) {
	return func(f form) {
		r := f.(*account).Restarting
		mustBe(r.Due() && r.Stats().New == r.Admitted())
		if r.expect > 1e6 || r.admitted > 1e6 || r.cfg.FPRate < 1e-9 {
			return // it would take much memory
		}
		b := r.Rebuild()
		b.Add(-1, []uint64{1, 2})
		b.Add(r.cfg.Layers-1, []uint64{3})
		r.Adopt(b)
		for _, u := range urls[:50] {
			if _, a := r.Ask(u); a == New {
				r.Remember(u)
			}
			_, a := r.Peek(u)
			mustBe(a != New)
		}
		s := r.Stats()
		mustBe(s.New == r.Admitted() && sane(s.Fill) && sane(s.ExpectedRate) && sane(s.Rate) && s.Risked <= s.RiskedHigh)
	}
}

func countingTypes() []formType {
	return []formType{{kindSpectral, func() form { return &Spectral{} }, goodSpectrals, func(f form) {
		s := f.(*Spectral)
		mustBe(tableError(&s.first) == nil && tableError(&s.second) == nil)
		count := s.Count(9)
		s.Add(9)
		mustBe(s.Method() == RecurringMinimum || s.Count(9) > count || count == math.MaxUint64)
		mustBe(sane(s.ExpectedErrorRate()))
	}}}
}

func nearTypes() []formType {
	return []formType{
		{kindSignature, func() form { return &Signature{} }, goodSignatures, func(f form) {
			s := *f.(*Signature)
			l := must(NewLSH(LSHConfig{MinHash: s.Config()}))
			mustBe(must(s.Similarity(s)) == 1 && l.Add(1, s) == nil)
			mustBe(len(must(l.Candidates(nil, s))) == 1 != s.Empty())
		}},
		{kindLSH, func() form { return &LSH{} }, goodLSHs, func(f form) {
			l := f.(*LSH)
			s := must(NewMinHash(l.cfg.MinHash)).Sketch(Signature{}, []uint64{1})
			if l.Len() > 0 { // its first document is in its buckets for certain
				s.lanes = l.lanes[:l.cfg.MinHash.lanes()]
				mustBe(slices.Contains(must(l.Candidates(nil, s)), l.ids[0]))
			}
			mustBe(l.Add(5, s) == nil && l.Merge(l) == nil)
		}},
		{kindHamming, func() form { return &HammingIndex{} }, goodHammings, func(f form) {
			x := f.(*HammingIndex)
			mustBe(x.Add(5, 77) == nil && x.Merge(x) == nil)
			for i, h := range x.hashes {
				mustBe(slices.Contains(x.Find(nil, h^1<<(i%64), 1), x.ids[i]))
			}
		}},
		{kindDuplicates, func() form { return &Duplicates{} }, goodDuplicates, func(f form) {
			d, words := f.(*Duplicates), []uint64{1, 2, 3, 4}
			must(d.Add(5, words))
			mustBe(must(d.Add(6, words)).Verdict == SameText)
		}},
	}
}

// sane reports whether a share is one.
func sane(x float64) bool { return x >= 0 && x <= 1 }

func mustBe(ok bool) {
	if !ok {
		panic("a decoded value is not usable")
	}
}

func goodBlooms(seed uint64) (list []form) {
	for _, size := range []Size{{512, 1}, {1024, 2}, {512 * 70, 2}, {512 * 9, 1}} {
		b := NewBloom(size, seed)
		list = append(list, b)
		for i := range uint64(size.Bits / 20) {
			b.Add(scatter(seed + i))
		}
	}
	return append(list, NewBloom(Size{512 * 3, 1}, 0))
}

func goodClassics(seed uint64) (list []form) {
	for _, c := range []*Classic{NewClassic(1, 1, seed), NewClassic(64, 2, seed), NewClassic(1001, 7, seed), NewClassic(11, MaxHashes, 0)} {
		list = append(list, c)
		for i := range uint64(c.Bits() / 10) {
			c.Add(scatter(seed + i))
		}
	}
	return list
}

func goodSegments(urls []weburl.URL) func(uint64) []form {
	return func(seed uint64) []form {
		s := NewSegmentBloom(500+int64(seed), 3)
		s.Add(urls[1])
		return []form{s, NewSegmentBloom(1, 1)}
	}
}

func goodPublished(urls []weburl.URL) func(uint64) []form {
	return func(seed uint64) (list []form) {
		for _, p := range []*PublishedMultilayer{
			NewPublishedMultilayer(4, 300+int64(seed), 3), NewPublishedMultilayer(1, 1, 1), NewPublishedMultilayer(MaxLayers, 64, MaxHashes),
		} {
			p.Add(urls[2])
			list = append(list, p)
		}
		return append(list, NewPublishedMultilayer(2, 100, 2))
	}
}

func goodMultilayers(urls []weburl.URL) func(uint64) []form {
	return func(seed uint64) (list []form) {
		for _, cfg := range []Config{
			{ExpectURLs: 100, Seed: seed}, {ExpectURLs: 30, Layers: 8, FPRate: 1e-5, Seed: seed}, {ExpectURLs: 300, BitsPerURL: 12, Layers: 1},
		} {
			m := newMultilayer(must(cfg.withDefaults()))
			list = append(list, m)
			for _, u := range urls[:50] {
				m.Add(u)
			}
		}
		return append(list, newMultilayer(must(Config{ExpectURLs: 1}.withDefaults())))
	}
}

func goodSets(seed uint64) []form {
	empty, zero, small, large := &Set{}, &Set{}, &Set{}, &Set{}
	zero.Add(0)
	small.Add(math.MaxUint64)
	for i := range uint64(3000) {
		large.Add(scatter(seed + i))
	}
	large.Add(0)
	return []form{empty, zero, small, large}
}

func goodRestartings(urls []weburl.URL) func(uint64) []form {
	return func(seed uint64) (list []form) {
		for _, cfg := range []Config{
			{ExpectURLs: 10, Seed: seed, Layers: 1}, {ExpectURLs: 1000, Seed: seed, RestartEvery: 90, Layers: 8},
			{ExpectURLs: 50, BitsPerURL: 2, Layers: 2, FPRate: 0.5}, {},
		} {
			r, err := NewRestarting(cfg)
			mustBe(err == nil)
			list = append(list, r)
			for i, u := range urls[:30*r.cfg.Layers] {
				r.Admit(u)
				r.Admit(urls[i/2])
			}
		}
		empty, err := NewRestarting(Config{ExpectURLs: 1})
		mustBe(err == nil)
		return append(list, empty)
	}
}

// goodSpectrals are filters of every method: empty, with large counters, and with
// one at its limit.
func goodSpectrals(seed uint64) (list []form) {
	for _, method := range spectralMethods {
		for n := range uint64(3) {
			s := must(NewSpectral(SpectralConfig{Bytes: 256, Method: method, Seed: seed}))
			list = append(list, s)
			for i := range 20 * n {
				s.AddN(scatter(i), i*i*i)
			}
			if n > 1 {
				s.AddN(scatter(n), math.MaxUint64)
			}
		}
	}
	return list
}

// pagesLike returns the words of n pages, groups of ten of which are alike.
func pagesLike(seed uint64, n int) (pages [][]uint64) {
	r := rand.New(rand.NewPCG(seed, 9))
	for i := range n {
		words := randomWords(r, 60, 1<<30)
		if i%10 != 0 {
			copy(words[r.IntN(10):], pages[i-1])
		}
		pages = append(pages, words)
	}
	return pages
}

func goodSignatures(seed uint64) (list []form) {
	for _, cfg := range []MinHashConfig{{Seed: seed}, {Slots: 64, Bits: 1}, {Slots: MaxSlots, Bits: MaxBits, Shingle: MaxShingle}} {
		m := must(NewMinHash(cfg))
		s, empty := m.Sketch(Signature{}, []uint64{1, 2, seed}), m.Sketch(Signature{}, nil)
		list = append(list, &s, &empty)
	}
	return list
}

func goodLSHs(seed uint64) (list []form) {
	small := LSHConfig{MinHash: MinHashConfig{Slots: 64, Bits: 1, Seed: seed}, Bands: 4, Rows: 16, BucketLimit: 1}
	for _, n := range []int{5, 100, 0} {
		for _, cfg := range []LSHConfig{{}, small} {
			l := must(NewLSH(cfg))
			list = append(list, l)
			m := must(NewMinHash(l.cfg.MinHash))
			for i, words := range pagesLike(seed, n) {
				mustBe(l.Add(uint32(i*i), m.SketchWords(Signature{}, words)) == nil)
			}
		}
	}
	return list
}

func goodHammings(seed uint64) (list []form) {
	for _, n := range []int{5, 300, 0} {
		x := &HammingIndex{}
		list = append(list, x)
		for i := range n {
			mustBe(x.Add(uint32(i*i), scatter(seed+uint64(i/10))^1<<(i%10)) == nil)
		}
	}
	return list
}

func goodDuplicates(seed uint64) (list []form) {
	for _, n := range []int{5, 100, 0} {
		for _, cfg := range []DuplicatesConfig{{}, {MinHash: MinHashConfig{Seed: seed}, Threshold: 0.5, LeadersOnly: true}} {
			d := must(NewDuplicates(cfg))
			list = append(list, d)
			for i, words := range pagesLike(seed, n) {
				must(d.Add(uint32(i), words))
				must(d.Add(uint32(i+n), words))
			}
		}
	}
	return list
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
