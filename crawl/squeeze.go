package crawl

import "time"

// Where memory that is in use begins to slow the crawl, and where only one page is
// fetched at a time. Below squeezeFree the number of pages under way may double.
const (
	squeezeFree  = 0.3
	squeezeFrom  = 0.6
	squeezeTo    = 0.9
	squeezeEvery = 50 * time.Millisecond
)

// squeeze lets memory bound how many pages are under way. What a page takes is known only
// when it has come, so they begin as one and become more as pages come home.
type squeeze struct {
	looked time.Time
	most   int // 0 for no bound
	home   int // pages since the last look
}

// look asks how much memory is in use, now and then.
func (s *squeeze) look(cfg *Config, now time.Time) {
	if cfg.Pressure == nil || now.Sub(s.looked) < squeezeEvery {
		return
	}
	s.looked = now
	s.most = max(1, s.most)
	p := cfg.Pressure()
	switch {
	case p > squeezeFrom:
		s.most = min(s.most, max(1, int(float64(cfg.Workers)*(squeezeTo-p)/(squeezeTo-squeezeFrom))))
	case s.home < s.most: // what is under way may not show yet
		return
	case p < squeezeFree:
		s.most = min(2*s.most, cfg.Workers)
	default:
		s.most = min(s.most+1, cfg.Workers)
	}
	s.home = 0
}

// holds reports whether no more pages may be fetched than the leased ones.
func (s *squeeze) holds(leased int) bool { return s.most > 0 && leased >= s.most }
