package frontier

import (
	"fmt"
	"testing"
)

// Of the URLs that wait in a rank the shallowest good one is leased instead of one without, from
// memory and from disk; none that is deeper, of another host, or more than maxLooks levels away.
// Nothing is lost, and a crash gives the leased one back.
func TestInstead(t *testing.T) {
	for _, commits := range []bool{false, true} {
		d := newMemDisk()
		f := New(Config{Delay: NoDelay, PerHost: 9, Disk: d})
		save := func() {
			if commits {
				commit(f, d)
				d.land()
				f.Landed()
			}
		}
		push := func(url string, depth int, rank uint8) {
			it := item(t, url, depth)
			it.Rank = rank
			f.Push(it)
		}
		push("http://a/new", 3, 0)
		push("http://a/deeper", 4, 1)
		push("http://a/trap", 1, 9)
		push("http://a/first", 2, 2)
		push("http://a/second", 2, 2)
		push("http://a/last", 3, 64)
		push("http://b/other", 0, 1)
		save()
		it, _ := f.Next(epoch)
		for it.URL.Host() != "a" {
			f.Done(it, epoch, Outcome{})
			it, _ = f.Next(epoch)
		}
		var asked []string
		refuse := func(x Item) bool { asked = append(asked, x.URL.Path()); return false }
		if _, ok := f.Instead(it, epoch, refuse); ok || fmt.Sprint(asked) != "[/trap /first /last]" {
			t.Errorf("commits %t: looked at %v", commits, asked)
		}
		good := func(x Item) bool { return x.URL.Path() != "/trap" }
		other, ok := f.Instead(it, epoch, good)
		if !ok || other.URL.Path() != "/first" || f.Leased() != 1 {
			t.Fatalf("commits %t: %s is leased instead, %t, %d leases", commits, other.URL, ok, f.Leased())
		}
		save()
		if commits { // as a new process finds it
			again := restore(t, Config{Delay: NoDelay, PerHost: 9}, d.crash(), epoch)
			if first, _ := again.Next(epoch); first.URL != other.URL || !first.Lease.Again || again.Queued() != f.Queued() {
				t.Errorf("after a crash %s is first, %d are queued", first.URL, again.Queued())
			} else if _, ok := again.Instead(first, epoch, good); ok {
				t.Error("after a crash another one is leased instead")
			}
		}
		f.Done(other, epoch, Outcome{})
		var order []string
		for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
			if it.URL.Host() == "a" {
				order = append(order, it.URL.Path())
			}
			f.Done(it, epoch, Outcome{})
		}
		if got := fmt.Sprint(order); got != "[/new /deeper /second /trap /last]" || !f.Idle() {
			t.Errorf("commits %t: then %s", commits, got)
		}
	}
}

// Instead of one with a rank those are looked at that would be served next, however deep.
func TestInsteadOfRanked(t *testing.T) {
	f := New(Config{Delay: NoDelay})
	for i, rank := range []uint8{3, 9, 4, 4, 64, 64} {
		it := item(t, fmt.Sprintf("http://a/%d", i), 1+i)
		it.Rank = rank
		f.Push(it)
	}
	it, _ := f.Next(epoch)
	asked := ""
	other, ok := f.Instead(it, epoch, func(x Item) bool {
		asked += x.URL.Path()
		return x.URL.Path() == "/1"
	})
	if !ok || it.URL.Path() != "/0" || other.URL.Path() != "/1" || asked != "/2/3/1" {
		t.Errorf("instead of %s it looked at %s and leased %s, %t", it.URL, asked, other.URL, ok)
	}
	f.Done(other, epoch, Outcome{})
	order := ""
	for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
		order += it.URL.Path()
		f.Done(it, epoch, Outcome{})
	}
	if order != "/0/2/3/4/5" || !f.Idle() {
		t.Errorf("then %s", order)
	}
}

// After looks in vain it takes twice as many leases to the next ones, 16 at most, until one is
// good. A crash changes nothing of that.
func TestInsteadLooksLessOften(t *testing.T) {
	d := newMemDisk()
	cfg := Config{Delay: NoDelay, Disk: d}
	f := New(cfg)
	for i := range 100 {
		it := item(t, fmt.Sprintf("http://a/%d", i), 2)
		if i < 3 {
			it.Depth, it.Rank = 1, 4
		}
		f.Push(it)
	}
	var looks []int
	for lease := 1; lease <= 90; lease++ {
		if lease%7 == 0 {
			commit(f, d)
			d.land()
			f = restore(t, cfg, d.crash(), epoch)
		}
		it, _ := f.Next(epoch)
		other, ok := f.Instead(it, epoch, func(x Item) bool {
			looks = append(looks, lease)
			return lease >= 70
		})
		if ok {
			it = other
		}
		f.Done(it, epoch, Outcome{})
	}
	if got := fmt.Sprint(looks); got != "[1 2 4 8 16 32 48 64 80 81 82]" {
		t.Errorf("looked at what waits with the leases %s", got)
	}
}

// Instead of one without a rank it looks at the four shallowest levels and at four that are served
// next: what is good may be behind any number of shallow ones, or of those of a low rank.
func TestInsteadLooksAtFew(t *testing.T) {
	wait := func(own uint8, waiting ...Item) (looked string) {
		f := New(Config{Delay: NoDelay})
		for i, x := range append([]Item{{Depth: 9, Rank: own}}, waiting...) {
			it := item(t, fmt.Sprintf("http://a/%d", i), x.Depth)
			it.Rank = x.Rank
			f.Push(it)
		}
		it, _ := f.Next(epoch)
		if it.URL.Path() != "/0" {
			t.Fatalf("%s is first", it.URL)
		}
		if _, ok := f.Instead(it, epoch, func(x Item) bool { looked += x.URL.Path(); return false }); ok {
			t.Error("one is leased instead")
		}
		return looked
	}
	var waiting []Item
	for i := range 9 {
		waiting = append(waiting, Item{Depth: 1 + i, Rank: uint8(19 - i)})
	}
	if got := wait(0, waiting...); got != "/1/2/3/4/9/8/7/6" {
		t.Errorf("instead of one without a rank it looked at %s", got)
	}
	waiting[7].Depth = 10
	if got := wait(0, waiting...); got != "/1/2/3/4/9/7/6/5" {
		t.Errorf("instead of one without a rank it looked at %s, one of which is deeper", got)
	}
	if got := wait(2, waiting...); got != "/9/8/7/6/5/4/3/2" {
		t.Errorf("instead of one with a rank it looked at %s", got)
	}
	if got := wait(0, waiting[:5]...); got != "/1/2/3/4/5" {
		t.Errorf("of five it looked at %s", got)
	}
}

// Deeper leases the oldest of the deepest that wait in a rank and are deeper than the item, in
// memory and from disk.
func TestDeeper(t *testing.T) {
	for _, commits := range []bool{false, true} {
		d := newMemDisk()
		f := New(Config{Delay: NoDelay, Disk: d})
		for _, p := range []struct {
			path  string
			depth int
			rank  uint8
		}{{"first", 2, 1}, {"shallow", 1, 3}, {"same", 2, 2}, {"deep", 3, 2}, {"deepest", 4, 70}, {"later", 4, 70}} {
			it := item(t, "http://a/"+p.path, p.depth)
			it.Rank = p.rank
			f.Push(it)
		}
		if commits {
			commit(f, d)
			d.land()
			f.Landed()
		}
		it, _ := f.Next(epoch)
		asked := ""
		if _, ok := f.Deeper(it, epoch, func(x Item) bool { asked += x.URL.Path(); return false }); ok || asked != "/deepest/deep" {
			t.Errorf("commits %t: instead of %s it looked at %s", commits, it.URL, asked)
		}
		other, ok := f.Deeper(it, epoch, func(Item) bool { return true })
		if !ok || other.URL.Path() != "/deepest" {
			t.Errorf("commits %t: %s is leased, %t", commits, other.URL, ok)
		}
		f.Done(other, epoch, Outcome{})
		order := ""
		for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
			order += it.URL.Path()
			f.Done(it, epoch, Outcome{})
		}
		if order != "/first/same/deep/shallow/later" || !f.Idle() {
			t.Errorf("commits %t: then %s", commits, order)
		}
	}
}

// Below leases the oldest of a deeper level of the item's rank, in its place, the shallowest first.
func TestBelow(t *testing.T) {
	f := New(Config{Delay: NoDelay})
	for _, p := range []struct {
		path  string
		depth int
		rank  uint8
	}{{"first", 2, 2}, {"same", 2, 2}, {"above", 1, 3}, {"c", 5, 2}, {"later", 5, 2}, {"a", 3, 2}, {"b", 4, 2}, {"lower", 3, 3}, {"lowest", 9, 70}} {
		it := item(t, "http://a/"+p.path, p.depth)
		it.Rank = p.rank
		f.Push(it)
	}
	it, _ := f.Next(epoch)
	up := item(t, "http://a/up", 1)
	up.Rank = 2
	f.Push(up)
	asked := ""
	if _, ok := f.Below(it, epoch, func(x Item) bool { asked += x.URL.Path(); return false }); ok || asked != "/a/b/c" {
		t.Errorf("instead of %s it looked at %s", it.URL, asked)
	}
	other, ok := f.Below(it, epoch, func(x Item) bool { return x.URL.Path() > "/a" })
	if !ok || other.URL.Path() != "/b" {
		t.Errorf("%s is leased, %t", other.URL, ok)
	}
	if _, ok := f.Below(it, epoch, func(Item) bool { return true }); ok {
		t.Error("a place was given twice")
	}
	f.Done(other, epoch, Outcome{})
	order := ""
	for it, ok := f.Next(epoch); ok; it, ok = f.Next(epoch) {
		order += it.URL.Path()
		f.Done(it, epoch, Outcome{})
	}
	if order != "/up/same/first/a/c/later/above/lower/lowest" || !f.Idle() {
		t.Errorf("then %s", order)
	}
}
