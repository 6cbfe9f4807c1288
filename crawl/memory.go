package crawl

import "time"

// Where memory that is in use begins to slow the crawl, and where only one page is fetched
// at a time. Below memoryFree the number of pages under way may double.
const (
	memoryFree  = 0.3
	memoryTight = 0.6
	memoryFull  = 0.9
	memoryEvery = 50 * time.Millisecond
	// memoryCalm is after what time pages under way have shown what they cost, if they end or not.
	memoryCalm = 500 * time.Millisecond
	// memorySpare is the least time from one emptying of the caches to the next.
	memorySpare = 2 * time.Second
)

// memoryLimiter lets memory bound how many pages are under way. What a page costs is
// known only after it is fetched, so concurrency starts at 1 and grows as pages complete, and with
// time if they do not (slow start). Pages that have been under way for long do not count: they wait
// for their server, which takes no memory, and would keep those of other hosts away.
type memoryLimiter struct {
	sampledAt time.Time
	changedAt time.Time // when limit grew, or was looked at with too many under way
	sparedAt  time.Time // when the caches were emptied
	limit     int       // pages under way; 0 for no limit
	completed int       // pages since limit grew
	long      underWay
}

// sample asks how much memory is in use, now and then. If that is too much, spare empties caches
// first.
func (m *memoryLimiter) sample(cfg *Config, now time.Time, spare func()) {
	if cfg.Pressure == nil || now.Sub(m.sampledAt) < memoryEvery {
		return
	}
	m.sampledAt = now
	m.long.advance(now)
	m.limit = max(1, m.limit)
	p := cfg.Pressure()
	if p > memoryTight && now.Sub(m.sparedAt) >= memorySpare {
		m.sparedAt = now
		spare()
	}
	switch {
	case p > memoryTight:
		m.limit = min(m.limit, max(1, int(float64(cfg.Workers)*(memoryFull-p)/(memoryFull-memoryTight))))
	case m.completed < m.limit && now.Sub(m.changedAt) < memoryCalm:
		return
	case p < memoryFree:
		m.limit = min(2*m.limit, cfg.Workers)
	default:
		m.limit = min(m.limit+1, cfg.Workers)
	}
	m.completed, m.changedAt = 0, now
}

// slots is how many pages may be under way, 0 for any number.
func (m *memoryLimiter) slots(workers int) int {
	if m.limit == 0 {
		return 0
	}
	return min(m.limit+m.long.n, workers)
}

// full reports whether no more pages may be fetched than the leased ones.
func (m *memoryLimiter) full(leased, workers int) bool {
	return m.limit > 0 && leased >= m.slots(workers)
}

// longUnderWay is after what time a page is taken to wait for its server.
const longUnderWay = time.Second

// underWay counts the visits that have been under way for long. They begin in the order of time.
type underWay struct {
	begun []begun
	first int // of begun that may be under way
	next  int // of begun that is not long under way yet
	n     int // that are
}

// begun is a visit that was handed to a worker; its task's place says when it ended.
type begun struct {
	visit *Visit // nil: it has ended
	at    time.Time
}

// begin notes that v is handed out.
func (u *underWay) begin(v *Visit, now time.Time) {
	if u.first > 64 && 2*u.first > len(u.begun) { // those in front have ended
		u.begun = append(u.begun[:0], u.begun[u.first:]...)
		for i := range u.begun {
			if b := &u.begun[i]; b.visit != nil {
				b.visit.place = i
			}
		}
		u.next -= u.first
		u.first = 0
	}
	v.place = len(u.begun)
	u.begun = append(u.begun, begun{v, now})
}

// end notes that v has come back.
func (u *underWay) end(v *Visit) {
	if v.place >= len(u.begun) || u.begun[v.place].visit != v {
		return // it was never handed out under a limit
	}
	u.begun[v.place].visit = nil
	if v.place < u.next {
		u.n--
	}
	for u.first < u.next && u.begun[u.first].visit == nil {
		u.first++
	}
}

// advance counts those that are long under way now.
func (u *underWay) advance(now time.Time) {
	for u.next < len(u.begun) && now.Sub(u.begun[u.next].at) >= longUnderWay {
		if u.begun[u.next].visit != nil {
			u.n++
		}
		u.next++
	}
	for u.first < u.next && u.begun[u.first].visit == nil {
		u.first++
	}
}
