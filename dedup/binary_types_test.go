package dedup

import (
	"encoding"

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
func (ft formType) grows() bool { return ft.kind == kindAccount }

// allowance is how many bytes a decoder may allocate for a form of n bytes.
func (ft formType) allowance(n int) uint64 { return uint64(64<<10 + 40*n) }

func formTypes() []formType {
	list := newWeb(9, 20).urls(300)
	return []formType{
		{kindBloom, func() form { return &Bloom{} }, goodBlooms, func(f form) {
			b := f.(*Bloom)
			b.Has(1 << 60)
			b.Add(1 << 60)
			mustBe(b.Has(1<<60) && !b.Add(1<<60) && sane(b.Fill()) && sane(b.ExpectedRate()))
			mustBe(b.Union(b) == nil && b.Intersect(b) == nil)
		}},
		{kindAccount, func() form { return &saved{&Reopened{}} }, goodAccounts(list), useAccount(list)},
		{kindMerkle, func() form { return &MerkleFilter{} }, goodMerkles, func(f form) {
			m := f.(*MerkleFilter)
			keys := []uint64{1, 1 << 60, 77}
			missing, visited := m.Tree(keys).Missing(m, 1)
			mustBe(len(missing) <= 3 && visited <= 5 && m.Bits() >= 2)
		}},
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// goodMerkles are filters of no key, of one, and of some.
func goodMerkles(seed uint64) (list []form) {
	for n := range 4 {
		keys := make([]uint64, n*n*n)
		for i := range keys {
			keys[i] = splitmix.Finish(seed + uint64(i))
		}
		list = append(list, NewMerkleTree(keys, MerklePlaces(len(keys), 0), seed).Filter(8, 11))
	}
	return list
}
