package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/stats"
	"crawler/store"
)

// busy is a crawl of pages that each change the crawl's sketches and those of one of two sites,
// or of the only one.
func busy(t *testing.T, rng *rand.Rand, pages, sites int) (out []step) {
	for i := range pages {
		v := visit(t, fmt.Sprintf("http://h%d.example/%d", rng.IntN(sites), i), 200)
		v.Digest = uint64(i)
		for range 200 + rng.IntN(1500) {
			v.Page.Words = append(v.Page.Words, uint64(rng.ExpFloat64()*rng.ExpFloat64()*3000)*0x9e3779b97f4a7c15)
		}
		if rng.IntN(9) == 0 {
			v.Page.Words = nil
		}
		out = append(out, step{page: v})
	}
	return out
}

// keysOf lists the records of a kind.
func keysOf(t *testing.T, db *store.DB, kind string) (keys []string) {
	t.Helper()
	if err := db.Scan([]byte(kind), func(k, _ []byte) error {
		keys = append(keys, string(k))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return keys
}

// form is all that is known of the words of a crawl and its sites.
func form(t *testing.T, r *Recorder) string {
	t.Helper()
	r.countWaiting()
	var b strings.Builder
	add := func(name string, words *stats.Words) {
		data, err := words.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x\n", name, data)
	}
	add("crawl", r.total.words)
	for _, name := range []string{"h0.example", "h1.example"} {
		if s := r.sites[name]; s != nil {
			add(name, s.words)
		}
	}
	return b.String()
}

// In a crawl of many commits full forms take the place of deltas, so that what is stored stays
// within bounds; and whenever it is killed, its sketches are to the bit those of a crawl that
// was not.
func TestFullFormsFollow(t *testing.T) {
	if testing.Short() {
		t.Skip("what it does in goroutines TestKilledAndRestored does, too")
	}
	for _, sites := range []int{1, 2} {
		rng := rand.New(rand.NewPCG(1, uint64(sites)))
		mem := vfs.NewCrashableMem()
		dir := create(t, store.OnMem(mem), "c", true)
		r, want := recorder(t, Config{Dir: dir, Edges: true, EdgesCSV: true, Seed: 5}), recorder(t, Config{Seed: 5})
		most := map[string]int{}
		numbers := map[string][]string{}
		for i, s := range busy(t, rng, 240, sites) {
			take(t, r, []step{s})
			take(t, want, []step{s})
			if rng.IntN(4) > 0 {
				commit(t, dir, r)
				if i%3 > 0 {
					continue
				}
				for _, kind := range []string{keyChanges, keySiteMore} {
					keys := keysOf(t, dir.DB(), kind)
					most[kind] = max(most[kind], len(keys))
					numbers[kind] = append(numbers[kind], keys...)
				}
			} else if rng.IntN(3) == 0 {
				commit(t, dir, r)
				mem, dir, r = reopened(t, mem, rng)
			} else {
				continue
			}
			if i%13 == 0 && form(t, r) != form(t, want) {
				t.Fatalf("%d sites, after %d pages the sketches differ", sites, i+1)
			}
		}
		commit(t, dir, r)
		_, _, r = reopened(t, mem, rng)
		if form(t, r) != form(t, want) || figures(t, r) != figures(t, want) {
			t.Errorf("%d sites: at the end the sketches differ", sites)
		}
		for kind, keys := range numbers {
			if kind == keySiteMore && sites == 1 {
				continue
			}
			slices.Sort(keys)
			if all := len(slices.Compact(keys)); all < 60 || most[kind] > all*9/10 {
				t.Errorf("%d sites: of %d deltas %q up to %d were there at a time", sites, all, kind, most[kind])
			}
		}
	}
}

// A delta that is missing, of a full form that is, or that comes once more is damage that is
// reported as such, also if it is the last one of the only site.
func TestRestoreRefusesBrokenChains(t *testing.T) {
	if testing.Short() {
		t.Skip("what it does in goroutines TestKilledAndRestored does, too")
	}
	for _, sites := range []int{1, 2} {
		dir := create(t, store.OnMem(vfs.NewCrashableMem()), "c", true)
		r := recorder(t, Config{Dir: dir, Seed: 5})
		for _, s := range busy(t, rand.New(rand.NewPCG(3, 4)), 12, sites) {
			take(t, r, []step{s})
			commit(t, dir, r)
		}
		refused := func(what string, change func(b crawl.Batch), undo func(b crawl.Batch)) {
			t.Helper()
			for i, do := range []func(crawl.Batch){change, undo} {
				b := dir.DB().NewBatch()
				do(b)
				if err := dir.DB().Commit(b); err != nil {
					t.Fatal(err)
				}
				if err := recorder(t, Config{}).Restore(dir.DB()); (err == nil) != (i == 1) {
					t.Errorf("%d sites, %s: %v", sites, what, err)
				}
			}
		}
		for _, kind := range []string{keyWords, keyChanges, keySite, keySiteMore} {
			keys := keysOf(t, dir.DB(), kind)
			if len(keys) == 0 && (kind != keySiteMore || sites == 2) {
				t.Errorf("%d sites: no records %q", sites, kind)
			}
			for i, key := range keys {
				value, err := dir.DB().Get([]byte(key))
				if err != nil {
					t.Fatal(err)
				}
				put := func(b crawl.Batch) { b.Put([]byte(key), value) }
				refused(fmt.Sprintf("%q missing", key), func(b crawl.Batch) { b.Delete([]byte(key)) }, put)
				if kind == keyWords || kind == keySite {
					continue
				}
				next := []byte(key)
				next[len(next)-1]++
				if i == len(keys)-1 || keys[i+1] != string(next) {
					refused(fmt.Sprintf("%q once more", key), func(b crawl.Batch) { b.Put(next, value) }, func(b crawl.Batch) { b.Delete(next) })
				}
			}
		}
	}
}

// A delta of which a part has been lost, or a bit has changed, is damage, too, and so is one put in
// another's place; none of them leaves a Recorder that counts on from wrong sketches.
func TestRestoreRefusesTornDeltas(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	const cuts, least = 40, 100
	for _, sites := range []int{1, 2} {
		dir := create(t, store.OnMem(vfs.NewCrashableMem()), "c", true)
		r := recorder(t, Config{Dir: dir, Seed: 5})
		for _, s := range busy(t, rand.New(rand.NewPCG(5, 6)), 9, sites) {
			take(t, r, []step{s})
			commit(t, dir, r)
		}
		put := func(key string, value []byte) {
			b := dir.DB().NewBatch()
			b.Put([]byte(key), value)
			if err := dir.DB().Commit(b); err != nil {
				t.Fatal(err)
			}
		}
		for _, kind := range []string{keyChanges, keySiteMore} {
			keys, torn := keysOf(t, dir.DB(), kind), 0
			var last []byte
			for _, key := range keys {
				value, err := dir.DB().Get([]byte(key))
				if err != nil {
					t.Fatal(err)
				}
				at := bytes.Index(value, []byte("WDLT"))
				if at < 0 {
					continue // the sketches were as before
				}
				bad := map[string][]byte{"longer": append(bytes.Clone(value), 0)}
				for n := at + 1; n < len(value); n += 1 + len(value)/cuts {
					bad[fmt.Sprintf("cut at %d", n)] = value[:n]
					bad[fmt.Sprintf("flipped at %d", n)] = append(append(bytes.Clone(value[:n]), value[n]^4), value[n+1:]...)
				}
				if last != nil {
					bad["another's"] = last
				}
				for what, v := range bad {
					put(key, v)
					if err := recorder(t, Config{}).Restore(dir.DB()); err == nil {
						t.Errorf("%d sites, %q %s: it is restored", sites, key, what)
					}
					torn++
				}
				put(key, value)
				last = value
			}
			if torn < least && (kind != keySiteMore || sites == 2) {
				t.Errorf("%d sites: %d deltas %q were torn", sites, torn, kind)
			}
		}
		if err := recorder(t, Config{}).Restore(dir.DB()); err != nil {
			t.Errorf("%d sites, mended: %v", sites, err)
		}
	}
}
