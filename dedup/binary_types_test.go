package dedup

import (
	"encoding"
	"math"
	"math/rand/v2"
	"slices"

	"crawler/internal/binform"
	"crawler/internal/splitmix"
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
	case kindAccount, kindSet, kindSpectral, kindLSH, kindHamming, kindDuplicates:
		return true
	}
	return false
}

// allowance is how many bytes a decoder may allocate for a form of n bytes.
func (ft formType) allowance(n int) uint64 { return uint64(64<<10 + 40*n) }

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
		{kindAccount, func() form { return &saved{&Reopened{}} }, goodAccounts(list), useAccount(list)},
	}
}

// saved is a Reopened with the form that it comes from.
type saved struct{ *Reopened }

func (s *saved) AppendBinary(dst []byte) ([]byte, error) {
	if s.risk != nil {
		return (&FilterOnly{core: core{account: s.account}, risk: s.risk}).AppendAccount(dst)
	}
	return (&Logged{core: core{account: s.account}}).AppendAccount(dst)
}

func (s *saved) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

func (s *saved) UnmarshalBinary(data []byte) error {
	r, err := Reopen(data)
	if err == nil {
		s.Reopened = r
	}
	return err
}

// goodAccounts are those of crawls with a log and without.
func goodAccounts(urls []weburl.URL) func(uint64) []form {
	return func(seed uint64) (list []form) {
		for _, cfg := range []Config{
			{ExpectURLs: 10, Seed: seed, Layers: 1}, {ExpectURLs: 100, Seed: seed, Layers: 8, RestartEvery: 90},
			{ExpectURLs: 20, FilterOnly: true, Seed: seed}, {FilterOnly: true, FPRate: 0.5, ExpectURLs: 50, Layers: 3},
			{}, {FilterOnly: true},
		} {
			d := must(NewDurable(cfg))
			if cfg != (Config{FilterOnly: cfg.FilterOnly}) {
				accountOf(d, urls[:150])
			}
			list = append(list, &saved{must(Reopen(must(d.AppendAccount(nil))))})
		}
		return list
	}
}

// accountOf asks about all URLs twice.
func accountOf(d Durable, urls []weburl.URL) {
	for _, u := range urls {
		for range 2 {
			d.Admit(u)
		}
		if l, ok := d.(*Logged); ok {
			if l.TailLen() == 100 {
				l.Freeze()
			}
		}
	}
}

// useAccount does what the next run of a crawl would.
func useAccount(urls []weburl.URL) func(form) {
	return func(f form) {
		r := f.(*saved).Reopened
		mustBe(r.Pending(urls[0]).URL() == urls[0])
		if r.expect > 1e6 || r.admitted > 1e6 || r.cfg.FPRate < 1e-9 {
			return // it would take much memory
		}
		admitted := r.admitted
		r.Add(-1, []uint64{1, 2})
		r.Add(r.cfg.Layers-1, []uint64{3})
		d := r.Open(nil)
		mustBe(d.Stats().New == admitted)
		for _, u := range urls[:50] {
			if _, a := d.Admit(u); a == New {
				admitted++
			}
			_, a := d.Peek(u)
			mustBe(a != New)
		}
		s := d.Stats()
		mustBe(s.New == admitted && sane(s.Fill) && sane(s.ExpectedRate) && sane(s.Rate) && s.Risked <= s.RiskedHigh)
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
			b.Add(splitmix.Finish(seed + i))
		}
	}
	return append(list, NewBloom(Size{512 * 3, 1}, 0))
}

func goodClassics(seed uint64) (list []form) {
	for _, c := range []*Classic{NewClassic(1, 1, seed), NewClassic(64, 2, seed), NewClassic(1001, 7, seed), NewClassic(11, MaxHashes, 0)} {
		list = append(list, c)
		for i := range uint64(c.Bits() / 10) {
			c.Add(splitmix.Finish(seed + i))
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
		large.Add(splitmix.Finish(seed + i))
	}
	large.Add(0)
	return []form{empty, zero, small, large}
}

// goodSpectrals are filters of every method: empty, with large counters, and with
// one at its limit.
func goodSpectrals(seed uint64) (list []form) {
	for _, method := range spectralMethods {
		for n := range uint64(3) {
			s := must(NewSpectral(SpectralConfig{Bytes: 256, Method: method, Seed: seed}))
			list = append(list, s)
			for i := range 20 * n {
				s.AddN(splitmix.Finish(i), i*i*i)
			}
			if n > 1 {
				s.AddN(splitmix.Finish(n), math.MaxUint64)
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
			mustBe(x.Add(uint32(i*i), splitmix.Finish(seed+uint64(i/10))^1<<(i%10)) == nil)
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
