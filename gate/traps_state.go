package gate

// The guard's events are in every commit. Its full form is written when there are fullEvery
// times as many bytes of events as it had last, so that it adds a quarter to what they cost; at
// first, when there are leastEvents.
const (
	fullEvery   = 4
	leastEvents = 256 << 10
)

// keepEvents has the guard keep what it learns between two commits.
func (t *traps) keepEvents() {
	if t.guard != nil {
		t.guard.KeepEvents()
	}
}

// commit adds to w what the guard has learned since the last commit, or all that it knows.
func (t *traps) commit(c *Commit) error {
	w := c.Records
	w.Put(recordKey(keyLessons), t.appendLessons(nil)) // none without a guard: see forgetLessons
	if t.guard == nil {
		return nil
	}
	events := t.guard.TakeEvents()
	t.since += len(events)
	if !c.Last && t.since < max(fullEvery*t.full, leastEvents) {
		if len(events) > 0 {
			w.Put(numberedKey(keyTrapEvents, c.Seq), events)
		}
		return nil
	}
	data, err := t.guard.AppendBinary(make([]byte, 0, t.full+t.full/4))
	if err != nil {
		return err
	}
	w.Put(recordKey(keyTraps), data)
	w.DeleteRange(numberedKey(keyTrapEvents, 0), numberedKey(keyTrapEvents, c.Seq))
	t.full, t.since = len(data), 0
	return nil
}

// restore restores the guard's state: the full form, and the events since.
func (t *traps) restore(r Reader) error {
	if t.guard == nil {
		return nil
	}
	data, err := r.Get(recordKey(keyTraps))
	if err != nil {
		return err
	}
	if data != nil {
		if err := t.guard.UnmarshalBinary(data); err != nil {
			return damaged(keyTraps, err)
		}
	}
	t.full = len(data)
	err = r.Scan(recordKey(keyTrapEvents), func(_, events []byte) error {
		t.since += len(events)
		return t.guard.Replay(events)
	})
	if err != nil {
		return damaged(keyTrapEvents, err)
	}
	return nil
}
