package archive

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/store"
	"crawler/warc"
)

// keyNumbered is the key of a payload that nobody has.
func keyNumbered(r *rand.Rand) (k payloadKey) {
	return keyOf(warc.DigestOf(nil), r.Uint64())
}

// Ten million payloads take at most 16 MiB of filters, which seldom ask the disk in vain.
func TestTheIndexIsSmall(t *testing.T) {
	n := 10_000_000
	if testing.Short() {
		n = 1_000_000
	}
	x, r := &index{}, rand.New(rand.NewPCG(1, 1))
	for range n {
		k := keyNumbered(r)
		x.filter(k.hash())
	}
	bytes, maybe := int64(0), 0
	for _, f := range x.filters {
		bytes += f.Bits() / 8
	}
	const asked = 100_000
	for range asked {
		k := keyNumbered(r)
		if x.maybe(k.hash()) {
			maybe++
		}
	}
	if bytes > 16<<20 || maybe > asked/20 {
		t.Errorf("%d bytes of filters for %d payloads; %d of %d new ones would be looked up", bytes, n, maybe, asked)
	}
	t.Logf("%d payloads: %.1f MiB, %.2f %% of new ones are looked up", n, float64(bytes)/(1<<20), 100*float64(maybe)/asked)
}

// A payload is found from the moment it is added on, committed or not, and after a restart.
func TestTheIndexFindsWhatWasAdded(t *testing.T) {
	fs := store.OnMem(vfs.NewMem())
	dir, err := store.Create(fs, "c", store.Meta{Seeds: []string{"http://a.test/"}}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { dir.Close() }()
	x, err := openIndex(dir.DB())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 2))
	want := map[payloadKey]origin{}
	for commit := range 4 {
		for i := range 100 {
			k := keyNumbered(rng)
			want[k] = origin{int64(commit)<<40 - int64(i), "http://a.test/" + string(rune('a'+i%26))}
			x.add(k, want[k])
		}
		findAll(t, x, want)
		b := dir.DB().NewBatch()
		x.cut(b)
		findAll(t, x, want)
		if err := dir.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	findAll(t, x, want)
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if dir, err = store.Open(fs, "c"); err != nil {
		t.Fatal(err)
	}
	if x, err = openIndex(dir.DB()); err != nil {
		t.Fatal(err)
	}
	findAll(t, x, want)
}

func findAll(t *testing.T, x *index, want map[payloadKey]origin) {
	t.Helper()
	for k, o := range want {
		if got, found, err := x.find(k); err != nil || !found || got != o {
			t.Fatalf("%v, %v, %v: want %v", got, found, err, o)
		}
	}
	if _, found, err := x.find(keyOf(warc.DigestOf([]byte("x")), 1)); found || err != nil {
		t.Fatalf("what nobody added was found: %v", err)
	}
}

// Without a database the payloads that are known are bounded.
func TestTheIndexWithoutAStateIsBounded(t *testing.T) {
	x, err := openIndex(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 3 * maxRecent {
		k := keyNumbered(r)
		x.add(k, origin{})
		if _, found, _ := x.find(k); !found || len(x.recent) > maxRecent {
			t.Fatalf("found %v, %d are known", found, len(x.recent))
		}
	}
}
