package gate

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"crawler/stats"
	"crawler/weburl"
)

// hostSample is the record of a sample of hosts. The seed stands there because the crawl's filter
// changes its own at each restart, and a host must be in the sample for good or never.
type hostSample struct {
	Share float64
	Seed  uint64
}

// sampled reports whether some of the hosts are left out.
func (s *Scope) sampled() bool { return s.HostShare > 0 && s.HostShare < 1 }

// sampleHosts begins a sample of hosts, if one is asked for; it survives a restart.
func (s *scope) sampleHosts(seed uint64) {
	if !s.sampled() {
		return
	}
	s.hosts = stats.NewSample(stats.MinSample, s.HostShare, seed)
	s.journal.Note(recordKey(keyHostSample), appendJSON(hostSample{s.HostShare, seed}))
}

// restoreHosts continues the sample of the crawl's first run.
func (s *scope) restoreHosts(r Reader) error {
	if !s.sampled() {
		return nil
	}
	var began hostSample
	if err := readJSON(r, keyHostSample, &began); err != nil {
		return err
	}
	if began.Share != s.HostShare {
		return fmt.Errorf("crawl: HostShare is %v, but the crawl began with %v, which decided what was refused: keep that", s.HostShare, began.Share)
	}
	s.hosts = stats.NewSample(stats.MinSample, began.Share, began.Seed)
	return nil
}

// refusesHost returns NotSampled if the host of u is not in the sample. The host's name alone
// decides, so all its pages are in, or none.
func (s *scope) refusesHost(u weburl.URL) Reason {
	if s.hosts != nil && !s.hosts.Accepts(xxhash.Sum64String(u.Host())) {
		return NotSampled
	}
	return ""
}
