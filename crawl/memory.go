package crawl

import "time"

// Where memory that is in use begins to slow the crawl, and where only one page is fetched
// at a time. Below memoryFree the number of pages under way may double.
const (
	memoryFree  = 0.3
	memoryTight = 0.6
	memoryFull  = 0.9
	memoryEvery = 50 * time.Millisecond
)

// memoryLimiter lets memory bound how many pages are under way. A page's memory cost is
// known only after it is fetched, so concurrency starts at 1 and grows as pages complete
// (slow start).
type memoryLimiter struct {
	sampledAt time.Time
	limit     int // pages under way; 0 for no limit
	completed int // pages since the last sample
}

// sample asks how much memory is in use, now and then.
func (m *memoryLimiter) sample(cfg *Config, now time.Time) {
	if cfg.Pressure == nil || now.Sub(m.sampledAt) < memoryEvery {
		return
	}
	m.sampledAt = now
	m.limit = max(1, m.limit)
	p := cfg.Pressure()
	switch {
	case p > memoryTight:
		m.limit = min(m.limit, max(1, int(float64(cfg.Workers)*(memoryFull-p)/(memoryFull-memoryTight))))
	case m.completed < m.limit: // the cost of pages under way may not show yet
		return
	case p < memoryFree:
		m.limit = min(2*m.limit, cfg.Workers)
	default:
		m.limit = min(m.limit+1, cfg.Workers)
	}
	m.completed = 0
}

// full reports whether no more pages may be fetched than the leased ones.
func (m *memoryLimiter) full(leased int) bool { return m.limit > 0 && leased >= m.limit }
