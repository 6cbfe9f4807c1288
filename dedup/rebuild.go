package dedup

// Rebuild is the filter's next generation while it is filled from the log outside.
// From Restarting.Rebuild to Adopt it belongs to whoever calls Add, in any goroutine.
type Rebuild struct {
	filter *Multilayer
	expect int64
	epoch  int64
}

// Due reports whether the caller is to make a restart (see Rebuild): the filter is
// outgrown, by URLs or by the prefixes of a layer; Config.RestartEvery says so; or
// there is none, after Reopen. If the log is in memory it is false, for restarts
// then come by themselves; and while one is being made.
func (r *Restarting) Due() bool {
	switch {
	case r.building:
		return false
	case r.filter == nil:
		return true
	case r.out == nil:
		return false
	}
	return r.outgrown(r.admitted) || r.due(r.admitted) || r.crowded()
}

// crowded reports whether a layer has more prefixes than it is sized for. The next
// one has room for twice as many as there are then, so restarts for this reason
// become rarer as the crawl grows.
func (r *Restarting) crowded() bool {
	for i, n := range r.met[:len(r.prefixes)] {
		if n > r.filter.room[i] {
			return true
		}
	}
	return false
}

// Rebuild begins a restart with the log outside: it returns an empty filter with a
// new seed and of the right size. After Reopen it has the old seed, and is no restart.
// The old filter goes on answering meanwhile, so there are two in memory.
//
// The order that loses nothing: Freeze, write the part to the log, Drop; Rebuild; Add
// everything in the log, in another goroutine; Adopt. What is admitted meanwhile is in
// the tail, and what Drop forgets meanwhile is remembered here, so Adopt knows them.
// In short: between Rebuild and Adopt all that was in the log when Rebuild was called
// must be added. More does no harm.
func (r *Restarting) Rebuild() *Rebuild {
	b := &Rebuild{expect: r.expect, epoch: r.epoch}
	var room []int64 // FilterOnly: the filter is to be the one it was
	if r.risk == nil {
		b.expect, room = r.grown(r.admitted), r.prefixRoom()
		if r.filter != nil {
			b.epoch++
		}
	}
	b.filter = &Multilayer{hash: r.hash, layers: make([]Bloom, len(r.prefixes))}
	b.filter.reset(r.cfg, b.expect, room, uint64(b.epoch))
	r.building = true
	return b
}

// Add adds names from the log: of URLs if layer is negative, else of the prefixes in
// that layer, counted from 0. Order and repetition do not matter, but sorted names
// take a third of the time.
func (b *Rebuild) Add(layer int, names []uint64) {
	array := &b.filter.last
	if layer >= 0 {
		array = &b.filter.layers[layer]
	}
	array.AddAll(names)
}

// Adopt ends a restart: it adds the tail to b, which takes 15 to 30 ns for each URL
// in it, and puts it in the place of the filter.
func (r *Restarting) Adopt(b *Rebuild) {
	tail := Part{log: r.log, prefixes: r.prefixes}
	tail.addTo(b.filter)
	if r.out != nil {
		for _, p := range []*Part{r.out.frozen, r.out.held} {
			if p != nil {
				p.addTo(b.filter)
			}
		}
		r.out.held = nil
	}
	if b.epoch != r.epoch {
		r.began = r.admitted
	}
	r.filter, r.expect, r.epoch = b.filter, b.expect, b.epoch
	r.building, r.doubts = false, nil
	r.last.said = unasked
}
