package settings

import (
	"crypto/tls"

	"crawler/cmd/crawler/internal/shell"
	"crawler/fetch"
	"crawler/weburl"
)

// access fills in where the crawl may connect to, and whom it believes.
func (o *Options) access(cfg *fetch.Config, seeds []string) error {
	cfg.Guard = &fetch.Guard{Nets: o.AllowNet, Private: o.AllowPrivate, Ports: fetch.Ports(o.Ports)}
	for _, s := range seeds {
		u, err := weburl.Parse(s)
		if err != nil {
			return shell.UsageError("", "seed %q: %w", s, err)
		}
		cfg.Guard.Seeds = append(cfg.Guard.Seeds, u)
	}
	cfg.MinRate = int64(o.MinRate)
	if o.Insecure {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	return nil
}
