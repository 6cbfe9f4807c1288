package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/weburl"
)

// threeQueued is a disk with three URLs of one host, 25 bytes each, in one block,
// of which one more URL is leased and one given back.
func threeQueued(t testing.TB) *memDisk {
	d := newMemDisk()
	f := New(Config{Delay: NoDelay, PerHost: 2, Disk: d})
	f.SetDelay("a.example:8080", time.Nanosecond)
	for i := range 5 {
		f.Push(Item{URL: mustParse(t, fmt.Sprintf("https://a.example:8080/%d?q", i)), Via: "http://b.example/", From: "http://c.example/", Hops: uint16(i), Depth: 3})
	}
	commit(f, d)
	it, _ := f.Next(epoch)
	f.Next(at(time.Second))
	f.Return(it, epoch)
	commit(f, d)
	d.land()
	return d
}

const damagedHost = "a.example:8080"

func TestDamagedDiskStopsTheFrontier(t *testing.T) {
	key := blockKey{damagedHost, 3, 0}
	for _, c := range []struct {
		name   string
		damage func(d *memDisk)
		want   string
	}{
		{"block lost", func(d *memDisk) { delete(d.blocks, key) }, "no block 0"},
		{"block empty", func(d *memDisk) { d.blocks[key] = nil }, "read to"},
		{"block cut", func(d *memDisk) { d.blocks[key] = d.blocks[key][:len(d.blocks[key])-1] }, "no queued URL"},
		{"record lost", func(d *memDisk) { d.blocks[key] = d.blocks[key][:len(d.blocks[key])-26] }, "more URLs"},
		{"not a URL", func(d *memDisk) { d.blocks[key] = []byte(strings.Replace(string(d.blocks[key]), "/3?q", "x3?q", 1)) }, "no queued URL"},
		{"not canonical", func(d *memDisk) { d.blocks[key] = []byte(strings.Replace(string(d.blocks[key]), "/3?q", "/3#q", 1)) }, "no queued URL"},
		{"not the host", func(d *memDisk) { d.blocks[key] = []byte(strings.Replace(string(d.blocks[key]), "/3?q", "9/?q", 1)) }, "no queued URL"},
		{"unknown flag", func(d *memDisk) { d.blocks[key][len(d.blocks[key])-26] |= 0x80 }, "no queued URL"},
		{"record too many", func(d *memDisk) { d.blocks[key] = append(d.blocks[key], 0, 1, '/') }, "more URLs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := threeQueued(t)
			c.damage(d)
			f := restore(t, Config{Delay: NoDelay, MaxDelay: NoDelay, PerHost: 10, Disk: d}, d, epoch)
			n := 0
			now := at(time.Minute)
			for _, ok := f.Next(now); ok; _, ok = f.Next(now) {
				n++
			}
			err := f.Err()
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), damagedHost) {
				t.Fatalf("after %d leases the error is %v, want one with %q", n, err, c.want)
			}
			if n < 2 || n+f.Queued() != 5 {
				t.Errorf("%d leased before the damage and %d queued, want 2 or more and 5 together", n, f.Queued())
			}
			if _, ok := f.Wake(); ok || f.Idle() || f.Drain(damagedHost, 1, func(Item) {}) > 0 {
				t.Error("the frontier continues after an error")
			}
			if err := Queue(damagedHost, d.hosts[damagedHost], d, func(int, Item) bool { return true }); err == nil {
				t.Error("Queue lists a damaged block")
			}
		})
	}
}

func TestDamagedStateIsRefused(t *testing.T) {
	state := threeQueued(t).hosts[damagedHost]
	for n := range state {
		if _, err := ReadHost(damagedHost, state[:n]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d of %d bytes: %v", n, len(state), err)
		}
	}
	for _, c := range []struct {
		name, host string
		state      []byte
		want       string
	}{
		{"bytes left over", damagedHost, append(slices.Clone(state), 0), "bytes"},
		{"newer version", damagedHost, append([]byte{9}, state[1:]...), "version 9"},
		{"another host's", "b.example", state, "b.example"},
	} {
		if _, err := ReadHost(c.host, c.state); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	f := New(Config{Disk: newMemDisk()})
	f.Push(item(t, "http://"+damagedHost+"/", 0))
	if err := f.Restore(damagedHost, state, epoch); err == nil || f.Err() == nil {
		t.Error("a host in use was restored")
	}
}

// A lull that no Frontier has is damage.
func TestDamagedLullIsRefused(t *testing.T) {
	f := New(Config{Delay: NoDelay, Disk: newMemDisk()})
	f.host(damagedHost).lull = lull{turns: 4, left: 3}
	state := f.host(damagedHost).appendState(nil, nil)
	if s, err := ReadHost(damagedHost, state); err != nil || s.lull != (lull{4, 3}) {
		t.Fatalf("the lull is %v, %v", s.lull, err)
	}
	at := bytes.Index(state, []byte{4, 3})
	for _, wrong := range []lull{{0, 0}, {4, 4}, {maxLull + 1, 0}} {
		state[at], state[at+1] = wrong.turns, wrong.left
		if _, err := ReadHost(damagedHost, state); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

func TestItemCodec(t *testing.T) {
	it := Item{URL: mustParse(t, "https://a.example/x?y"), Via: "http://v/", From: "http://f/", Depth: 7, Hops: 3}
	it.Sitemap, it.Attempt, it.Lease.Last, it.NewAt = true, 2, true, 130
	b := AppendItem([]byte("before"), it)
	b = append(b, "after"...)
	got, rest, err := DecodeItem(b[len("before"):])
	it.Lease = Lease{}
	if err != nil || got != it || string(rest) != "after" {
		t.Errorf("got %+v, %q, %v", got, rest, err)
	}
}

func FuzzItem(f *testing.F) {
	for _, it := range []Item{
		{URL: mustParse(f, "http://a/")},
		{URL: mustParse(f, "https://a/b?c"), Via: "http://v/", From: "http://f/", Depth: 7, Hops: 3, Sitemap: true, Attempt: 2},
		{URL: mustParse(f, "http://a/d"), Via: "http://v/", Depth: 2, Attempt: 1, Rank: 9, Since: epoch},
		{URL: mustParse(f, "http://a/d"), Via: "http://v/", Depth: 2, Rank: 127, NewAt: 3},
	} {
		f.Add(AppendItem(nil, it))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		it, _, err := DecodeItem(b)
		if err != nil {
			return
		}
		again, rest, err := DecodeItem(AppendItem(nil, it))
		if it.From == "" {
			it.Hops = 0 // written by nobody
		}
		if err != nil || len(rest) > 0 || again != it {
			t.Errorf("%+v came back as %+v, %v", it, again, err)
		}
	})
}

// What a hostile state and block make a Frontier do ends, without a panic, and
// never serves more than the state says.
func FuzzRestore(f *testing.F) {
	d := threeQueued(f)
	f.Add(d.hosts[damagedHost], d.blocks[blockKey{damagedHost, 3, 0}])
	steered := restore(f, Config{Delay: NoDelay, MaxDelay: NoDelay, PerHost: 3, Disk: d, Order: OPIC}, d, epoch)
	for range 2 {
		steered.Next(at(time.Hour)) // what was leased and given back
	}
	steered.Credit(Item{}, func(yield func(weburl.URL) bool) { yield(mustParse(f, "https://a.example:8080/4?q")) })
	steered.Next(at(time.Hour))
	commit(steered, d)
	d.land()
	if d.hosts[damagedHost][0] != stateVersion {
		f.Fatal("nothing was leased out of order")
	}
	f.Add(d.hosts[damagedHost], d.blocks[blockKey{damagedHost, 3, 0}])
	f.Fuzz(func(t *testing.T, state, block []byte) {
		d := oneBlock(block)
		fr := New(Config{Disk: d, Window: 1000})
		if fr.Restore(damagedHost, state, epoch) != nil {
			return
		}
		queued := fr.Queued()
		drained := fr.Drain(damagedHost, 1000, func(it Item) {
			if it.URL.Host() != damagedHost {
				t.Errorf("%s is not on the host", it.URL)
			}
		})
		if drained+fr.Queued() != queued || drained < min(queued, 1000) && fr.Err() == nil {
			t.Errorf("%d of %d drained, %d left, error %v", drained, queued, fr.Queued(), fr.Err())
		}
		listed := 0
		err := Queue(damagedHost, state, d, func(int, Item) bool { listed++; return listed < 1000 })
		if listed != drained || (err == nil) != (fr.Err() == nil) && listed < 1000 {
			t.Errorf("%d listed, %v; %d drained, %v", listed, err, drained, fr.Err())
		}
		var w lastState
		fr.Commit(&w) // the state of whatever is left can be read
		if s, err := ReadHost(damagedHost, w); err != nil || s.Queued != fr.Queued() {
			t.Errorf("saved again: %d queued of %d, %v", s.Queued, fr.Queued(), err)
		}
	})
}

// oneBlock is a disk on which every block is the same.
type oneBlock []byte

func (b oneBlock) Block(string, int, uint64) ([]byte, error) { return b, nil }

// lastState is a Writer that keeps the last state only.
type lastState []byte

func (*lastState) PutBlock(string, int, uint64, []byte)     {}
func (*lastState) DeleteBlocks(string, int, uint64, uint64) {}
func (s *lastState) PutHost(_ string, state []byte)         { *s = bytes.Clone(state) }

// An item keeps its rank in its binary form, as it was leased or deferred.
func TestItemKeepsItsRank(t *testing.T) {
	for _, rank := range []uint8{0, 1, 64, 127} {
		it, rest, err := DecodeItem(AppendItem(nil, Item{URL: mustParse(t, "http://a/d"), Via: "http://v/", Rank: rank}))
		if err != nil || len(rest) > 0 || it.Rank != rank {
			t.Errorf("rank %d came back as %d, %d bytes left: %v", rank, it.Rank, len(rest), err)
		}
	}
	for _, rank := range []uint8{0, 128} {
		form := AppendItem(nil, Item{URL: mustParse(t, "http://a/d"), Rank: 1})
		form[len(form)-1] = rank
		if _, _, err := DecodeItem(form); err == nil {
			t.Errorf("rank %d is taken", rank)
		}
	}
}
