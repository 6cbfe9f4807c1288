package main

import (
	"crypto/tls"

	"crawler/fetch"
	"crawler/weburl"
)

// access fills in where the crawl may connect to, and whom it believes.
func (o *Options) access(cfg *fetch.Config, seeds []string) error {
	cfg.Guard = &fetch.Guard{Nets: o.allowNet, Private: o.allowPrivate, Ports: fetch.Ports(o.ports)}
	for _, s := range seeds {
		u, err := weburl.Parse(s)
		if err != nil {
			return usage("", "seed %q: %w", s, err)
		}
		cfg.Guard.Seeds = append(cfg.Guard.Seeds, u)
	}
	cfg.MinRate = int64(o.minRate)
	if o.insecure {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	return nil
}
