package settings

import (
	"crypto/tls"
	"slices"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/fetch"
	"crawler/weburl"
)

// accessFlags say where a process may connect to, whom it believes, and who it says it is.
var accessFlags = []string{"allow-private", "allow-net", "proxy", "resolve", "insecure", "header", "cookies"}

// Access reports whether a flag is one of access: those are of the process that is given them, and
// are told to no other one.
func Access(flag string) bool { return slices.Contains(accessFlags, flag) }

// access fills in where the crawl may connect to, and whom it believes.
func (o *Options) access(cfg *fetch.Config, seeds []string) error {
	cfg.Guard = &fetch.Guard{Nets: o.AllowNet, Private: o.AllowPrivate, Ports: fetch.Ports(o.Ports)}
	for _, s := range seeds {
		u, _, err := crawl.ParseSeed(weburl.Options{}, s)
		if err != nil {
			return shell.UsageError("", "seed %q: %w", s, err)
		}
		if !o.ForeignSeeds {
			cfg.Guard.Seeds = append(cfg.Guard.Seeds, u)
		}
	}
	cfg.MinRate = int64(o.MinRate)
	if o.Insecure {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	return nil
}
