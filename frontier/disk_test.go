package frontier

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// memDisk is a disk in memory. What is written can be read once land was called, as
// with a commit that another goroutine makes.
type memDisk struct {
	blocks  map[blockKey][]byte
	hosts   map[string][]byte
	pending []func(*memDisk)
	answer  []byte // of the last Block: overwritten by the next
	reads   int
}

type blockKey struct {
	host  string
	depth int
	seq   uint64
}

func newMemDisk() *memDisk {
	return &memDisk{blocks: map[blockKey][]byte{}, hosts: map[string][]byte{}}
}

func (d *memDisk) Block(host string, depth int, seq uint64) ([]byte, error) {
	d.reads++
	b, ok := d.blocks[blockKey{host, depth, seq}]
	if !ok {
		return nil, fmt.Errorf("no block %d", seq)
	}
	for i := range d.answer {
		d.answer[i] = 0xff
	}
	d.answer = append(d.answer[:0], b...)
	return d.answer, nil
}

func (d *memDisk) PutBlock(host string, depth int, seq uint64, block []byte) {
	block = bytes.Clone(block)
	d.pending = append(d.pending, func(d *memDisk) { d.blocks[blockKey{host, depth, seq}] = block })
}

func (d *memDisk) DeleteBlocks(host string, depth int, from, to uint64) {
	d.pending = append(d.pending, func(d *memDisk) {
		for seq := from; seq < to; seq++ {
			if _, ok := d.blocks[blockKey{host, depth, seq}]; !ok {
				panic(fmt.Sprintf("block %d of %s at depth %d is deleted, but is not there", seq, host, depth))
			}
			delete(d.blocks, blockKey{host, depth, seq})
		}
	})
}

func (d *memDisk) PutHost(host string, state []byte) {
	state = bytes.Clone(state)
	d.pending = append(d.pending, func(d *memDisk) { d.hosts[host] = state })
}

func (d *memDisk) land() {
	for _, do := range d.pending {
		do(d)
	}
	d.pending = nil
}

// crash returns the disk as a new process finds it.
func (d *memDisk) crash() *memDisk {
	return &memDisk{blocks: maps.Clone(d.blocks), hosts: maps.Clone(d.hosts)}
}

// commit is what the engine does: the next one only after the last has landed.
func commit(f *Frontier, d *memDisk) {
	d.land()
	f.Commit(d)
}

func restore(t testing.TB, cfg Config, d *memDisk, now time.Time) *Frontier {
	t.Helper()
	cfg.Disk = d
	f := New(cfg)
	for _, name := range slices.Sorted(maps.Keys(d.hosts)) {
		if err := f.Restore(name, d.hosts[name], now); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// randomItem is an item of one of five hosts, with every kind of field.
func randomItem(t testing.TB, rng *rand.Rand, n int) Item {
	path := fmt.Sprintf("%0*d", 1+rng.IntN(4)*rng.IntN(40), n)
	it := item(t, fmt.Sprintf("http%s://h%d/%s", []string{"", "s"}[rng.IntN(2)], rng.IntN(5), path), rng.IntN(3))
	if rng.IntN(4) > 0 {
		it.Via = fmt.Sprintf("http://h%d/%d", rng.IntN(5), n/20)
	}
	if rng.IntN(10) == 0 {
		it.From, it.Hops = it.URL.String()+"old", uint16(1+rng.IntN(4))
		if it.Hops > 1 {
			it.First = it.URL.String() + "first"
		}
	}
	it.Sitemap = rng.IntN(10) == 0
	return it
}

// Whatever is done, and whenever it is committed, a Frontier with a disk and the
// smallest of windows does what one in memory does.
func TestDiskAgainstMemory(t *testing.T) {
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 3))
		cfg := Config{Delay: time.Duration(rng.IntN(3)) * time.Second, PerHost: 1 + rng.IntN(3), Retries: rng.IntN(3), MaxFailures: 1 + rng.IntN(20)}
		m, d := New(cfg), newMemDisk()
		cfg.Disk, cfg.Window = d, []int{1, 100, 10_000, 0}[rng.IntN(4)]
		f := New(cfg)
		now, leased := epoch, []Item(nil)
		for step := 0; step < 400 || !m.Idle(); step++ {
			switch op := rng.IntN(12); {
			case op < 3 && step < 400:
				for n := range 1 + rng.IntN(15) {
					if it := randomItem(t, rng, 100*step+n); !m.Closed(it.URL) {
						it.Rank = uint8(max(0, rng.IntN(8)-4))
						m.Push(it)
						f.Push(it)
					}
				}
			case op < 7:
				a, okA := m.Next(now)
				b, okB := f.Next(now)
				if okA != okB || a != b {
					t.Fatalf("seed %d, step %d: memory leases %+v, disk %+v, error %v", seed, step, a, b, f.Err())
				}
				if okA && rng.IntN(2) == 0 {
					modulus := 1 + rng.IntN(3)
					good := func(it Item) bool { return len(it.URL.String())%modulus == 0 }
					x, okX := m.Instead(a, now, good)
					y, okY := f.Instead(b, now, good)
					if okX != okY || x != y {
						t.Fatalf("seed %d, step %d: instead memory leases %+v, disk %+v, error %v", seed, step, x, y, f.Err())
					}
					if okX {
						a = x
					}
				}
				if okA {
					leased = append(leased, a)
				}
			case op < 10 && len(leased) > 0:
				i := rng.IntN(len(leased))
				it := leased[i]
				leased = slices.Delete(leased, i, i+1)
				closed := false
				if rng.IntN(5) == 0 {
					closed = m.Return(it, time.Time{})
					f.Return(it, time.Time{})
				} else {
					o := Outcome{Kind: OutcomeKind(rng.IntN(5)), Retry: rng.IntN(2) == 0, Started: now, NoPage: rng.IntN(9) == 0}
					s := m.Done(it, now, o)
					if got := f.Done(it, now, o); got != s {
						t.Fatalf("seed %d: Done says %+v, in memory %+v", seed, got, s)
					}
					closed = s.Closed
				}
				if closed {
					drainBoth(t, m, f, it.URL.Host(), 1+rng.IntN(50))
				}
			case op == 10:
				commit(f, d)
				if rng.IntN(2) == 0 {
					d.land()
					f.Landed()
				}
			default:
				now = now.Add(time.Duration(rng.IntN(5000)) * time.Millisecond)
			}
			a, okA := m.Wake()
			b, okB := f.Wake()
			if m.Queued() != f.Queued() || m.Leased() != f.Leased() || !a.Equal(b) || okA != okB || f.Err() != nil {
				t.Fatalf("seed %d, step %d: disk has %d queued, %d leased, next %v, memory %d, %d, %v; error %v", seed, step, f.Queued(), f.Leased(), b, m.Queued(), m.Leased(), a, f.Err())
			}
			if f.pager.room < 0 {
				t.Fatalf("seed %d, step %d: the window is %d bytes over", seed, step, -f.pager.room)
			}
		}
		commit(f, d)
		d.land()
		if len(d.blocks) > 0 || f.pager.room != f.cfg.Window {
			t.Errorf("seed %d: all is done, but %d blocks are on disk and %d bytes in the window", seed, len(d.blocks), f.cfg.Window-f.pager.room)
		}
	}
}

func drainBoth(t *testing.T, m, f *Frontier, host string, most int) {
	t.Helper()
	for n := 1; n > 0; {
		var a, b []Item
		n = m.Drain(host, most, func(it Item) { a = append(a, it) })
		f.Drain(host, most, func(it Item) { b = append(b, it) })
		if n != len(a) || n > most || !slices.Equal(a, b) {
			t.Fatalf("%d of %d drained from disk, %d from memory", len(b), most, n)
		}
	}
}

// What is pushed and leased between two commits, and what lies beyond the window,
// costs the reads it should.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		name      string
		window    int
		commit    bool
		from, end int // reads
	}{
		{"never on disk", 0, false, 0, 0},
		{"beginning in memory", 0, true, 1, 8}, // the last chunk of 4 KiB ends with a block
		{"no room", 1, true, 1000, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newMemDisk()
			f := New(Config{Delay: NoDelay, Disk: d, Window: c.window})
			for i := range 1000 {
				f.Push(item(t, fmt.Sprintf("http://a/%020d", i), 0))
			}
			if c.commit {
				commit(f, d)
				d.land()
				f.Landed()
			}
			got, _ := drainAll(t, f, epoch)
			if len(got) != 1000 || d.reads < c.from || d.reads > c.end {
				t.Errorf("%d URLs with %d reads, want 1000 with %d to %d", len(got), d.reads, c.from, c.end)
			}
		})
	}
}

func TestBlocksAreSplit(t *testing.T) {
	d := newMemDisk()
	f := New(Config{Disk: d})
	for i := range 10_000 {
		f.Push(item(t, fmt.Sprintf("http://a/%050d", i), 0))
	}
	commit(f, d)
	d.land()
	total := 0
	for k, b := range d.blocks {
		total += len(b)
		if len(b) > 32<<10 {
			t.Errorf("block %d has %d bytes", k.seq, len(b))
		}
		if b[0]&flagVia == 0 {
			t.Errorf("block %d cannot be read without the one before", k.seq)
		}
	}
	if want := total/(32<<10) + 2; len(d.blocks) > want {
		t.Errorf("%d bytes in %d blocks, want at most %d", total, len(d.blocks), want)
	}
}
