package main

import (
	"crypto/tls"
	"fmt"
	"net/netip"
	"strings"

	"crawler/fetch"
	"crawler/weburl"
)

// nets is a repeatable range of addresses; an address alone is a range of one.
type nets []netip.Prefix

func (n *nets) String() string { return strings.Join(n.GetSlice(), " ") }
func (n *nets) Type() string   { return "net" }
func (n *nets) Set(s string) error {
	p, err := netip.ParsePrefix(s)
	if a, aerr := netip.ParseAddr(s); err != nil && aerr == nil && a.Zone() == "" {
		p, err = a.Prefix(a.BitLen())
	}
	if err != nil {
		return fmt.Errorf("want addresses such as 10.1.0.0/16, fd00::/8 or 10.1.2.3")
	}
	*n = append(*n, p.Masked())
	return nil
}

// Append, Replace and GetSlice make it a pflag.SliceValue, as regexps is one.
func (n *nets) Append(s string) error { return n.Set(s) }
func (n *nets) Replace(all []string) error {
	*n = nil
	return setAll(n, all)
}
func (n *nets) GetSlice() []string {
	out := make([]string, len(*n))
	for i, p := range *n {
		out[i] = p.String()
	}
	return out
}

// ports is a set of ports.
type ports fetch.Ports

func (p *ports) String() string { return fetch.Ports(*p).String() }
func (p *ports) Type() string   { return "ports" }
func (p *ports) Set(s string) error {
	set, err := fetch.ParsePorts(s)
	if err == nil {
		*p = ports(set)
	}
	return err
}

// access fills in where the crawl may connect to, and whom it believes.
func (o *options) access(cfg *fetch.Config, seeds []string) error {
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
