package crawl

import "time"

// Where memory that is in use begins to slow the crawl, and where only one page is
// fetched at a time.
const (
	squeezeFrom  = 0.6
	squeezeTo    = 0.9
	squeezeEvery = 50 * time.Millisecond
)

// squeeze lets memory bound how many pages are under way.
type squeeze struct {
	looked time.Time
	most   int // 0 for no bound
}

// look asks how much memory is in use, now and then.
func (s *squeeze) look(cfg *Config, now time.Time) {
	if cfg.Pressure == nil || now.Sub(s.looked) < squeezeEvery {
		return
	}
	s.looked, s.most = now, 0
	if p := cfg.Pressure(); p > squeezeFrom {
		s.most = max(1, int(float64(cfg.Workers)*(squeezeTo-p)/(squeezeTo-squeezeFrom)))
	}
}

// holds reports whether no more pages may be fetched than the leased ones.
func (s *squeeze) holds(leased int) bool { return s.most > 0 && leased >= s.most }
